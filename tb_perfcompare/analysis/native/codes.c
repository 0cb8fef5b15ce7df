#include "codes.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_TABLE = 1 << 16, PLACES_PER_ROW = 1, FIRST_SLOTS = 1 << 10 };

/* The largest first number that a code in range has: a division per row takes longer than all else. */
static int64_t last_first(const Codes *codes)
{
    return (codes->size - 1) / codes->width;
}

/* The code of a row; below 0 where it is out of range. */
static inline int64_t code_at(const Codes *codes, int64_t last, size_t i)
{
    const int64_t first = column_at(codes->first, i);
    if (codes->second == NULL) {
        return first < codes->size ? first : -1;
    }
    const int64_t second = column_at(codes->second, i);
    if (first < 0 || second < 0 || second >= codes->width || first > last) {
        return -1;
    }
    const uint64_t code = (uint64_t)first * (uint64_t)codes->width + (uint64_t)second;
    return code < (uint64_t)codes->size ? (int64_t)code : -1;
}

/* -- few possible codes: a table of all ----------------------------------------------------------------------------- */

static PassEnd by_table(const Codes *codes, int32_t *place, int64_t **found, size_t *many)
{
    const size_t size = (size_t)codes->size;
    const int64_t last = last_first(codes);
    int32_t *number = calloc(size, sizeof *number);
    if (number == NULL) {
        return PASS_NO_MEMORY;
    }
    size_t used = 0;
    for (size_t i = 0; i < codes->count; i++) {
        const int64_t code = code_at(codes, last, i);
        if (code < 0) {
            free(number);
            return PASS_BAD_INPUT;
        }
        place[i] = (int32_t)code; /* tables are no larger than an int32 can number */
        used += number[code] == 0;
        number[code] = 1;
    }
    int64_t *all = malloc((used == 0 ? 1 : used) * sizeof *all);
    if (all == NULL) {
        free(number);
        return PASS_NO_MEMORY;
    }
    size_t next = 0;
    for (size_t code = 0; next < used; code++) {
        if (number[code] != 0) {
            all[next] = (int64_t)code;
            number[code] = (int32_t)next++;
        }
    }
    for (size_t i = 0; i < codes->count; i++) {
        place[i] = number[place[i]];
    }
    free(number);
    *found = all;
    *many = used;
    return PASS_DONE;
}

/* -- many possible codes: a hash of those that occur ------------------------------------------------------------------ */

typedef struct {
    int64_t code;
    int32_t number;
} Known;

typedef struct {
    int32_t *slots; /* one more than the place in `known`, 0 for none */
    size_t mask;
    Known *known;
    size_t count;
    size_t room;
} Hash;

static size_t slot_of(const Hash *hash, int64_t code)
{
    size_t slot = (size_t)((uint64_t)code * UINT64_C(0x9E3779B97F4A7C15) >> 20) & hash->mask;
    while (hash->slots[slot] != 0 && hash->known[hash->slots[slot] - 1].code != code) {
        slot = (slot + 1) & hash->mask;
    }
    return slot;
}

