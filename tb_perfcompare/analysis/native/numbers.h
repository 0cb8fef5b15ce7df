/* Numbering of distinct codes and distinct paths. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_NUMBERS_H
#define TB_PERFCOMPARE_NUMBERS_H

#include "columns.h"
#include "order.h"

/* Codes first[i] * seconds + second[i], or first[i] without a second column; all in 0..size - 1. */
typedef struct {
    size_t count;
    Column first;
    const Column *second; /* or NULL */
    int64_t seconds;
    size_t size;
} Codes;

/* Sets place[i] to the index of code i among the distinct codes, and *found to these codes, ascending; the caller frees
   them. PASS_BAD_INPUT: a code is out of range. */
PassEnd number_codes(const Codes *codes, int32_t *place, int64_t **found, size_t *found_count);

/* Rows of a forest, each after its parent (-1 at the top, where the row is below node root[i]). */
typedef struct {
    size_t count;
    Column above;
    const int32_t *root;
    const int32_t *key;
    int8_t *used; /* which rows are wanted; their ancestors are marked as well */
    int32_t roots;
} Branches;

/* New nodes, numbered after the roots in order of occurrence; rows with one key below one node are one node. */
typedef struct {
    int32_t *node; /* of each row, -1 if not used; allocated by the caller */
    int32_t *parent, *key, *level; /* of each new node, freed by the caller; level: number of ancestors */
    size_t count;
} NewNodes;

/* PASS_BAD_INPUT: a row is not after its parent, or there are too many nodes. */
PassEnd number_paths(const Branches *branches, NewNodes *nodes);

#endif
