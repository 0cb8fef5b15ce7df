/* Sums by row and column. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_SUMS_H
#define TB_PERFCOMPARE_SUMS_H

#include "columns.h"
#include "order.h"

/* A value per i: values[i], or values[at[i]] if `at` is not NULL. */
typedef struct {
    const Column *values; /* NULL: every value is `same` */
    size_t length;        /* of the values */
    const Column *at;
    int64_t same;
} Chosen;

/* For each i without a negative index, row or column: sums[row * width + column] += value, modulo 2**64. */
typedef struct {
    size_t count;
    Chosen row;
    Chosen column;
    Chosen value;
    int64_t width;
} Addends;

/* Adds to `sums`. PASS_BAD_INPUT: a row, column or index is out of range. */
PassEnd add_up(const Addends *addends, int64_t *sums, size_t size);

#endif
