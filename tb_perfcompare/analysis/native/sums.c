#include "sums.h"

#include <string.h>

enum { AT_ONCE = 1024, NOTHING = -1 };

/* Gets the values of `count` rows from `from` on; for a negative index sets row[i] to NOTHING. False if an index is
   out of range. */
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
