/* Rows in the order of two times and of what settles ties. Plain C99, no Python, no compiler-only builtins. */
#ifndef TB_PERFCOMPARE_ORDER_H
#define TB_PERFCOMPARE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_TIES = 4 };

/* A column that settles ties: a value per row, or a code per row and a value per code. */
typedef struct {
    const int64_t *values;
    const int32_t *codes; /* NULL for none */
} Tie;

/* What rows are ordered by: `first` ascending, then `second` descending, then each tie ascending, then the row. So spans
   given as start and end come in order of start, the longer ones first. */
typedef struct {
    const int64_t *first;
    const int64_t *second;
    Tie ties[MOST_TIES];
    size_t tie_count;
} Keys;

/* A row, and its first key: most comparisons need no more, and these lie side by side. */
typedef struct {
    int64_t first;
    int32_t row;
    int32_t note; /* goes along; the caller's */
} Item;

/* Sorts. Stretches that are in order already cost one comparison per item. False without memory; the items are the same
   then, in some order. */
bool sort_items(Item *items, size_t count, const Keys *keys);

typedef enum { PASS_DONE, PASS_NO_MEMORY, PASS_BAD_INPUT } PassEnd;

/* order[i]: the row that comes i-th. PASS_BAD_INPUT: there are more rows than an int32 can number. */
PassEnd order_rows(const Keys *keys, size_t count, int32_t *order);

/* a - b and a + b modulo 2**64: times may lie anywhere in an int64. */
static inline int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
