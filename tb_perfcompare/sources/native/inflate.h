/* A raw deflate stream (RFC 1951) -> its bytes, a part at a time. No Python here, and no global state.

   Sound streams only: where anything is wrong or unusual this says so and stops, and zlib is asked instead, which knows what
   to say about it. Reading ends between two symbols, so that it can go on with more input or more room. */
#ifndef TB_PERFCOMPARE_INFLATE_H
#define TB_PERFCOMPARE_INFLATE_H

#include "bytes.h"

enum {
    WINDOW_BYTES = 1 << 15,  /* how far back a match may lie */
    LENGTH_BITS = 11,        /* of a code looked at first; longer ones go on in a table of their own */
    DISTANCE_BITS = 8,
    LENGTH_ENTRIES = 2342,   /* that any complete code needs */
    DISTANCE_ENTRIES = 402
};

typedef enum {
    INFLATE_BLOCK,  /* a block begins */
    INFLATE_STORED, /* inside a stored one */
    INFLATE_CODED,  /* inside a coded one */
    INFLATE_OVER    /* the last block has ended */
} InflateState;

typedef struct {
    InflateState state;
    bool is_last_block;
    uint64_t bits;      /* read and not used, the next one lowest; zeros above */
    unsigned bit_count;
    size_t stored_left; /* bytes of a stored block */
    size_t match_left;  /* bytes of a match for which there was no room */
    size_t match_distance;
    size_t history;     /* bytes in the window: the latest ones before the output at hand, at its end */
    uint8_t window[WINDOW_BYTES];
    uint32_t lengths[LENGTH_ENTRIES]; /* codes of literals and lengths */
    uint32_t distances[DISTANCE_ENTRIES];
} Inflate;

typedef enum {
    INFLATED_ALL,     /* the stream has ended; *used says where */
    INFLATED_ROOM,    /* the room is full */
    INFLATED_INPUT,   /* the next symbol is not whole */
    INFLATED_FOREIGN  /* zlib has to say; what was written so far is right */
} InflatedEnd;

void inflate_start(Inflate *inflate);

/* Reads input[:size], of which *used bytes are done with afterwards, and writes to output[:room], of which *written. With
   `is_all` no more input follows; without it the last 600 bytes or so may be left for the next time. */
InflatedEnd inflate_some(Inflate *inflate, Text input, size_t size, bool is_all, size_t *used, uint8_t *output, size_t room,
                         size_t *written);

#endif
