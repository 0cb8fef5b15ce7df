#include "inflate.h"

enum {
    MOST_CODE_BITS = 15,
    MOST_LENGTH_SYMBOLS = 288,
    MOST_DISTANCE_SYMBOLS = 32,
    END_OF_BLOCK = 256,
    HEADER_BYTES = 600, /* more than the header of a block can have */
    SYMBOL_BITS = 48,   /* of a length and a distance with all their bits */
    FAST_INPUT = 16,    /* bytes that are loaded at once, and some more */
    FAST_ROOM = 2 + 258 + 16 /* for two literals, a match, and what copying it may write too much */
};

/* An entry of a table of codes: the bits of the code in the lowest byte, the number of further bits in the next four, the
   base value from bit 16 on; or one of these. */
static const uint32_t LITERAL = 0x80000000U; /* the byte from bit 16 on */
static const uint32_t SPECIAL = 0x00008000U; /* one of the following, or no code at all */
static const uint32_t END = 0x00004000U;
static const uint32_t SUBTABLE = 0x00002000U; /* the next bits are to be looked up from the base on */

/* What is at hand while a part is read. */
typedef struct {
    Text in;
    Text in_end;
    uint64_t bits;
    unsigned bit_count;
    uint8_t *out_start;
    uint8_t *out;
    uint8_t *out_end;
} Streams;

/* -- bits ---------------------------------------------------------------------------------------------------------- */

