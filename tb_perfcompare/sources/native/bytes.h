/* Small tools on bytes: unaligned loads, comparison, characters. Plain C99, no compiler-only builtins
   but SSE2's. */
#ifndef TB_PERFCOMPARE_BYTES_H
#define TB_PERFCOMPARE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define FETCH(place) _mm_prefetch((const char *)(place), _MM_HINT_T0) /* so that it is in the cache when it is wanted */
#else
#define FETCH(place) ((void)(place))
#endif

typedef const uint8_t *Text; /* a place in the bytes that are scanned */

static inline uint64_t load64(Text at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t load32(Text at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* memcmp without the call: the texts compared here are a few bytes long and mostly equal. */
static inline bool same_bytes(Text a, Text b, size_t size)
{
    if (size >= 8) {
        for (size_t i = 0; i + 8 <= size; i += 8) {
            if (load64(a + i) != load64(b + i)) {
                return false;
            }
        }
        return load64(a + size - 8) == load64(b + size - 8);
    }
    if (size >= 4) {
        return load32(a) == load32(b) && load32(a + size - 4) == load32(b + size - 4);
    }
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static inline bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static inline bool is_digit(uint8_t byte)
{
    return (uint8_t)(byte - '0') < 10;
}

/* What may follow a number inside an object or a list. */
static inline bool ends_number(uint8_t byte)
{
    return byte == ',' || byte == '}' || byte == ']' || is_space(byte);
}

static inline Text skip_space(Text at, Text end)
{
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

#endif
