#include "gather.h"

static inline size_t wrapped(int32_t at, int32_t length)
{
    if (at >= 0 && at < length) {
        return (size_t)at;
    }
    const int32_t rest = at % length;
    return (size_t)(rest < 0 ? rest + length : rest);
}

#define GATHER(NAME, TYPE)                                                                                             \
    static void NAME(const TYPE *values, int32_t length, const int32_t *at, size_t count, TYPE *gathered)              \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            gathered[i] = values[wrapped(at[i], length)];                                                              \
        }                                                                                                              \
    }

GATHER(gather_1, int8_t)
GATHER(gather_2, int16_t)
GATHER(gather_4, int32_t)
GATHER(gather_8, int64_t)

PassEnd gather(const void *values, size_t length, size_t size, const int32_t *at, size_t count, void *gathered)
{
    if (length > INT32_MAX || (length == 0 && count > 0)) {
        return PASS_BAD_INPUT;
    }
    switch (size) {
    case sizeof(int8_t):
        gather_1(values, (int32_t)length, at, count, gathered);
        return PASS_DONE;
    case sizeof(int16_t):
        gather_2(values, (int32_t)length, at, count, gathered);
        return PASS_DONE;
    case sizeof(int32_t):
        gather_4(values, (int32_t)length, at, count, gathered);
        return PASS_DONE;
    case sizeof(int64_t):
        gather_8(values, (int32_t)length, at, count, gathered);
        return PASS_DONE;
    default:
        return PASS_BAD_INPUT;
    }
}
