/* Numbering what occurs: different codes, different paths. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_NUMBERS_H
#define TB_PERFCOMPARE_NUMBERS_H

#include "columns.h"
#include "order.h"

/* Codes first[i] * seconds + second[i], without a second column first[i]; all in 0..size - 1. */
typedef struct {
    size_t count;
    Column first;
    const Column *second; /* or NULL */
    int64_t seconds;
    size_t size;
} Codes;

/* place[i]: how many different codes are smaller; *found: that many codes, ascending, to be freed. PASS_BAD_INPUT: a code
   is out of range. */
PassEnd number_codes(const Codes *codes, int32_t *place, int64_t **found, size_t *found_count);

/* Rows of a forest, each behind the one above it (-1 at the top, where the row is below node root[i]). */
typedef struct {
    size_t count;
    Column above;
    const int32_t *root;
    const int32_t *key;
    int8_t *used; /* which rows are wanted; those above them are marked as well */
    int32_t roots;
} Branches;

/* Nodes behind the roots, in the order in which they come: rows of one key below one node are one node. */
typedef struct {
    int32_t *node; /* of each row, -1 if not used; given */
    int32_t *parent, *key, *level; /* of each new node, to be freed; level: how many rows are above */
    size_t count;
} NewNodes;

/* PASS_BAD_INPUT: a row is not behind the one above it, or too many nodes. */
PassEnd number_paths(const Branches *branches, NewNodes *nodes);

#endif
