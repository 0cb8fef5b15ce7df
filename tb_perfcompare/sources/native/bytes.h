/* Basic operations on bytes: unaligned loads, comparison, character classes. Plain C99; where compiler intrinsics are
   faster, there is also a version without them. */
#ifndef TB_PERFCOMPARE_BYTES_H
#define TB_PERFCOMPARE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAS_SSE2 1
#define FETCH(place) _mm_prefetch((const char *)(place), _MM_HINT_T0) /* loads it into the cache in advance */
#else
#define HAS_SSE2 0
#define FETCH(place) ((void)(place))
#endif

#if defined(_MSC_VER) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define IS_LITTLE_ENDIAN 1 /* the first byte of a word is its lowest */
#else
#define IS_LITTLE_ENDIAN 0
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

typedef const uint8_t *Text; /* a position in the scanned bytes */

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

/* The index of the lowest set bit; `word` must not be 0. */
static inline unsigned lowest_bit(uint64_t word)
{
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctzll(word);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long place;
    _BitScanForward64(&place, word);
    return place;
#else
    unsigned place = 0;
    for (unsigned step = 32; step > 0; step /= 2) {
        const uint64_t low = word & (((uint64_t)1 << step) - 1);
        place += low == 0 ? step : 0;
        word = low == 0 ? word >> step : low;
    }
    return place;
#endif
}

#if HAS_SSE2
static inline bool same_16(Text a, Text b)
{
    const __m128i one = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m128i other = _mm_loadu_si128((const __m128i *)(const void *)b);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(one, other)) == 0xffff;
}
#endif

/* An inlined memcmp: the texts compared here are a few bytes long and mostly equal. */
static inline bool same_bytes(Text a, Text b, size_t size)
{
#if HAS_SSE2
    if (size >= 16) {
        for (size_t i = 0; i + 16 < size; i += 16) {
            if (!same_16(a + i, b + i)) {
                return false;
            }
        }
        return same_16(a + size - 16, b + size - 16);
    }
#endif
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

/* Whether the byte may follow a number inside an object or a list. */
static inline bool ends_number(uint8_t byte)
{
    return byte == ',' || byte == '}' || byte == ']' || is_space(byte);
}

static inline Text skip_space(Text at, Text end)
{
    while (at < end && *at <= ' ' && is_space(*at)) {
        at++;
    }
    return at;
}

#endif
