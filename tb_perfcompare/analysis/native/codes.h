/* Numbering what occurs, and adding up by it. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_CODES_H
#define TB_PERFCOMPARE_CODES_H

#include "columns.h"
#include "order.h"

/* Codes first[i] * width + second[i] (or first[i] alone where `second` is NULL and width is 1), 0 to below `size`. */
typedef struct {
    size_t count;
    const Column *first;
    const Column *second;
    int64_t width;
    int64_t size;
} Codes;

/* place[i]: which of the different codes, in ascending order, i has; *found are those, *many of them, to be freed by the
   caller. PASS_BAD_INPUT: a code is out of range, or there are more rows than an int32 can number. */
PassEnd distinct_codes(const Codes *codes, int32_t *place, int64_t **found, size_t *many);

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

/* found[i] = values[at[i]] of integers of `size` bytes, which are 1, 4 or 8; indices below zero count from the end.
   PASS_BAD_INPUT: one is out of range. */
PassEnd take(const void *values, size_t size, size_t length, const Column *at, size_t count, void *found);

#endif
