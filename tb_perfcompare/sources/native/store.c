#include "store.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256, FIRST_SLOTS = 512 };

bool array_reserve(Array *array, size_t more)
{
    size_t room = array->room < FIRST_ROOM ? FIRST_ROOM : array->room;
    if (more > SIZE_MAX - array->count) {
        return false;
    }
    while (room < array->count + more) {
        if (room > SIZE_MAX / 2) {
            return false;
        }
        room += room / 2; /* the allocator enlarges large blocks by moving pages; pages never written take no memory */
    }
    if (room == array->room) {
        return true;
    }
    if (room > SIZE_MAX / array->size) {
        return false;
    }
    void *items = realloc(array->items, room * array->size);
    if (items == NULL) {
        return false;
    }
    array->items = items;
    array->room = room;
    return true;
}

void array_fit(Array *array)
{
    if (array->count == 0) {
        array_free(array);
        return;
    }
    void *items = realloc(array->items, array->count * array->size);
    if (items != NULL) {
        array->items = items;
        array->room = array->count;
    }
}

void array_free(Array *array)
{
    free(array->items);
    array->items = NULL;
    array->count = array->room = 0;
}

/* Doubles a table if `used` + 1 entries fill more than half of it. */
static bool slots_reserve(Slots *slots, size_t used)
{
    if (used + 1 <= slots->count / 2) {
        return true;
    }
    if (used >= (size_t)INT32_MAX - 1 || slots->count > SIZE_MAX / sizeof(uint64_t) / 2) {
        return false;
    }
    const size_t larger = slots->count == 0 ? FIRST_SLOTS : slots->count * 2;
    uint64_t *fresh = calloc(larger, sizeof(uint64_t));
    if (fresh == NULL) {
        return false;
    }
    for (size_t i = 0; i < slots->count; i++) {
        if (slots->entries[i] != 0) {
            size_t slot = (size_t)(slots->entries[i] >> 32) & (larger - 1);
            while (fresh[slot] != 0) {
                slot = (slot + 1) & (larger - 1);
            }
            fresh[slot] = slots->entries[i];
        }
    }
    free(slots->entries);
    slots->entries = fresh;
    slots->count = larger;
    return true;
}

static void slots_free(Slots *slots)
{
    free(slots->entries);
    slots->entries = NULL;
    slots->count = 0;
}

static inline uint64_t slot_entry(uint32_t hash, size_t number)
{
    return (uint64_t)hash << 32 | ((uint64_t)number + 1);
}

/* The number in an entry if it has this hash, else NO_NUMBER. */
static inline int32_t slot_number(uint64_t entry, uint32_t hash)
{
    return (uint32_t)(entry >> 32) == hash ? (int32_t)((uint32_t)entry - 1) : NO_NUMBER;
}

static inline uint64_t stir(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 32;
}

/* -- texts --------------------------------------------------------------------------------------------------------- */

void texts_init(Texts *texts, uint64_t seed)
{
    const Texts empty = {
        .bytes = {.size = 1}, .ends = {.size = 8}, .kinds = {.size = 1}, .next = {.size = 4},
        .seed = seed,
    };
    *texts = empty;
}

void texts_close(Texts *texts)
{
    array_free(&texts->kinds);
    array_free(&texts->next);
    slots_free(&texts->slots);
}

void texts_free(Texts *texts)
{
    array_free(&texts->bytes);
    array_free(&texts->ends);
    texts_close(texts);
}

uint32_t texts_hash(const Texts *texts, Text at, size_t size)
{
    uint64_t hash = stir(texts->seed, size), tail = 0;
    if (size >= 8) {
        for (size_t i = 0; i + 8 <= size; i += 8) {
            hash = stir(hash, load64(at + i));
        }
        tail = load64(at + size - 8);
    } else if (size >= 4) {
        tail = (uint64_t)load32(at) << 32 | load32(at + size - 4);
    } else {
        for (size_t i = 0; i < size; i++) {
            tail = tail << 8 | at[i];
        }
    }
    return (uint32_t)stir(stir(hash, tail), texts->seed);
}

int32_t texts_intern(Texts *texts, Text at, size_t size, uint32_t hash, uint8_t kind)
{
    if (!slots_reserve(&texts->slots, texts->ends.count)) {
        return NO_ROOM;
    }
    uint64_t *entries = texts->slots.entries;
    const size_t mask = texts->slots.count - 1;
    size_t slot = hash & mask;
    for (; entries[slot] != 0; slot = (slot + 1) & mask) {
        const int32_t number = slot_number(entries[slot], hash);
        if (number >= 0) {
            const int64_t *ends = texts->ends.items;
            const size_t start = number == 0 ? 0 : (size_t)ends[number - 1];
            if ((size_t)ends[number] - start == size && same_bytes((Text)texts->bytes.items + start, at, size)) {
                return number;
            }
        }
    }
    if (!array_reserve(&texts->bytes, size) || !array_has_room(&texts->ends) || !array_has_room(&texts->kinds) ||
        !array_has_room(&texts->next)) {
        return NO_ROOM;
    }
    memcpy((uint8_t *)texts->bytes.items + texts->bytes.count, at, size);
    texts->bytes.count += size;
    put_int64(&texts->ends, (int64_t)texts->bytes.count);
    put_byte(&texts->kinds, kind);
    put_int32(&texts->next, NO_NUMBER);
    entries[slot] = slot_entry(hash, texts->ends.count - 1);
    return (int32_t)texts->ends.count - 1;
}

/* -- pairs --------------------------------------------------------------------------------------------------------- */

void pairs_init(Pairs *pairs, uint64_t seed)
{
    const Pairs empty = {.firsts = {.size = 4}, .seconds = {.size = 4}, .seed = seed};
    *pairs = empty;
}

void pairs_free(Pairs *pairs)
{
    array_free(&pairs->firsts);
    array_free(&pairs->seconds);
    slots_free(&pairs->slots);
}

/* Mixes the seed with the first number before the second, so that pairs of equal numbers are spread as well as others. */
static uint32_t hash_pair(uint64_t seed, int32_t first, int32_t second)
{
    return (uint32_t)stir(stir(seed, (uint32_t)first), (uint32_t)second);
}

static bool is_pair(const Pairs *pairs, int32_t number, int32_t first, int32_t second)
{
    return ((const int32_t *)pairs->firsts.items)[number] == first &&
           ((const int32_t *)pairs->seconds.items)[number] == second;
}

int32_t pairs_number(Pairs *pairs, int32_t first, int32_t second)
{
    if (pairs->firsts.count > 0 && is_pair(pairs, pairs->latest, first, second)) {
        return pairs->latest;
    }
    if (!slots_reserve(&pairs->slots, pairs->firsts.count)) {
        return NO_ROOM;
    }
    const uint32_t hash = hash_pair(pairs->seed, first, second);
    uint64_t *entries = pairs->slots.entries;
    const size_t mask = pairs->slots.count - 1;
    size_t slot = hash & mask;
    for (; entries[slot] != 0; slot = (slot + 1) & mask) {
        const int32_t number = slot_number(entries[slot], hash);
        if (number >= 0 && is_pair(pairs, number, first, second)) {
            pairs->latest = number;
            return number;
        }
    }
    if (!array_has_room(&pairs->firsts) || !array_has_room(&pairs->seconds)) {
        return NO_ROOM;
    }
    put_int32(&pairs->firsts, first);
    put_int32(&pairs->seconds, second);
    entries[slot] = slot_entry(hash, pairs->firsts.count - 1);
    pairs->latest = (int32_t)pairs->firsts.count - 1;
    return pairs->latest;
}
