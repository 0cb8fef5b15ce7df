/* The checksum of gzip (CRC-32, RFC 1952). Plain C99, no Python; nothing where a compiler or a processor lacks carry-less
   multiplication, since zlib's is at hand then. */
#ifndef TB_PERFCOMPARE_CHECKSUM_H
#define TB_PERFCOMPARE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* Whether checksum_of may be called on this processor. */
bool has_checksum(void);

/* The checksum of everything so far and `size` bytes more; `before` is that of everything so far, 0 in front. */
uint32_t checksum_of(uint32_t before, Text at, size_t size);

#endif
