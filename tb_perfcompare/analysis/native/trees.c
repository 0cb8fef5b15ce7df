#include "trees.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 512 };

/* -- paths ---------------------------------------------------------------------------------------------------------- */

/* A node above and a key in one number; nodes are numbered as they are found, behind those that are there already. */
typedef struct {
    uint64_t pair;
    int32_t level; /* 0 right below a node that was there already */
    int32_t node;  /* its final number */
} Found;

typedef struct {
    int32_t *slots; /* one more than the place in `found`, 0 for none */
    size_t mask;
    Found *found;
    size_t count;
    size_t room;
} Pairs;

static size_t slot_of_pair(const Pairs *pairs, const Found *found, uint64_t pair)
{
    size_t slot = (size_t)(pair * UINT64_C(0x9E3779B97F4A7C15) >> 20) & pairs->mask;
    while (pairs->slots[slot] != 0 && found[pairs->slots[slot] - 1].pair != pair) {
        slot = (slot + 1) & pairs->mask;
    }
    return slot;
}

static bool make_room(Pairs *pairs)
{
    const size_t room = pairs->room == 0 ? FIRST_NODES : pairs->room * 2;
    if (room > SIZE_MAX / sizeof(Found)) {
        return false;
    }
    Found *found = realloc(pairs->found, room * sizeof *found);
    if (found == NULL) {
        return false;
    }
    pairs->found = found;
    int32_t *slots = calloc(room * 2, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(pairs->slots);
    pairs->slots = slots;
    pairs->mask = room * 2 - 1;
    pairs->room = room;
    for (size_t i = 0; i < pairs->count; i++) {
        slots[slot_of_pair(pairs, found, found[i].pair)] = (int32_t)(i + 1);
    }
    return true;
}

/* Marks the rows that are used. False where a row stands before the one above it. */
static bool mark_used(const Rows *rows, int8_t *used)
{
    for (size_t row = rows->count; row-- > 0;) {
        const int64_t above = column_at(rows->above, row);
        if (above < -1 || above >= (int64_t)row) {
            return false;
        }
        used[row] = used[row] != 0 || rows->wanted[row] != 0;
        if (used[row] && above >= 0) {
            used[above] = 1;
        }
    }
    return true;
}

/* Finds the pairs, in the order of rows; node[row] is the place of each one's in `pairs`. */
static PassEnd find_pairs(const Rows *rows, const int8_t *used, Pairs *pairs, int32_t *node)
{
    for (size_t row = 0; row < rows->count; row++) {
        if (!used[row]) {
            node[row] = -1;
            continue;
        }
        const int64_t above = column_at(rows->above, row), key = column_at(rows->key, row);
        const int64_t parent = above >= 0 ? (int64_t)rows->first + node[above] : column_at(rows->root, row);
        if (parent < 0 || (above < 0 && parent >= (int64_t)rows->first) || key < 0 || key > INT32_MAX) {
            return PASS_BAD_INPUT;
        }
        if (pairs->count == pairs->room && !make_room(pairs)) {
            return PASS_NO_MEMORY;
        }
        const uint64_t pair = (uint64_t)parent << 32 | (uint64_t)key;
        const size_t slot = slot_of_pair(pairs, pairs->found, pair);
        if (pairs->slots[slot] == 0) {
            Found *found = &pairs->found[pairs->count];
            found->pair = pair;
            found->level = above >= 0 ? pairs->found[node[above]].level + 1 : 0;
            pairs->slots[slot] = (int32_t)++pairs->count;
        }
        node[row] = pairs->slots[slot] - 1;
    }
    return PASS_DONE;
}

/* One pair of a level by its final numbers, and its place among all. */
typedef struct {
    uint64_t pair;
    int32_t place;
} Numbered;

static int compare_numbered(const void *a, const void *b)
{
    const uint64_t one = ((const Numbered *)a)->pair, two = ((const Numbered *)b)->pair;
    return (one > two) - (one < two);
}

/* begin[i]: where level i begins among the places of all pairs by level, which are `places`. */
static void by_level(const Pairs *pairs, size_t levels, size_t *begin, int32_t *places)
{
    for (size_t i = 0; i < pairs->count; i++) {
        begin[(size_t)pairs->found[i].level + 1]++;
    }
    for (size_t level = 0; level < levels; level++) {
        begin[level + 1] += begin[level];
    }
    for (size_t i = 0; i < pairs->count; i++) {
        places[begin[pairs->found[i].level]++] = (int32_t)i;
    }
    for (size_t level = levels; level > 0; level--) {
        begin[level] = begin[level - 1]; /* each moved on to where the next begins */
    }
    begin[0] = 0;
}

/* Numbers the pairs of one level in the order of the node above and the key. */
static PassEnd number_level(const Rows *rows, Pairs *pairs, const int32_t *places, size_t count, Numbered *sorted,
                            Paths *paths)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t pair = pairs->found[places[i]].pair;
        const size_t parent = (size_t)(pair >> 32);
        const uint64_t final = parent < rows->first ? parent : (uint64_t)pairs->found[parent - rows->first].node;
        sorted[i].pair = final << 32 | (pair & UINT32_MAX);
        sorted[i].place = places[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_numbered);
    for (size_t i = 0; i < count; i++) {
        const size_t node = paths->count++;
        const size_t parent = (size_t)(sorted[i].pair >> 32);
        const int64_t depth = parent < rows->first ? column_at(rows->depth, parent) : paths->depth[parent - rows->first];
        if (depth < -1 || depth >= INT32_MAX) {
            return PASS_BAD_INPUT;
        }
        pairs->found[sorted[i].place].node = (int32_t)(rows->first + node);
        paths->parent[node] = (int32_t)parent;
        paths->key[node] = (int32_t)(sorted[i].pair & UINT32_MAX);
        paths->depth[node] = (int32_t)depth + 1;
    }
    return PASS_DONE;
}

