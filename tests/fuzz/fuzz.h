/* What the fuzzing programs share: drawn numbers, memory requests that may fail, and a check. */
#ifndef TB_PERFCOMPARE_FUZZ_H
#define TB_PERFCOMPARE_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned fail_one_in; /* of the memory requests; 0 for none */
static uint64_t state = 88172645463325252ULL;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

static inline void *fuzz_malloc(size_t size)
{
    return fail_one_in && draw(fail_one_in) == 0 ? NULL : malloc(size);
}

static inline void *fuzz_realloc(void *old, size_t size)
{
    return fail_one_in && draw(fail_one_in) == 0 ? NULL : realloc(old, size);
}

static inline void *fuzz_calloc(size_t count, size_t size)
{
    return fail_one_in && draw(fail_one_in) == 0 ? NULL : calloc(count, size);
}

#define MUST(condition)                                                   \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            abort();                                                      \
        }                                                                 \
    } while (0)

#endif
