/* Data structures that grow while a trace is scanned: arrays, interned texts, numbered pairs. Every call that allocates
   reports failure; the previous contents are then unchanged. */
#ifndef TB_PERFCOMPARE_STORE_H
#define TB_PERFCOMPARE_STORE_H

#include "bytes.h"

/* `count` items of `size` bytes each, room for `room` of them. */
typedef struct {
    void *items;
    size_t count;
    size_t room;
    size_t size;
} Array;

/* Reserves room for `more` items after those in use. */
bool array_reserve(Array *array, size_t more);

/* Frees unused room. */
void array_fit(Array *array);
void array_free(Array *array);

static inline bool array_has_room(Array *array)
{
    return array->count < array->room || array_reserve(array, 1);
}

/* Appends an item; there must be room. */
static inline void put_int64(Array *array, int64_t value)
{
    ((int64_t *)array->items)[array->count++] = value;
}

static inline void put_int32(Array *array, int32_t value)
{
    ((int32_t *)array->items)[array->count++] = value;
}

static inline void put_byte(Array *array, uint8_t value)
{
    ((uint8_t *)array->items)[array->count++] = value;
}

enum { NO_NUMBER = -1, NO_ROOM = -2 };

/* A hash table with open addressing: an entry is the hash in the high half and number + 1 in the low half, 0 for a free
   slot. Storing the hash makes a search read one location, and enlarging read nothing else. */
typedef struct {
    uint64_t *entries;
    size_t count; /* a power of two, or 0 */
} Slots;

/* Distinct texts, numbered in order of first appearance. */
typedef struct {
    Array bytes; /* uint8, all texts concatenated */
    Array ends;  /* int64, text i is bytes[ends[i - 1]:ends[i]] */
    Array kinds; /* uint8, given by the caller when a text is new */
    Array next;  /* int32, the text that last followed this one, NO_NUMBER for none: a guess for next time */
    Slots slots;
    uint64_t seed;
} Texts;

void texts_init(Texts *texts, uint64_t seed);
void texts_free(Texts *texts);

/* Frees what is needed only to find texts. */
void texts_close(Texts *texts);

/* The hash for texts_intern. Computed early, it lets slots_fetch load the table's cache line in advance. */
uint32_t texts_hash(const Texts *texts, Text at, size_t size);

static inline void slots_fetch(const Slots *slots, uint32_t hash)
{
    if (slots->count > 0) {
        FETCH(slots->entries + (hash & (slots->count - 1)));
    }
}

/* The number of a text, NO_ROOM if it is new and memory is exhausted. */
int32_t texts_intern(Texts *texts, Text at, size_t size, uint32_t hash, uint8_t kind);

/* The size of text `number` if the `size` bytes at `at` start with it, else 0. */
static inline size_t text_ahead(const Texts *texts, int32_t number, Text at, size_t size)
{
    const int64_t *ends = texts->ends.items;
    const size_t start = number == 0 ? 0 : (size_t)ends[number - 1];
    const size_t length = (size_t)ends[number] - start;
    return length <= size && same_bytes((Text)texts->bytes.items + start, at, length) ? length : 0;
}

/* Distinct pairs of text numbers (NO_NUMBER: no text), numbered in order of first appearance. */
typedef struct {
    Array firsts;  /* int32 */
    Array seconds; /* int32 */
    Slots slots;
    int32_t latest; /* the pair looked up last */
    uint64_t seed;
} Pairs;

void pairs_init(Pairs *pairs, uint64_t seed);
void pairs_free(Pairs *pairs);

/* The number of a pair, NO_ROOM if it is new and memory is exhausted. */
int32_t pairs_number(Pairs *pairs, int32_t first, int32_t second);

#endif
