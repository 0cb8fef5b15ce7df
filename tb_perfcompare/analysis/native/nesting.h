/* Which event encloses which on one thread: the rule of analysis/columns/nesting.py, row by row. */
#ifndef TB_PERFCOMPARE_NESTING_H
#define TB_PERFCOMPARE_NESTING_H

#include "columns.h"
#include "order.h"

/* Spans to nest: these rows of the columns, in any order. */
typedef struct {
    size_t count;
    const int32_t *rows; /* NULL for all rows; `count` is the length of the columns then */
    size_t length;       /* of the columns */
    const int32_t *lane; /* 0 <= lane < lanes */
    size_t lanes;
    Keys keys; /* start and duration; ties order equal spans */
} Spans;

/* The result: a row for each span, ordered by lane, then keys. All arrays hold `count` items. */
typedef struct {
    int32_t *order;  /* row of the columns */
    int32_t *parent; /* row (of this result) of the enclosing span, -1 at the top */
    int32_t *depth;  /* 0 at the top */
    int64_t *end;    /* at most the parent's */
    int64_t *inside; /* time of direct children */
    int64_t clipped; /* number of spans that ended after their parent */
} Forest;

/* Sets order[i] as in a Forest. PASS_BAD_INPUT: a lane or a row is out of range. */
PassEnd order_spans(const Spans *spans, int32_t *order);

/* Sets all but the order, which must be set. Sorting needs as much memory as these columns: allocate them after it. */
void nest_spans(const Spans *spans, Forest *forest);

/* Nested spans for look-ups, ordered by lane and start. */
typedef struct {
    size_t count;
    const int32_t *lane;
    size_t lanes;
    const int64_t *start;
    const int64_t *end;
    Column parent; /* an earlier row, or -1 */
} Nodes;

/* Sets found[i] to the innermost node of lane[i] that is open at at[i], -1 if none. PASS_BAD_INPUT: rows are not
   in order. */
PassEnd find_innermost(const Nodes *nodes, const int32_t *lane, const int64_t *at, size_t count, int32_t *found);

/* Adds every value to all ancestors, in place; or with `least`, replaces ancestors' values by the minimum.
   PASS_BAD_INPUT: a parent is not an earlier row. */
PassEnd gather_upwards(const Column *parent, bool least, int64_t *values, size_t count);

#endif
