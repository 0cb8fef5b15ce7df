#include "order.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHORT = 20,           /* up to this many items are sorted by insertion */
    FAR = 64,             /* items this far apart are seldom out of order */
    FEW_LATE = 8,         /* if one in this many is, items are distributed by time instead of merged */
    MAX_PARTS = 1 << 12, /* at once, so that their counts fit into the cache */
};

/* Temporary storage for merging; grows as needed. */
typedef struct {
    Item *items;
    size_t room;
} Aside;

static int64_t tie_of(const Tie *tie, int32_t row)
{
    return tie->values[tie->codes == NULL ? row : tie->codes[row]];
}

static bool comes_before(const Item *a, const Item *b, const Keys *keys)
{
    if (a->first != b->first) {
        return a->first < b->first;
    }
    const int64_t second_a = keys->second[a->row], second_b = keys->second[b->row];
    if (second_a != second_b) {
        return second_a > second_b;
    }
    for (size_t i = 0; i < keys->tie_count; i++) {
        const int64_t tie_a = tie_of(&keys->ties[i], a->row), tie_b = tie_of(&keys->ties[i], b->row);
        if (tie_a != tie_b) {
            return tie_a < tie_b;
        }
    }
    return a->row < b->row;
}

static void sort_by_insertion(Item *items, size_t count, const Keys *keys)
{
    for (size_t i = 1; i < count; i++) {
        const Item item = items[i];
        size_t place = i;
        while (place > 0 && comes_before(&item, &items[place - 1], keys)) {
            items[place] = items[place - 1];
            place--;
        }
        items[place] = item;
    }
}

/* Number of the sorted items that come before `item`. */
static size_t count_before(const Item *items, size_t count, const Item *item, const Keys *keys)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (comes_before(&items[middle], item, keys)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Merges items[:half] and items[half:count], both in order. */
static bool merge(Item *items, size_t half, size_t count, const Keys *keys, Aside *aside)
{
    /* items already in place are skipped: parts of a trace overlap little */
    const size_t settled = count_before(items, half, &items[half], keys);
    Item *const left = items + settled;
    const size_t lefts = half - settled;
    if (lefts > aside->room) {
        const size_t room = lefts + lefts / 2;
        if (room > SIZE_MAX / sizeof(Item)) {
            return false;
        }
        Item *larger = realloc(aside->items, room * sizeof(Item));
        if (larger == NULL) {
            return false;
        }
        aside->items = larger;
        aside->room = room;
    }
    memcpy(aside->items, left, lefts * sizeof(Item));
    const Item *a = aside->items, *const a_end = a + lefts;
    const Item *b = items + half, *const b_end = items + count;
    Item *to = left;
    while (a < a_end && b < b_end) {
        if (comes_before(b, a, keys)) {
            *to++ = *b++;
        } else {
            *to++ = *a++;
        }
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof(Item)); /* the rest of b is in place */
    return true;
}

/* The recursion depth is logarithmic in the count. */
static bool sort_part(Item *items, size_t count, const Keys *keys, Aside *aside)
{
    if (count <= SHORT) {
        sort_by_insertion(items, count, keys);
        return true;
    }
    const size_t half = count / 2;
    if (!sort_part(items, half, keys, aside) || !sort_part(items + half, count - half, keys, aside)) {
        return false;
    }
    return comes_before(&items[half - 1], &items[half], keys) || merge(items, half, count, keys, aside);
}

/* Whether many items belong far in front of their position, so that merging would move items repeatedly. Events that a
   trace lists in order of their ends are close to their position. */
static bool is_in_disorder(const Item *items, size_t count)
{
    size_t late = 0;
    for (size_t i = FAR; i < count; i++) {
        late += items[i].first < items[i - FAR].first;
    }
    return late > count / FEW_LATE;
}

/* Distributes items into parts by their first key, linearly between the smallest and the largest, then sorts the parts.
   `other` has room for `count` items. The smallest and the largest never share a part, and a part's range is at most a
   thirtieth of the whole, so the recursion ends and is shallow. */
static bool sort_spread(Item *items, Item *other, size_t count, const Keys *keys, Aside *aside)
{
    if (!is_in_disorder(items, count)) {
        return sort_part(items, count, keys, aside);
    }
    int64_t low = items[0].first, high = items[0].first;
    for (size_t i = 1; i < count; i++) {
        low = items[i].first < low ? items[i].first : low;
        high = items[i].first > high ? items[i].first : high;
    }
    size_t parts = 2;
    while (parts < MAX_PARTS && parts < count / 2) {
        parts *= 2;
    }
    int shift = 0;
    while (((uint64_t)high - (uint64_t)low) >> shift >= parts) {
        shift++;
    }
    size_t *begin = calloc(parts + 1, sizeof *begin);
    if (begin == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        begin[(((uint64_t)items[i].first - (uint64_t)low) >> shift) + 1]++;
    }
    for (size_t part = 0; part < parts; part++) {
        begin[part + 1] += begin[part];
    }
    for (size_t i = 0; i < count; i++) {
        other[begin[((uint64_t)items[i].first - (uint64_t)low) >> shift]++] = items[i];
    }
    memcpy(items, other, count * sizeof(Item));
    bool done = true;
    size_t from = 0;
    for (size_t part = 0; done && part < parts; part++) { /* each has advanced to the start of the next part */
        const size_t many = begin[part] - from;
        if (many > 1) {
            done = sort_spread(items + from, other, many, keys, aside);
        }
        from = begin[part];
    }
    free(begin);
    return done;
}

bool sort_items(Item *items, size_t count, const Keys *keys)
{
    Aside aside = {NULL, 0};
    const size_t size = count * sizeof(Item);
    Item *other = is_in_disorder(items, count) ? in_large_pages(malloc(size), size) : NULL;
    const bool done =
        other == NULL ? sort_part(items, count, keys, &aside) : sort_spread(items, other, count, keys, &aside);
    free(other);
    free(aside.items);
    return done;
}

PassEnd order_rows(const Keys *keys, size_t count, int32_t *order)
{
    if (count > INT32_MAX || count > SIZE_MAX / sizeof(Item)) {
        return PASS_BAD_INPUT;
    }
    const size_t size = count == 0 ? 1 : count * sizeof(Item);
    Item *items = in_large_pages(malloc(size), size);
    for (size_t row = 0; items != NULL && row < count; row++) {
        items[row].first = keys->first[row];
        items[row].row = (int32_t)row;
        items[row].note = 0;
    }
    const bool done = items != NULL && sort_items(items, count, keys);
    for (size_t i = 0; done && i < count; i++) {
        order[i] = items[i].row;
    }
    free(items);
    return done ? PASS_DONE : PASS_NO_MEMORY;
}
