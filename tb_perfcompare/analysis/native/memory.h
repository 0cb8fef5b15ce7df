/* Memory for columns of millions of rows. Plain C99, no Python. */
#ifndef TB_PERFCOMPARE_MEMORY_H
#define TB_PERFCOMPARE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Returns `items`; asks for large pages for large blocks, as numpy does, to reduce page faults. */
static inline void *in_large_pages(void *items, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096, large = 4 << 20;
    if (items != NULL && size >= large) {
        const uintptr_t begin = ((uintptr_t)items + page - 1) / page * page, end = ((uintptr_t)items + size) / page * page;
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    }
#else
    (void)size;
#endif
    return items;
}

#endif