/* Room for twice as many. */
static bool grow(Hash *hash)
{
    const size_t room = hash->room == 0 ? FIRST_SLOTS / 2 : hash->room * 2;
    if (room > SIZE_MAX / sizeof(Known)) {
        return false;
    }
    Known *known = realloc(hash->known, room * sizeof *known);
    if (known == NULL) {
        return false;
    }
    hash->known = known;
    int32_t *slots = calloc(room * 2, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(hash->slots);
    hash->slots = slots;
    hash->room = room;
    hash->mask = room * 2 - 1;
    for (size_t i = 0; i < hash->count; i++) {
        slots[slot_of(hash, known[i].code)] = (int32_t)(i + 1);
    }
    return true;
}

static int compare_known(const void *a, const void *b)
{
    const int64_t one = ((const Known *)a)->code, two = ((const Known *)b)->code;
    return (one > two) - (one < two);
}

static PassEnd fill(Hash *hash, const Codes *codes, int32_t *place)
{
    const int64_t last = last_first(codes);
    int64_t latest = -1;
    int32_t number = 0;
    for (size_t i = 0; i < codes->count; i++) {
        const int64_t code = code_at(codes, last, i);
        if (code < 0) {
            return PASS_BAD_INPUT;
        }
        if (code != latest) {
            if (hash->count == hash->room && !grow(hash)) {
                return PASS_NO_MEMORY;
            }
            const size_t slot = slot_of(hash, code);
            if (hash->slots[slot] == 0) {
                hash->known[hash->count].code = code;
                hash->known[hash->count].number = (int32_t)hash->count;
                hash->slots[slot] = (int32_t)++hash->count;
            }
            number = hash->slots[slot] - 1;
            latest = code;
        }
        place[i] = number;
    }
    return PASS_DONE;
}

static PassEnd by_hash(const Codes *codes, int32_t *place, int64_t **found, size_t *many)
{
    Hash hash = {NULL, 0, NULL, 0, 0};
    PassEnd how = fill(&hash, codes, place);
    free(hash.slots);
    int64_t *all = how == PASS_DONE ? malloc((hash.count == 0 ? 1 : hash.count) * sizeof *all) : NULL;
    int32_t *number = all == NULL ? NULL : malloc((hash.count == 0 ? 1 : hash.count) * sizeof *number);
    if (how == PASS_DONE && number == NULL) {
        how = PASS_NO_MEMORY;
    }
    if (how != PASS_DONE) {
        free(all);
        free(hash.known);
        return how;
    }
    if (hash.count > 0) {
        qsort(hash.known, hash.count, sizeof *hash.known, compare_known);
    }
    for (size_t i = 0; i < hash.count; i++) {
        all[i] = hash.known[i].code;
        number[hash.known[i].number] = (int32_t)i;
    }
    for (size_t i = 0; i < codes->count; i++) {
        place[i] = number[place[i]];
    }
    free(number);
    *found = all;
    *many = hash.count;
    free(hash.known);
    return PASS_DONE;
}

PassEnd distinct_codes(const Codes *codes, int32_t *place, int64_t **found, size_t *many)
{
    if (codes->count > INT32_MAX || codes->size < (codes->count > 0) || codes->width < 1) {
        return PASS_BAD_INPUT;
    }
    const bool is_small = codes->size <= SMALL_TABLE || (uint64_t)codes->size / PLACES_PER_ROW <= codes->count;
    return is_small && codes->size <= INT32_MAX && codes->size > 0 ? by_table(codes, place, found, many)
                                                                   : by_hash(codes, place, found, many);
}

/* -- sums ----------------------------------------------------------------------------------------------------------- */

enum { AT_ONCE = 1024, NOTHING = -1 };

/* Values of so many rows from `from` on; where an index is below zero, row[i] is NOTHING and the value any number. False
   where one is out of range. */
static bool choose(const Chosen *chosen, size_t from, size_t count, int64_t *values, int64_t *row)
{
    if (chosen->values == NULL) {
        for (size_t i = 0; i < count; i++) {
            values[i] = chosen->same;
        }
        return true;
    }
    if (chosen->at == NULL) {
        if (chosen->values->narrow != NULL) {
            for (size_t i = 0; i < count; i++) {
                values[i] = chosen->values->narrow[from + i];
            }
        } else {
            memcpy(values, chosen->values->wide + from, count * sizeof *values);
        }
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t at = column_at(chosen->at, from + i);
        if (at >= 0 && (uint64_t)at < chosen->length) {
            values[i] = column_at(chosen->values, (size_t)at);
        } else if (at < 0) {
            values[i] = 0;
            row[i] = NOTHING;
        } else {
            return false;
        }
    }
    return true;
}

PassEnd add_up(const Addends *addends, int64_t *sums, size_t size)
{
    int64_t row[AT_ONCE], column[AT_ONCE], value[AT_ONCE];
    const int64_t width = addends->width;
    if (width < 1 || (uint64_t)size > INT64_MAX) {
        return PASS_BAD_INPUT;
    }
    const int64_t rows = (int64_t)size / width;
    for (size_t from = 0; from < addends->count; from += AT_ONCE) {
        const size_t count = addends->count - from < AT_ONCE ? addends->count - from : AT_ONCE;
        if (!choose(&addends->row, from, count, row, row) || !choose(&addends->column, from, count, column, row) ||
            !choose(&addends->value, from, count, value, row)) {
            return PASS_BAD_INPUT;
        }
        for (size_t i = 0; i < count; i++) {
            if (row[i] < 0 || column[i] < 0) {
                continue;
            }
            if (row[i] >= rows || column[i] >= width) {
                return PASS_BAD_INPUT;
            }
            int64_t *sum = &sums[row[i] * width + column[i]];
            *sum = plus(*sum, value[i]);
        }
    }
    return PASS_DONE;
}

/* -- values at indices ------------------------------------------------------------------------------------------------ */

/* The place that an index means, those below zero from the end; beyond the values where it is out of range. */
static inline size_t place_at(const Column *at, size_t i, size_t length)
{
    const int64_t place = column_at(at, i);
    return place < 0 ? (size_t)place + length : (size_t)place;
}

static bool take_bytes(const int8_t *values, size_t length, const Column *at, size_t count, int8_t *found)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_at(at, i, length);
        if (place >= length) {
            return false;
        }
        found[i] = values[place];
    }
    return true;
}

static bool take_narrow(const int32_t *values, size_t length, const Column *at, size_t count, int32_t *found)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_at(at, i, length);
        if (place >= length) {
            return false;
        }
        found[i] = values[place];
    }
    return true;
}

static bool take_wide(const int64_t *values, size_t length, const Column *at, size_t count, int64_t *found)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_at(at, i, length);
        if (place >= length) {
            return false;
        }
        found[i] = values[place];
    }
    return true;
}

PassEnd take(const void *values, size_t size, size_t length, const Column *at, size_t count, void *found)
{
    bool is_in = false;
    if (size == sizeof(int8_t)) {
        is_in = take_bytes(values, length, at, count, found);
    } else if (size == sizeof(int32_t)) {
        is_in = take_narrow(values, length, at, count, found);
    } else if (size == sizeof(int64_t)) {
        is_in = take_wide(values, length, at, count, found);
    }
    return is_in ? PASS_DONE : PASS_BAD_INPUT;
}
