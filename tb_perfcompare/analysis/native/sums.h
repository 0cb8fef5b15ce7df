/* Adding up by row and column. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_SUMS_H
#define TB_PERFCOMPARE_SUMS_H

#include "columns.h"
#include "order.h"

/* A value per i: values[i], or values[at[i]] where `at` is given. */
typedef struct {
    const Column *values; /* NULL: every value is `same` */
    size_t length;        /* of the values */
    const Column *at;
    int64_t same;
} Chosen;

/* What is added up: sums[row * width + column] += value, modulo 2**64, for each i where no index, row or column is below
   0. */
typedef struct {
    size_t count;
    Chosen row;
    Chosen column;
    Chosen value;
    int64_t width;
} Addends;

/* PASS_BAD_INPUT: a place or an index is out of range. `sums` holds zeros or what is added to. */
PassEnd add_up(const Addends *addends, int64_t *sums, size_t size);

#endif
