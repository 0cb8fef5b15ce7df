/* Values at indices. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_GATHER_H
#define TB_PERFCOMPARE_GATHER_H

#include "order.h"

/* Sets gathered[i] to values[at[i]]; -1 is the last value, and indices out of range wrap around. Values have `size`
   bytes: 1, 2, 4 or 8. PASS_BAD_INPUT: another size, no values, or more than an int32 can number. */
PassEnd gather(const void *values, size_t length, size_t size, const int32_t *at, size_t count, void *gathered);

#endif
