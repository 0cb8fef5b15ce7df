/* Converts the elements of traceEvents to columns, one block of complete elements at a time. No Python and no global state.

   A block is read up to the first element that is not understood (damage, extreme numbers, escapes in texts that decide
   how an element is treated): the caller reads that element by other means and continues after it. */
#ifndef TB_PERFCOMPARE_EVENTS_H
#define TB_PERFCOMPARE_EVENTS_H

#include "store.h"
#include "tokens.h"

enum { MAX_NAMES = 120, MAX_LITERALS = 250, MAX_LITERAL_BYTES = 56, MAX_NEXT = 8, TAIL = 16, MAX_UNREAD = 24 };

/* An ASCII text to compare with. */
typedef struct {
    const char *text;
    size_t size;
} Name;

typedef struct {
    size_t count;
    Name names[MAX_NAMES];
} Names;

typedef enum { COLUMN_INT, COLUMN_FLOAT, COLUMN_JSON } ColumnKind;

/* The configuration of a scan; the caller owns the texts, which must outlive the scan. */
typedef struct {
    Names keys;                   /* argument keys, one column for each */
    ColumnKind kinds[MAX_NAMES]; /* kinds of these columns */
    Name memory;                  /* name of the instant events to keep */
    Names flows;                  /* lower-case categories of arrows to keep */
    Names arrows;                 /* those of arrows to keep with their lane, and to count as skipped */
    Names handed_phases;          /* elements left to the caller: those with this phase ... */
    Names handed_names;           /* ... and this name (for phase X: category), or any if it is empty */
    uint64_t seed;                /* seed of the hashes */
} ScanSpec;

/* Values of one argument: the parsed ones, and the texts of those that Python must parse. */
typedef struct {
    Array rows;      /* int32 */
    Array values;    /* int64, double, or int32 number of a text */
    Array odd_rows;  /* int32 */
    Array odd_texts; /* int32 number of a text */
} Column;

/* Counts of elements, except the skipped ones. */
typedef struct {
    int64_t seen;
    int64_t not_objects;
    int64_t bent; /* elements with a member of an invalid type */
    int64_t without_name;
    int64_t without_ts;
    int64_t without_dur;
    int64_t without_flow_id;
    int64_t without_cat;
    int64_t without_place;
    int64_t negative;
    int64_t rounded;
} Tally;

/* The text between two values, including the key: a file repeats only a few of them. After the last value, it is the text
   that closes the object. */
typedef struct Literal {
    uint8_t tail[TAIL];      /* the last bytes, compared first because they differ most; zero where `tail_mask` is zero: */
    uint8_t tail_mask[TAIL]; /* past the end of a shorter literal */
    size_t tail_at;
    size_t size;
    struct Literal *next[MAX_NEXT]; /* literals that followed, the most frequent ones first; NULL for none */
    uint32_t hits[MAX_NEXT];        /* number of times each followed */
    int32_t text;                    /* the latest value after this literal, NO_NUMBER if it was not interned */
    int16_t key;             /* number of the key, NO_NUMBER for unused keys, CLOSES for none */
    uint8_t trust;           /* for unused keys: 0 if the value keeps changing */
    uint8_t unread_size;     /* size of its latest value; 0 for none or a longer one */
    bool is_unread_number;
    uint8_t unread[MAX_UNREAD];
    uint64_t number_word; /* the latest number, if short, and the byte after it; otherwise equals no word */
    uint64_t number_mask; /* mask of these bytes */
    size_t number_size;
    Number number;
    struct Literal *sibling; /* another literal of this key, NULL for none */
    uint8_t bytes[MAX_LITERAL_BYTES];
} Literal;

/* The literals of one kind of object: [0] is its opening brace, [1] represents all literals that are not kept. */
typedef struct {
    const Names *keys;
    size_t count;
    Literal *of_key[MAX_NAMES + 2]; /* the first literal of each key, then of unused keys, then of closing ones */
    Literal literals[MAX_LITERALS];
} Shapes;

/* A value of the event being read. */
typedef struct {
    Token token;
    int32_t text;
    uint32_t hash; /* set for a string that was parsed, not for one that was guessed */
    Literal *literal;
    int16_t key;
} Member;

typedef struct {
    ScanSpec spec;
    Texts texts; /* JSON texts as written; strings with their quotes */
    /* one row for each kept event */
    Array name;     /* int32 number of a text */
    Array category; /* int32 number of a text, NO_NUMBER if missing */
    Array lane;     /* int32 number of a pair */
    Array start_ns; /* int64 */
    Array dur_ns;   /* int64 */
    Array complete; /* uint8 */
    size_t row_room; /* room in each of these */
    Pairs lanes;    /* texts of pid and tid */
    Column columns[MAX_NAMES];
    /* one row for each kept arrow */
    Array flow_is_start; /* uint8 */
    Array flow_id;       /* int64 */
    Array flow_ns;       /* int64 */
    Array arrow_is_start; /* uint8 */
    Array arrow_id;       /* int64 */
    Array arrow_lane;     /* int32 number of a pair */
    Array arrow_ns;       /* int64 */
    Tally tally;
    Pairs skipped;       /* texts of ph and cat */
    Array skipped_count; /* int64, parallel */
    Array handed;        /* uint8: JSON array of the latest block's elements left to the caller; empty if none */
    /* state before the block */
    Tally kept_tally;
    Array kept_skipped;             /* int64 */
    size_t kept_rows;
    size_t kept_flows;
    size_t kept_arrows;
    size_t kept_args[MAX_NAMES][2];
    /* while an event is being read */
    Shapes members;
    Shapes arguments;
    Names member_keys;
    Member held[MAX_NAMES]; /* arguments */
    size_t held_count;
    uint16_t held_at[MAX_NAMES]; /* index + 1 of a key's value in `held`, 0 for none */
    /* text of the latest category tested, NO_NUMBER for none, and the results of is_category */
    int32_t judged_arrow;
    int8_t is_flow;
    int8_t is_joining;
    /* for a scan that is absorbed: int32 numbers of its texts, lanes and pairs in the absorbing scan */
    Array text_of;
    Array lane_of;
    Array pair_of;
    bool is_out_of_memory;
    bool ends_with_event; /* the latest element is an object with a phase */
} Scan;

typedef enum {
    SCAN_TAKEN,    /* all elements up to `stop` are in the columns */
    SCAN_CLOSED,   /* a closing bracket at *end; the elements before it are pending: call scan_keep or scan_undo */
    SCAN_FOREIGN,  /* the element at *end is not understood; the elements before it are in the columns */
    SCAN_NO_MEMORY /* nothing of the block is kept */
} ScanEnd;

Scan *scan_new(const ScanSpec *spec);
void scan_free(Scan *scan);

/* Frees memory that only further blocks would need. */
void scan_close(Scan *scan);

/* Reads data[start:stop], which starts with an element; further elements follow commas. */
ScanEnd scan_block(Scan *scan, Text data, size_t start, size_t stop, size_t *end);

/* Keeps or discards the elements since the last call. scan_keep returns false if out of memory. */
bool scan_keep(Scan *scan);
void scan_undo(Scan *scan);

/* Whether `other` is another scan with the same columns. */
bool scan_fits(const Scan *scan, const Scan *other);

/* Moves the kept elements of `other` to the end of `scan`. `other` must always be absorbed by the same scan. False if out
   of memory: nothing is absorbed. */
bool scan_absorb(Scan *scan, Scan *other);

#endif
