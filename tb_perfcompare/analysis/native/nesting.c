#include "nesting.h"

#include "memory.h"

#include <stdlib.h>

static inline int32_t row_of(const Spans *spans, size_t i)
{
    return spans->rows == NULL ? (int32_t)i : spans->rows[i];
}

/* Groups rows by lane and sets first[i] to where lane i begins. NULL if out of memory or if a lane is out of range. */
static Item *group_by_lane(const Spans *spans, size_t *first, PassEnd *how)
{
    const size_t size = spans->count == 0 ? 1 : spans->count * sizeof(Item);
    Item *items = in_large_pages(malloc(size), size);
    *how = items == NULL ? PASS_NO_MEMORY : PASS_DONE;
    if (items == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < spans->count; i++) {
        const int32_t row = row_of(spans, i);
        const bool is_row = row >= 0 && (size_t)row < spans->length;
        const int32_t lane = is_row ? spans->lane[row] : -1;
        if (lane < 0 || (size_t)lane >= spans->lanes) {
            *how = PASS_BAD_INPUT;
            free(items);
            return NULL;
        }
        first[lane]++;
    }
    size_t behind = 0;
    for (size_t lane = 0; lane <= spans->lanes; lane++) {
        const size_t many = first[lane];
        first[lane] = behind;
        behind += many;
    }
    for (size_t i = 0; i < spans->count; i++) {
        const int32_t row = row_of(spans, i);
        Item *item = &items[first[spans->lane[row]]++];
        item->first = spans->keys.first[row];
        item->row = row;
        item->note = 0;
    }
    for (size_t lane = spans->lanes; lane > 0; lane--) {
        first[lane] = first[lane - 1]; /* each has advanced to the start of the next lane */
    }
    first[0] = 0;
    return items;
}

PassEnd order_spans(const Spans *spans, int32_t *order)
{
    PassEnd how = PASS_NO_MEMORY;
    if (spans->count > INT32_MAX || spans->length > INT32_MAX || spans->lanes > INT32_MAX || spans->count > SIZE_MAX / sizeof(Item)) {
        return PASS_BAD_INPUT;
    }
    size_t *first = calloc(spans->lanes + 1, sizeof *first);
    Item *items = first == NULL ? NULL : group_by_lane(spans, first, &how);
    for (size_t lane = 0; items != NULL && how == PASS_DONE && lane < spans->lanes; lane++) {
        if (!sort_items(items + first[lane], first[lane + 1] - first[lane], &spans->keys)) {
            how = PASS_NO_MEMORY;
        }
    }
    for (size_t i = 0; how == PASS_DONE && i < spans->count; i++) {
        order[i] = items[i].row;
    }
    free(items);
    free(first);
    return how;
}

void nest_spans(const Spans *spans, Forest *forest)
{
    int32_t top = -1; /* the latest span that may be open; its ancestors are open as well */
    int32_t lane = -1;
    forest->clipped = 0;
    for (size_t i = 0; i < spans->count; i++) {
        const int32_t row = forest->order[i];
        const int64_t start = spans->keys.first[row];
        int64_t end = plus(start, spans->keys.second[row]);
        if (spans->lane[row] != lane) {
            lane = spans->lane[row];
            top = -1;
        }
        while (top >= 0 && forest->end[top] <= start) {
            top = forest->parent[top];
        }
        forest->parent[i] = top;
        forest->depth[i] = top < 0 ? 0 : forest->depth[top] + 1;
        forest->inside[i] = 0;
        if (top >= 0) {
            if (end > forest->end[top]) {
                end = forest->end[top];
                forest->clipped++;
            }
            forest->inside[top] = plus(forest->inside[top], minus(end, start));
        }
        forest->end[i] = end;
        top = (int32_t)i;
    }
}

/* Sets first[i] to the first row of lane i, or of the next lane with rows. False if rows are invalid. */
static bool find_lanes(const Nodes *nodes, size_t *first)
{
    for (size_t row = 0, lane = 0; row < nodes->count; row++) {
        const int32_t here = nodes->lane[row];
        if (here < 0 || (size_t)here >= nodes->lanes || column_at(&nodes->parent, row) < -1 ||
            column_at(&nodes->parent, row) >= (int64_t)row ||
            (row > 0 && (here < nodes->lane[row - 1] ||
                         (here == nodes->lane[row - 1] && nodes->start[row] < nodes->start[row - 1])))) {
            return false;
        }
        while (lane <= (size_t)here) {
            first[lane++] = row;
        }
        if (row + 1 == nodes->count) {
            while (lane <= nodes->lanes) {
                first[lane++] = nodes->count;
            }
        }
    }
    return true;
}

/* Index of the first of the ascending start[low:high] later than `at`, or high. Searches around `guess` first. */
static size_t first_later(const int64_t *start, size_t low, size_t high, size_t guess, int64_t at)
{
    size_t step = 1;
    if (guess < high && start[guess] <= at) {
        low = guess + 1;
        while (high - low > step && start[low + step] <= at) {
            low += step + 1;
            step *= 2;
        }
        if (high - low > step) {
            high = low + step;
        }
    } else {
        high = guess < high ? guess : high;
        while (high - low > step && start[high - step] > at) {
            high -= step;
            step *= 2;
        }
        if (high - low > step) {
            low = high - step;
        }
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (start[middle] <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

PassEnd find_innermost(const Nodes *nodes, const int32_t *lane, const int64_t *at, size_t count, int32_t *found)
{
    if (nodes->lanes > INT32_MAX || nodes->count > INT32_MAX) {
        return PASS_BAD_INPUT;
    }
    size_t *first = calloc(nodes->lanes + 1, sizeof *first);
    size_t *latest = calloc(nodes->lanes + 1, sizeof *latest); /* result of the lane's previous query */
    PassEnd how = PASS_NO_MEMORY;
    if (first != NULL && latest != NULL) {
        how = find_lanes(nodes, first) ? PASS_DONE : PASS_BAD_INPUT;
    }
    for (size_t i = 0; how == PASS_DONE && i < count; i++) {
        found[i] = -1;
        if (lane[i] < 0 || (size_t)lane[i] >= nodes->lanes) {
            continue;
        }
        const size_t low = first[lane[i]], high = first[lane[i] + 1];
        if (low == high) {
            continue;
        }
        const size_t guess = latest[lane[i]] < low ? low : latest[lane[i]];
        const size_t later = first_later(nodes->start, low, high, guess, at[i]);
        latest[lane[i]] = later;
        int64_t node = later == low ? -1 : (int64_t)later - 1;
        while (node >= 0 && nodes->end[node] <= at[i]) {
            node = column_at(&nodes->parent, (size_t)node);
        }
        found[i] = (int32_t)node;
    }
    free(first);
    free(latest);
    return how;
}

PassEnd gather_upwards(const Column *parent, bool least, int64_t *values, size_t count)
{
    for (size_t row = count; row-- > 0;) {
        const int64_t above = column_at(parent, row);
        if (above < -1 || above >= (int64_t)row) {
            return PASS_BAD_INPUT;
        }
        if (above >= 0 && !least) {
            values[above] = plus(values[above], values[row]);
        } else if (above >= 0 && values[row] < values[above]) {
            values[above] = values[row];
        }
    }
    return PASS_DONE;
}
