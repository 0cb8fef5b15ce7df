#include "checksum.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)

#include <immintrin.h>

#define WITH_MULTIPLICATION __attribute__((target("pclmul,sse4.1")))

/* Powers of x modulo the polynomial of CRC-32, bits in reverse, which is how the checksum has them: multiplying 16 bytes
   by them moves these bytes over so many bits that follow. (V. Gopal and others, Fast CRC Computation for Generic
   Polynomials Using PCLMULQDQ Instruction, 2009.) */
static const uint64_t OVER_512_BITS[2] = {0x154442bd4, 0x1c6e41596};
static const uint64_t OVER_128_BITS[2] = {0x1751997d0, 0x0ccaa009e};
static const uint64_t OVER_64_BITS[2] = {0x163cd6124, 0};
static const uint64_t POLYNOMIAL[2] = {0x1db710641, 0x1f7011641}; /* and its inverse */

enum { LANES = 4, LANE_BYTES = 16, ROUND_BYTES = LANES * LANE_BYTES };

bool has_checksum(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

WITH_MULTIPLICATION static inline __m128i load(const void *at)
{
    return _mm_loadu_si128((const __m128i *)at);
}

/* `sum` moved over the bits that `powers` are for, and what stands there. */
WITH_MULTIPLICATION static inline __m128i fold(__m128i sum, __m128i powers, __m128i there)
{
    const __m128i low = _mm_clmulepi64_si128(sum, powers, 0x00), high = _mm_clmulepi64_si128(sum, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/* The remainder of 16 bytes, which is the checksum. */
WITH_MULTIPLICATION static uint32_t reduce(__m128i sum)
{
    const __m128i low_half = _mm_setr_epi32(-1, 0, -1, 0), polynomial = load(POLYNOMIAL);
    __m128i part = _mm_clmulepi64_si128(sum, load(OVER_128_BITS), 0x10);
    sum = _mm_xor_si128(_mm_srli_si128(sum, 8), part);
    part = _mm_srli_si128(sum, 4);
    sum = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low_half), load(OVER_64_BITS), 0x00), part);
    part = _mm_clmulepi64_si128(_mm_and_si128(sum, low_half), polynomial, 0x10);
    part = _mm_clmulepi64_si128(_mm_and_si128(part, low_half), polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, part), 1);
}

static uint32_t bit_by_bit(uint32_t sum, Text at, size_t size)
{
    for (; size > 0; size--) {
        sum ^= *at++;
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0);
        }
    }
    return sum;
}

WITH_MULTIPLICATION uint32_t checksum_of(uint32_t before, Text at, size_t size)
{
    uint32_t sum = ~before;
    if (size >= ROUND_BYTES) {
        __m128i lanes[LANES];
        for (int i = 0; i < LANES; i++) {
            lanes[i] = load(at + i * LANE_BYTES);
        }
        lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128((int)sum));
        at += ROUND_BYTES;
        size -= ROUND_BYTES;
        const __m128i far = load(OVER_512_BITS), near = load(OVER_128_BITS);
        for (; size >= ROUND_BYTES; at += ROUND_BYTES, size -= ROUND_BYTES) {
            for (int i = 0; i < LANES; i++) {
                lanes[i] = fold(lanes[i], far, load(at + i * LANE_BYTES));
            }
        }
        __m128i all = lanes[0];
        for (int i = 1; i < LANES; i++) {
            all = fold(all, near, lanes[i]);
        }
        for (; size >= LANE_BYTES; at += LANE_BYTES, size -= LANE_BYTES) {
            all = fold(all, near, load(at));
        }
        sum = reduce(all);
    }
    return ~bit_by_bit(sum, at, size);
}

#else

bool has_checksum(void)
{
    return false;
}

uint32_t checksum_of(uint32_t before, Text at, size_t size)
{
    (void)at;
    (void)size;
    return before;
}

#endif