static PassEnd number_pairs(const Rows *rows, Pairs *pairs, Paths *paths)
{
    size_t levels = 0, room = pairs->count == 0 ? 1 : pairs->count;
    for (size_t i = 0; i < pairs->count; i++) {
        levels = (size_t)pairs->found[i].level >= levels ? (size_t)pairs->found[i].level + 1 : levels;
    }
    size_t *begin = calloc(levels + 1, sizeof *begin);
    int32_t *places = malloc(room * sizeof *places);
    Numbered *sorted = malloc(room * sizeof *sorted);
    paths->parent = malloc(room * sizeof *paths->parent);
    paths->key = malloc(room * sizeof *paths->key);
    paths->depth = malloc(room * sizeof *paths->depth);
    PassEnd how = PASS_NO_MEMORY;
    if (begin && places && sorted && paths->parent && paths->key && paths->depth) {
        how = PASS_DONE;
        by_level(pairs, levels, begin, places);
        for (size_t level = 0; how == PASS_DONE && level < levels; level++) {
            how = number_level(rows, pairs, places + begin[level], begin[level + 1] - begin[level], sorted, paths);
        }
    }
    free(begin);
    free(places);
    free(sorted);
    return how;
}

PassEnd find_paths(const Rows *rows, Paths *paths)
{
    Pairs pairs = {NULL, 0, NULL, 0, 0};
    paths->parent = paths->key = paths->depth = NULL;
    paths->count = 0;
    if (rows->count > INT32_MAX || rows->first > INT32_MAX - rows->count) {
        return PASS_BAD_INPUT;
    }
    PassEnd how = PASS_NO_MEMORY;
    int8_t *used = calloc(rows->count == 0 ? 1 : rows->count, sizeof *used);
    if (used != NULL) {
        how = mark_used(rows, used) ? find_pairs(rows, used, &pairs, paths->node) : PASS_BAD_INPUT;
    }
    free(used);
    free(pairs.slots);
    if (how == PASS_DONE) {
        how = number_pairs(rows, &pairs, paths);
    }
    for (size_t row = 0; how == PASS_DONE && row < rows->count; row++) {
        paths->node[row] = paths->node[row] < 0 ? -1 : pairs.found[paths->node[row]].node;
    }
    free(pairs.found);
    return how;
}

void free_paths(Paths *paths)
{
    free(paths->parent);
    free(paths->key);
    free(paths->depth);
    paths->parent = paths->key = paths->depth = NULL;
    paths->count = 0;
}

/* -- values ------------------------------------------------------------------------------------------------------- */

PassEnd least_upwards(const Column *parent, int64_t *values, size_t count)
{
    for (size_t row = count; row-- > 0;) {
        const int64_t above = column_at(parent, row);
        if (above < -1 || above >= (int64_t)row) {
            return PASS_BAD_INPUT;
        }
        if (above >= 0 && values[row] < values[above]) {
            values[above] = values[row];
        }
    }
    return PASS_DONE;
}

/* -- cells -------------------------------------------------------------------------------------------------------- */

enum { NONE = -1 };

static bool add_cell(Cells *cells, int32_t row, int32_t column, int64_t value)
{
    if (cells->count == cells->room) {
        const size_t room = cells->room == 0 ? FIRST_NODES : cells->room + cells->room / 2;
        if (room > SIZE_MAX / sizeof *cells->value || room > INT32_MAX) {
            return false;
        }
        int32_t *rows = realloc(cells->row, room * sizeof *rows);
        cells->row = rows == NULL ? cells->row : rows;
        int32_t *columns = rows == NULL ? NULL : realloc(cells->column, room * sizeof *columns);
        cells->column = columns == NULL ? cells->column : columns;
        int64_t *values = columns == NULL ? NULL : realloc(cells->value, room * sizeof *values);
        if (values == NULL) {
            return false;
        }
        cells->value = values;
        cells->room = room;
    }
    cells->row[cells->count] = row;
    cells->column[cells->count] = column;
    cells->value[cells->count++] = value;
    return true;
}