static inline uint64_t load64_little(Text at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static inline uint32_t low_bits(uint64_t bits, unsigned count)
{
    return (uint32_t)(bits & (((uint64_t)1 << count) - 1));
}

static inline void drop(Streams *streams, unsigned count)
{
    streams->bits >>= count;
    streams->bit_count -= count;
}

/* Byte by byte, for the end of the input. */
static void fill(Streams *streams)
{
    while (streams->bit_count < 56 && streams->in < streams->in_end) {
        streams->bits |= (uint64_t)*streams->in++ << streams->bit_count;
        streams->bit_count += 8;
    }
}

/* So many bits (at most 16) into *value; false if there are not as many. */
static bool take(Streams *streams, unsigned count, uint32_t *value)
{
    if (streams->bit_count < count) {
        fill(streams);
        if (streams->bit_count < count) {
            return false;
        }
    }
    *value = low_bits(streams->bits, count);
    drop(streams, count);
    return true;
}

/* -- tables of codes ----------------------------------------------------------------------------------------------- */

static uint32_t length_entry(unsigned symbol)
{
    static const uint16_t BASES[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t FURTHER[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    if (symbol < END_OF_BLOCK) {
        return LITERAL | symbol << 16;
    }
    if (symbol == END_OF_BLOCK) {
        return SPECIAL | END;
    }
    symbol -= END_OF_BLOCK + 1;
    return symbol < 29 ? (uint32_t)BASES[symbol] << 16 | (uint32_t)FURTHER[symbol] << 8 : SPECIAL;
}

static uint32_t distance_entry(unsigned symbol)
{
    static const uint16_t BASES[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                       193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    return symbol < 30 ? (uint32_t)BASES[symbol] << 16 | (symbol < 4 ? 0 : (symbol / 2 - 1) << 8) : SPECIAL;
}

static uint32_t plain_entry(unsigned symbol)
{
    return (uint32_t)symbol << 16;
}

/* The code after `code`, of the same length, its first bit lowest. */
static unsigned next_code(unsigned code, unsigned length)
{
    unsigned bit = 1U << (length - 1);
    while (code & bit) {
        bit >>= 1;
    }
    return bit == 0 ? 0 : (code & (bit - 1)) + bit;
}

/* Table of a code given by the lengths of its symbols: `first_bits` are looked up at once. False for a code that is not
   complete, but for one without symbols and one with a single symbol of one bit where `may_lack` allows these. */
static bool make_table(uint32_t *table, size_t room, unsigned first_bits, const uint8_t *lengths, size_t symbols,
                       uint32_t (*entry_of)(unsigned), bool may_lack)
{
    uint16_t count[MOST_CODE_BITS + 1] = {0}, place[MOST_CODE_BITS + 2] = {0}, sorted[MOST_LENGTH_SYMBOLS];
    for (size_t symbol = 0; symbol < symbols; symbol++) {
        count[lengths[symbol]]++;
    }
    const unsigned used = (unsigned)symbols - count[0];
    unsigned left = 1;
    for (unsigned length = 1; length <= MOST_CODE_BITS; length++) {
        left <<= 1;
        if (count[length] > left) {
            return false;
        }
        left -= count[length];
        place[length + 1] = (uint16_t)(place[length] + count[length]);
    }
    for (size_t i = 0; i < (size_t)1 << first_bits; i++) {
        table[i] = SPECIAL;
    }
    if (left > 0 && !(may_lack && (used == 0 || (used == 1 && count[1] == 1)))) {
        return false;
    }
    for (size_t symbol = 0; symbol < symbols; symbol++) {
        if (lengths[symbol] != 0) {
            sorted[place[lengths[symbol]]++] = (uint16_t)symbol;
        }
    }
    unsigned code = 0, length = 1, prefix = 1U << first_bits, sub_bits = 0;
    size_t sub_start = 0, end = (size_t)1 << first_bits;
    for (unsigned i = 0; i < used; i++) {
        while (count[length] == 0) {
            length++;
        }
        const uint32_t entry = entry_of(sorted[i]);
        if (length <= first_bits) {
            for (size_t at = code; at < (size_t)1 << first_bits; at += (size_t)1 << length) {
                table[at] = entry | length;
            }
        } else {
            if (low_bits(code, first_bits) != prefix) { /* codes with these first bits follow each other */
                prefix = low_bits(code, first_bits);
                sub_bits = length - first_bits;
                unsigned free_codes = 1U << sub_bits;
                while (sub_bits + first_bits < MOST_CODE_BITS) {
                    const unsigned here = count[sub_bits + first_bits];
                    if (here >= free_codes) {
                        break;
                    }
                    free_codes = (free_codes - here) << 1;
                    sub_bits++;
                }
                sub_start = end;
                end += (size_t)1 << sub_bits;
                if (end > room) {
                    return false;
                }
                for (size_t at = sub_start; at < end; at++) {
                    table[at] = SPECIAL;
                }
                table[prefix] = (uint32_t)sub_start << 16 | sub_bits << 8 | SPECIAL | SUBTABLE | first_bits;
            }
            for (size_t at = code >> first_bits; at < (size_t)1 << sub_bits; at += (size_t)1 << (length - first_bits)) {
                table[sub_start + at] = entry | (length - first_bits);
            }
        }
        count[length]--;
        code = next_code(code, length);
    }
    return true;
}

static void make_fixed_tables(Inflate *inflate)
{
    uint8_t lengths[MOST_LENGTH_SYMBOLS], distances[MOST_DISTANCE_SYMBOLS];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(distances, 5, sizeof distances);
    (void)make_table(inflate->lengths, LENGTH_ENTRIES, LENGTH_BITS, lengths, sizeof lengths, length_entry, false);
    (void)make_table(inflate->distances, DISTANCE_ENTRIES, DISTANCE_BITS, distances, sizeof distances, distance_entry,
                     false);
}

/* -- headers ------------------------------------------------------------------------------------------------------- */

/* The tables of a block that brings its own. */
static InflatedEnd read_tables(Inflate *inflate, Streams *streams)
{
    enum { CODES = 19, CODE_BITS = 7 };
    static const uint8_t ORDER[CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t of_codes[CODES] = {0}, lengths[MOST_LENGTH_SYMBOLS + MOST_DISTANCE_SYMBOLS];
    uint32_t table[1 << CODE_BITS], symbols, distances, codes, value;
    if (!take(streams, 5, &symbols) || !take(streams, 5, &distances) || !take(streams, 4, &codes)) {
        return INFLATED_INPUT;
    }
    symbols += 257;
    distances += 1;
    if (symbols > 286 || distances > 30) {
        return INFLATED_FOREIGN;
    }
    for (size_t i = 0; i < codes + 4; i++) {
        if (!take(streams, 3, &value)) {
            return INFLATED_INPUT;
        }
        of_codes[ORDER[i]] = (uint8_t)value;
    }
    if (!make_table(table, sizeof table / sizeof *table, CODE_BITS, of_codes, CODES, plain_entry, false)) {
        return INFLATED_FOREIGN;
    }
    for (size_t i = 0; i < symbols + distances;) {
        static const uint8_t FEWEST[3] = {3, 3, 11}, FURTHER[3] = {2, 3, 7};
        fill(streams);
        const uint32_t entry = table[low_bits(streams->bits, CODE_BITS)];
        const unsigned symbol = entry >> 16, bits = entry & 0xff;
        if (streams->bit_count < bits) {
            return INFLATED_INPUT;
        }
        drop(streams, bits);
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        if (!take(streams, FURTHER[symbol - 16], &value)) {
            return INFLATED_INPUT;
        }
        const size_t times = value + FEWEST[symbol - 16];
        if ((symbol == 16 && i == 0) || times > symbols + distances - i) {
            return INFLATED_FOREIGN;
        }
        memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, times);
        i += times;
    }
    if (lengths[END_OF_BLOCK] == 0 ||
        !make_table(inflate->lengths, LENGTH_ENTRIES, LENGTH_BITS, lengths, symbols, length_entry, true) ||
        !make_table(inflate->distances, DISTANCE_ENTRIES, DISTANCE_BITS, lengths + symbols, distances, distance_entry,
                    true)) {
        return INFLATED_FOREIGN;
    }
    return INFLATED_ALL;
}

/* The header of a block. INFLATED_ALL: it was read. Else nothing of it counts as read. */
static InflatedEnd read_header(Inflate *inflate, Streams *streams)
{
    const Streams before = *streams;
    uint32_t is_last, kind, low, high;
    InflatedEnd how = INFLATED_INPUT;
    if (take(streams, 1, &is_last) && take(streams, 2, &kind)) {
        if (kind == 0) {
            drop(streams, streams->bit_count % 8);
            if (take(streams, 16, &low) && take(streams, 16, &high)) {
                how = low == (~high & 0xffff) ? INFLATED_ALL : INFLATED_FOREIGN;
                inflate->stored_left = low;
                inflate->state = INFLATE_STORED;
            }
        } else if (kind == 3) {
            how = INFLATED_FOREIGN;
        } else {
            how = INFLATED_ALL;
            if (kind == 1) {
                make_fixed_tables(inflate);
            } else {
                how = read_tables(inflate, streams);
            }
            inflate->state = INFLATE_CODED;
        }
    }
    if (how == INFLATED_ALL) {
        inflate->is_last_block = is_last != 0;
    } else {
        inflate->state = INFLATE_BLOCK;
        *streams = before;
    }
    return how;
}

/* -- contents ------------------------------------------------------------------------------------------------------ */

/* Bytes of a stored block, those first that wait in the bits. */
static InflatedEnd copy_stored(Inflate *inflate, Streams *streams)
{
    while (inflate->stored_left > 0 && streams->bit_count > 0 && streams->out < streams->out_end) {
        *streams->out++ = (uint8_t)low_bits(streams->bits, 8);
        drop(streams, 8);
        inflate->stored_left--;
    }
    size_t size = inflate->stored_left;
    const size_t there = (size_t)(streams->in_end - streams->in), room = (size_t)(streams->out_end - streams->out);
    if (streams->bit_count == 0) {
        size = size < there ? size : there;
        size = size < room ? size : room;
        memcpy(streams->out, streams->in, size);
        streams->in += size;
        streams->out += size;
        inflate->stored_left -= size;
    }
    if (inflate->stored_left == 0) {
        return INFLATED_ALL;
    }
    return streams->out == streams->out_end ? INFLATED_ROOM : INFLATED_INPUT;
}

/* Whether what stood `distance` bytes before is known. */
static inline bool reaches(const Inflate *inflate, const Streams *streams, size_t distance)
{
    const size_t here = (size_t)(streams->out - streams->out_start);
    return distance <= here || distance - here <= inflate->history;
}

/* Writes what stood `distance` bytes before, byte by byte, as far as there is room; the rest waits. */
static void copy_exactly(Inflate *inflate, Streams *streams, size_t length, size_t distance)
{
    while (length > 0 && streams->out < streams->out_end) {
        const size_t here = (size_t)(streams->out - streams->out_start);
        *streams->out = distance <= here ? *(streams->out - distance) : inflate->window[WINDOW_BYTES - (distance - here)];
        streams->out++;
        length--;
    }
    inflate->match_left = length;
    inflate->match_distance = distance;
}

/* The same where there is plenty of room: up to 15 bytes more may be written behind it. */
static inline void copy_match(const Inflate *inflate, Streams *streams, size_t length, size_t distance)
{
    uint8_t *out = streams->out, *const end = out + length;
    const size_t here = (size_t)(out - streams->out_start);
    streams->out = end;
    if (distance > here) { /* it begins in the window */
        const size_t back = distance - here, first = back < length ? back : length;
        memcpy(out, inflate->window + WINDOW_BYTES - back, first);
        for (out += first; out < end; out++) {
            *out = *(out - distance);
        }
        return;
    }
    const uint8_t *from = out - distance;
    if (distance >= 16) {
        do {
            memcpy(out, from, 16);
            out += 16;
            from += 16;
        } while (out < end);
    } else if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        do {
            *out++ = *from++;
        } while (out < end);
    }
}

/* Symbols as long as there is plenty of input and room. INFLATED_ALL: the block has ended; INFLATED_INPUT: one of them is
   scarce. */
static InflatedEnd read_quickly(const Inflate *inflate, Streams *shared)
{
    Streams streams = *shared;
    InflatedEnd how = INFLATED_INPUT;
    while (streams.in_end - streams.in >= FAST_INPUT && streams.out_end - streams.out >= FAST_ROOM) {
        /* the highest byte loaded may be loaded again: it is the same each time */
        streams.bits |= load64_little(streams.in) << streams.bit_count;
        streams.in += (63 - streams.bit_count) >> 3;
        streams.bit_count |= 56;
        uint32_t entry = inflate->lengths[low_bits(streams.bits, LENGTH_BITS)];
        if (entry & LITERAL) {
            drop(&streams, entry & 0xff);
            *streams.out++ = (uint8_t)(entry >> 16);
            entry = inflate->lengths[low_bits(streams.bits, LENGTH_BITS)];
            if (entry & LITERAL) {
                drop(&streams, entry & 0xff);
                *streams.out++ = (uint8_t)(entry >> 16);
                continue;
            }
            streams.bits |= load64_little(streams.in) << streams.bit_count;
            streams.in += (63 - streams.bit_count) >> 3;
            streams.bit_count |= 56;
        }
        if (entry & SPECIAL) {
            if (entry & SUBTABLE) {
                drop(&streams, entry & 0xff);
                entry = inflate->lengths[(entry >> 16) + low_bits(streams.bits, entry >> 8 & 0xf)];
            }
            if (entry & LITERAL) {
                drop(&streams, entry & 0xff);
                *streams.out++ = (uint8_t)(entry >> 16);
                continue;
            }
            if (entry & SPECIAL) {
                drop(&streams, entry & 0xff);
                how = entry & END ? INFLATED_ALL : INFLATED_FOREIGN;
                break;
            }
        }
        drop(&streams, entry & 0xff);
        const size_t length = (entry >> 16) + low_bits(streams.bits, entry >> 8 & 0xf);
        drop(&streams, entry >> 8 & 0xf);
        entry = inflate->distances[low_bits(streams.bits, DISTANCE_BITS)];
        if (entry & SUBTABLE) {
            drop(&streams, entry & 0xff);
            entry = inflate->distances[(entry >> 16) + low_bits(streams.bits, entry >> 8 & 0xf)];
        }
        if (entry & SPECIAL) {
            how = INFLATED_FOREIGN;
            break;
        }
        drop(&streams, entry & 0xff);
        const size_t distance = (entry >> 16) + low_bits(streams.bits, entry >> 8 & 0xf);
        drop(&streams, entry >> 8 & 0xf);
        if (!reaches(inflate, &streams, distance)) {
            how = INFLATED_FOREIGN;
            break;
        }
        copy_match(inflate, &streams, length, distance);
    }
    streams.bits = streams.bit_count == 0 ? 0 : streams.bits & (~(uint64_t)0 >> (64 - streams.bit_count));
    *shared = streams;
    return how;
}

/* The entry of the code that comes next, which is dropped. False if it is not whole. */
static bool take_code(Streams *streams, const uint32_t *table, unsigned first_bits, uint32_t *entry)
{
    *entry = table[low_bits(streams->bits, first_bits)];
    if (*entry & SUBTABLE) {
        if (streams->bit_count < (*entry & 0xff)) {
            return false;
        }
        drop(streams, *entry & 0xff);
        *entry = table[(*entry >> 16) + low_bits(streams->bits, *entry >> 8 & 0xf)];
    }
    if (streams->bit_count < (*entry & 0xff)) {
        return false;
    }
    drop(streams, *entry & 0xff);
    return true;
}

/* One symbol, with a look at every bit; there is room for a byte. INFLATED_ROOM: it was read and more may follow; INFLATED_ALL: it ended the block. */
static InflatedEnd read_carefully(Inflate *inflate, Streams *streams)
{
    const Streams before = *streams;
    InflatedEnd how = INFLATED_INPUT;
    uint32_t entry, further;
    fill(streams);
    if (take_code(streams, inflate->lengths, LENGTH_BITS, &entry)) {
        if (entry & LITERAL) {
            *streams->out++ = (uint8_t)(entry >> 16);
            return INFLATED_ROOM;
        }
        if (entry & SPECIAL) {
            how = entry & END ? INFLATED_ALL : INFLATED_FOREIGN;
        } else if (take(streams, entry >> 8 & 0xf, &further)) {
            const size_t length = (entry >> 16) + further;
            fill(streams);
            if (take_code(streams, inflate->distances, DISTANCE_BITS, &entry)) {
                if (entry & SPECIAL) {
                    how = INFLATED_FOREIGN;
                } else if (take(streams, entry >> 8 & 0xf, &further)) {
                    const size_t distance = (entry >> 16) + further;
                    if (reaches(inflate, streams, distance)) {
                        copy_exactly(inflate, streams, length, distance);
                        return INFLATED_ROOM;
                    }
                    how = INFLATED_FOREIGN;
                }
            }
        }
    }
    if (how == INFLATED_INPUT || how == INFLATED_FOREIGN) {
        *streams = before;
    }
    return how;
}

static InflatedEnd read_coded(Inflate *inflate, Streams *streams, bool is_all)
{
    copy_exactly(inflate, streams, inflate->match_left, inflate->match_distance);
    for (;;) {
        InflatedEnd how = read_quickly(inflate, streams);
        if (how != INFLATED_INPUT) {
            return how;
        }
        if (streams->out == streams->out_end) {
            return INFLATED_ROOM;
        }
        if (!is_all && (uint64_t)(streams->in_end - streams->in) * 8 + streams->bit_count < SYMBOL_BITS) {
            return INFLATED_INPUT;
        }
        how = read_carefully(inflate, streams);
        if (how != INFLATED_ROOM) {
            return how;
        }
    }
}

/* -- the whole ----------------------------------------------------------------------------------------------------- */

void inflate_start(Inflate *inflate)
{
    memset(inflate, 0, sizeof *inflate);
    inflate->state = INFLATE_BLOCK;
}

/* Keeps the latest bytes of the output for matches of the next part. */
static void remember(Inflate *inflate, const uint8_t *output, size_t written)
{
    if (written >= WINDOW_BYTES) {
        memcpy(inflate->window, output + written - WINDOW_BYTES, WINDOW_BYTES);
        inflate->history = WINDOW_BYTES;
    } else if (written > 0) {
        memmove(inflate->window, inflate->window + written, WINDOW_BYTES - written);
        memcpy(inflate->window + WINDOW_BYTES - written, output, written);
        const size_t history = inflate->history + written;
        inflate->history = history < WINDOW_BYTES ? history : WINDOW_BYTES;
    }
}

InflatedEnd inflate_some(Inflate *inflate, Text input, size_t size, bool is_all, size_t *used, uint8_t *output, size_t room,
                         size_t *written)
{
    Streams streams = {input, input + size, inflate->bits, inflate->bit_count, output, output, output + room};
    InflatedEnd how = INFLATED_ALL;
    while (how == INFLATED_ALL && inflate->state != INFLATE_OVER) {
        if (inflate->state == INFLATE_BLOCK) {
            const bool is_plenty = is_all || streams.in_end - streams.in >= HEADER_BYTES;
            how = is_plenty ? read_header(inflate, &streams) : INFLATED_INPUT;
            continue;
        }
        how = inflate->state == INFLATE_STORED ? copy_stored(inflate, &streams) : read_coded(inflate, &streams, is_all);
        if (how == INFLATED_ALL) {
            inflate->state = inflate->is_last_block ? INFLATE_OVER : INFLATE_BLOCK;
        }
    }
    streams.in -= streams.bit_count / 8; /* whole bytes are left for the next time, or for what follows the stream */
    inflate->bit_count = how == INFLATED_ALL ? 0 : streams.bit_count % 8;
    inflate->bits = low_bits(streams.bits, inflate->bit_count);
    *used = (size_t)(streams.in - input);
    *written = (size_t)(streams.out - output);
    remember(inflate, output, *written);
    return how;
}
