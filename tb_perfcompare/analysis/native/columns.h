/* A column of 4- or 8-byte integers. */
#ifndef TB_PERFCOMPARE_COLUMNS_H
#define TB_PERFCOMPARE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exactly one of the two is NULL. */
typedef struct {
    const int64_t *wide;
    const int32_t *narrow;
} Column;

static inline int64_t column_at(const Column *column, size_t i)
{
    return column->narrow != NULL ? column->narrow[i] : column->wide[i];
}

#endif
