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
        room += room / 4; /* large blocks are enlarged by moving pages, so little room ahead is enough */
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

void array_free(Array *array)
{
    free(array->items);
    array->items = NULL;
    array->count = array->room = 0;
}

/* Doubles a table of slots while it is more than half full. `hash_of` gives the hash of entry i of `owner`. */
static bool make_slots(uint32_t **slots, size_t *slot_count, size_t count, const void *owner,
                       uint64_t (*hash_of)(const void *owner, size_t entry))
{
    if (count + 1 <= *slot_count / 2) {
        return true;
    }
    if (count >= (size_t)INT32_MAX - 1 || *slot_count > SIZE_MAX / sizeof(uint32_t) / 2) {
        return false;
    }
    const size_t larger = *slot_count == 0 ? FIRST_SLOTS : *slot_count * 2;
    uint32_t *fresh = calloc(larger, sizeof(uint32_t));
    if (fresh == NULL) {
        return false;
    }
    for (size_t entry = 0; entry < count; entry++) {
        size_t slot = (size_t)hash_of(owner, entry) & (larger - 1);
        while (fresh[slot] != 0) {
            slot = (slot + 1) & (larger - 1);
        }
        fresh[slot] = (uint32_t)entry + 1;
    }
    free(*slots);
    *slots = fresh;
    *slot_count = larger;
    return true;
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
        .bytes = {.size = 1}, .ends = {.size = 8}, .hashes = {.size = 4}, .kinds = {.size = 1}, .next = {.size = 4},
        .seed = seed,
    };
    *texts = empty;
}

void texts_free(Texts *texts)
{
    array_free(&texts->bytes);
    array_free(&texts->ends);
    array_free(&texts->hashes);
    array_free(&texts->kinds);
    array_free(&texts->next);
    free(texts->slots);
    texts->slots = NULL;
    texts->slot_count = 0;
}

static uint32_t hash_text(uint64_t seed, Text at, size_t size)
{
    uint64_t hash = stir(seed, size), tail = 0;
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
    return (uint32_t)stir(stir(hash, tail), seed);
}

static uint64_t hash_of_text(const void *owner, size_t entry)
{
    const Texts *texts = owner;
    return ((const uint32_t *)texts->hashes.items)[entry];
}

int32_t texts_intern(Texts *texts, Text at, size_t size, uint8_t kind)
{
    if (!make_slots(&texts->slots, &texts->slot_count, texts->ends.count, texts, hash_of_text)) {
        return NO_ROOM;
    }
    const uint32_t hash = hash_text(texts->seed, at, size);
    const size_t mask = texts->slot_count - 1;
    size_t slot = hash & mask;
    for (; texts->slots[slot] != 0; slot = (slot + 1) & mask) {
        const uint32_t number = texts->slots[slot] - 1;
        if (((const uint32_t *)texts->hashes.items)[number] == hash) {
            const int64_t *ends = texts->ends.items;
            const size_t start = number == 0 ? 0 : (size_t)ends[number - 1];
            if ((size_t)ends[number] - start == size && same_bytes((Text)texts->bytes.items + start, at, size)) {
                return (int32_t)number;
            }
        }
    }
    if (!array_reserve(&texts->bytes, size) || !array_has_room(&texts->ends) || !array_has_room(&texts->hashes) ||
        !array_has_room(&texts->kinds) || !array_has_room(&texts->next)) {
        return NO_ROOM;
    }
    memcpy((uint8_t *)texts->bytes.items + texts->bytes.count, at, size);
    texts->bytes.count += size;
    put_int64(&texts->ends, (int64_t)texts->bytes.count);
    put_int32(&texts->hashes, (int32_t)hash);
    put_byte(&texts->kinds, kind);
    put_int32(&texts->next, NO_NUMBER);
    texts->slots[slot] = (uint32_t)texts->ends.count;
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
    free(pairs->slots);
    pairs->slots = NULL;
    pairs->slot_count = 0;
}

/* A pair of equal numbers is as good as any other: the seed lies under the first before the second is laid on it. */
static uint64_t hash_pair(uint64_t seed, int32_t first, int32_t second)
{
    return stir(stir(seed, (uint32_t)first), (uint32_t)second);
}

static uint64_t hash_of_pair(const void *owner, size_t entry)
{
    const Pairs *pairs = owner;
    return hash_pair(pairs->seed, ((const int32_t *)pairs->firsts.items)[entry],
                     ((const int32_t *)pairs->seconds.items)[entry]);
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
    if (!make_slots(&pairs->slots, &pairs->slot_count, pairs->firsts.count, pairs, hash_of_pair)) {
        return NO_ROOM;
    }
    const size_t mask = pairs->slot_count - 1;
    size_t slot = (size_t)hash_pair(pairs->seed, first, second) & mask;
    for (; pairs->slots[slot] != 0; slot = (slot + 1) & mask) {
        const int32_t number = (int32_t)(pairs->slots[slot] - 1);
        if (is_pair(pairs, number, first, second)) {
            pairs->latest = number;
            return number;
        }
    }
    if (!array_has_room(&pairs->firsts) || !array_has_room(&pairs->seconds)) {
        return NO_ROOM;
    }
    put_int32(&pairs->firsts, first);
    put_int32(&pairs->seconds, second);
    pairs->slots[slot] = (uint32_t)pairs->firsts.count;
    pairs->latest = (int32_t)pairs->firsts.count - 1;
    return pairs->latest;
}
