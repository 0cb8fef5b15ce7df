/* Trees whose rows come behind the row above them. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_TREES_H
#define TB_PERFCOMPARE_TREES_H

#include "columns.h"
#include "order.h"

/* Rows of a forest, and what tells those below one node apart. */
typedef struct {
    size_t count;
    const Column *above; /* an earlier row, -1 at the top */
    const Column *root;  /* the node that a row at the top stands below: 0 to below `first` */
    const Column *key;   /* 0 to INT32_MAX */
    const int8_t *wanted; /* these rows, and those above them, are used */
    size_t first;        /* number of the first new node */
    const Column *depth; /* of the nodes that are there already: `first` of them */
} Rows;

/* The different paths of keys: the new nodes in the order of their level, then of the node above, then of their key. */
typedef struct {
    int32_t *node; /* of each row; -1 for those that are not used */
    int32_t *parent;
    int32_t *key;
    int32_t *depth;
    size_t count;
} Paths;

/* Fills `paths`, whose `node` is the caller's; the rest is to be freed with free_paths whatever comes out. PASS_BAD_INPUT:
   a row stands before the one above it, or a number is out of range. */
PassEnd find_paths(const Rows *rows, Paths *paths);
void free_paths(Paths *paths);

/* Gives the smallest value below or at every row, in place. PASS_BAD_INPUT: a parent is not an earlier row. */
PassEnd least_upwards(const Column *parent, int64_t *values, size_t count);

/* Cells of a table of rows and columns: a value at (row, column). */
typedef struct {
    int32_t *row;
    int32_t *column;
    int64_t *value;
    size_t count;
    size_t room;
} Cells;

/* Adds every value to all rows above its own, modulo 2**64: all cells that get any, each once, rows from the last to the
   first. `cells` begins empty and is to be freed with free_cells whatever comes out. PASS_BAD_INPUT: a parent is not an
   earlier row, or a number is out of range. */
PassEnd cells_upwards(const Column *parent, size_t rows, const Column *row, const Column *column, const Column *value,
                      size_t count, size_t width, Cells *cells);
void free_cells(Cells *cells);

#endif