void free_cells(Cells *cells)
{
    free(cells->row);
    free(cells->column);
    free(cells->value);
    cells->row = cells->column = NULL;
    cells->value = NULL;
    cells->count = cells->room = 0;
}

/* The cells that a row is given, as it is reached: those of its own, and the stretches of `cells` of the rows below. */
typedef struct {
    int32_t *own;     /* of each row: its last own cell, NONE */
    int32_t *before;  /* of each own cell: the one before of the same row */
    int32_t *below;   /* of each row: the last row right below with cells, NONE */
    int32_t *beside;  /* of each row: the one before with the same row above */
    int32_t *from;    /* of each row: where its cells begin */
    int32_t *to;      /* and where they end */
    int64_t *sum;     /* of each column */
    int32_t *touched; /* columns of this row */
    int8_t *is_touched;
} Gathering;

static void gather(Gathering *g, size_t *touched, int64_t column, int64_t value)
{
    if (!g->is_touched[column]) {
        g->is_touched[column] = 1;
        g->touched[(*touched)++] = (int32_t)column;
    }
    g->sum[column] = plus(g->sum[column], value);
}

static PassEnd gather_rows(Gathering *g, const Column *parent, size_t rows, const Column *column, const Column *value,
                           Cells *cells)
{
    for (size_t row = rows; row-- > 0;) {
        size_t touched = 0;
        for (int32_t i = g->own[row]; i != NONE; i = g->before[i]) {
            gather(g, &touched, column_at(column, (size_t)i), column_at(value, (size_t)i));
        }
        for (int32_t below = g->below[row]; below != NONE; below = g->beside[below]) {
            for (int32_t i = g->from[below]; i < g->to[below]; i++) {
                gather(g, &touched, cells->column[i], cells->value[i]);
            }
        }
        g->from[row] = (int32_t)cells->count;
        for (size_t i = 0; i < touched; i++) {
            const int32_t at = g->touched[i];
            if (!add_cell(cells, (int32_t)row, at, g->sum[at])) {
                return PASS_NO_MEMORY;
            }
            g->sum[at] = 0;
            g->is_touched[at] = 0;
        }
        g->to[row] = (int32_t)cells->count;
        const int64_t above = column_at(parent, row);
        if (above < -1 || above >= (int64_t)row) {
            return PASS_BAD_INPUT;
        }
        if (above >= 0 && touched > 0) {
            g->beside[row] = g->below[above];
            g->below[above] = (int32_t)row;
        }
    }
    return PASS_DONE;
}

PassEnd cells_upwards(const Column *parent, size_t rows, const Column *row, const Column *column, const Column *value,
                      size_t count, size_t width, Cells *cells)
{
    if (rows > INT32_MAX || count > INT32_MAX || width > INT32_MAX) {
        return PASS_BAD_INPUT;
    }
    Gathering g;
    const size_t room = rows + 1;
    g.own = malloc(room * sizeof *g.own);
    g.before = malloc((count + 1) * sizeof *g.before);
    g.below = malloc(room * sizeof *g.below);
    g.beside = malloc(room * sizeof *g.beside);
    g.from = malloc(room * sizeof *g.from);
    g.to = malloc(room * sizeof *g.to);
    g.sum = calloc(width + 1, sizeof *g.sum);
    g.touched = malloc((width + 1) * sizeof *g.touched);
    g.is_touched = calloc(width + 1, sizeof *g.is_touched);
    PassEnd how = PASS_NO_MEMORY;
    if (g.own && g.before && g.below && g.beside && g.from && g.to && g.sum && g.touched && g.is_touched) {
        how = PASS_DONE;
        for (size_t i = 0; i < rows; i++) {
            g.own[i] = g.below[i] = g.beside[i] = NONE;
        }
        for (size_t i = 0; i < count && how == PASS_DONE; i++) {
            const int64_t at = column_at(row, i), in = column_at(column, i);
            if (at < 0 || (uint64_t)at >= rows || in < 0 || (uint64_t)in >= width) {
                how = PASS_BAD_INPUT;
            } else {
                g.before[i] = g.own[at];
                g.own[at] = (int32_t)i;
            }
        }
        if (how == PASS_DONE) {
            how = gather_rows(&g, parent, rows, column, value, cells);
        }
    }
    free(g.own);
    free(g.before);
    free(g.below);
    free(g.beside);
    free(g.from);
    free(g.to);
    free(g.sum);
    free(g.touched);
    free(g.is_touched);
    return how;
}
