/* Sorting of rows by two times and tie-breaking columns. Plain C99, no Python, no compiler builtins. */
#ifndef TB_PERFCOMPARE_ORDER_H
#define TB_PERFCOMPARE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_TIES = 4 };

/* A tie-breaking column: a value per row, or a code per row and a value per code. */
typedef struct {
    const int64_t *values;
    const int32_t *codes; /* NULL for a value per row */
} Tie;

/* Sort keys: `first` ascending, then `second` descending, then each tie ascending, then the row. With start and
   duration: by start, longer spans first. */
typedef struct {
    const int64_t *first;
    const int64_t *second;
    Tie ties[MAX_TIES];
    size_t tie_count;
} Keys;

/* A row with its first key, which decides most comparisons and is then already in the cache. */
typedef struct {
    int64_t first;
    int32_t row;
    int32_t note; /* for the caller; moves with the item */
} Item;

/* Sorts in place. Runs that are already sorted cost one comparison per item. False if out of memory; the items are then
   permuted. */
bool sort_items(Item *items, size_t count, const Keys *keys);

typedef enum { PASS_DONE, PASS_NO_MEMORY, PASS_BAD_INPUT } PassEnd;

/* Sets order[i] to the i-th row. PASS_BAD_INPUT: more rows than an int32 can number. */
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
