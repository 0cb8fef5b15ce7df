/* The elements of traceEvents -> columns, a block of whole elements at a time. No Python here, and no global state.

   A block is taken up to the first element that is not understood (damage, absurd numbers, escapes in places where a word
   decides): the caller reads that some other way and goes on behind it. */
#ifndef TB_PERFCOMPARE_EVENTS_H
#define TB_PERFCOMPARE_EVENTS_H

#include "store.h"
#include "tokens.h"

enum { MOST_NAMES = 120, MOST_LITERALS = 250, MOST_LITERAL_BYTES = 56, MOST_NEXT = 8, TAIL = 16, MOST_UNREAD = 24 };

/* An ASCII text that stands for a decision. */
typedef struct {
    const char *text;
    size_t size;
} Name;

typedef struct {
    size_t count;
    Name names[MOST_NAMES];
} Names;

typedef enum { COLUMN_INT, COLUMN_FLOAT, COLUMN_JSON } ColumnKind;

/* What to look for; the texts are the caller's and must outlive the scan. */
typedef struct {
    Names keys;                   /* argument keys, each with a column of its own */
    ColumnKind kinds[MOST_NAMES]; /* of these columns */
    Name memory;                  /* name of the instant events that are kept */
    Names flows;                  /* categories (lower case) of arrows that are kept */
    Names arrows;                 /* the same of arrows that are kept with their lane, and counted as skipped */
    Names handed_phases;          /* elements to hand over: of this phase ... */
    Names handed_names;           /* ... and this name (of phase X: category), or any where that is empty */
    uint64_t seed;                /* of the hashes */
} ScanSpec;

/* Values of one argument: those understood, and the texts of the others. */
typedef struct {
    Array rows;      /* int32 */
    Array values;    /* int64, double, or int32 number of a text */
    Array odd_rows;  /* int32 */
    Array odd_texts; /* int32 number of a text */
} Column;

/* What is counted besides the skipped elements. */
typedef struct {
    int64_t seen;
    int64_t not_objects;
    int64_t bent; /* elements with a member of a type it cannot have */
    int64_t without_name;
    int64_t without_ts;
    int64_t without_dur;
    int64_t without_flow_id;
    int64_t without_cat;
    int64_t without_place;
    int64_t negative;
    int64_t rounded;
} Tally;

/* What stands between two values, key included, as one text: files repeat a few of them. Behind the last value it is what
   closes the object. */
typedef struct Literal {
    uint8_t tail[TAIL];      /* the last bytes tell literals apart soonest; zeros where `tail_mask` is zero, */
    uint8_t tail_mask[TAIL]; /* which is behind the end of a shorter literal */
    size_t tail_at;
    size_t size;
    struct Literal *next[MOST_NEXT]; /* literals that followed, the most frequent ones first; NULL for none */
    uint32_t hits[MOST_NEXT];        /* how often */
    int32_t text;                    /* the latest value behind this literal, NO_NUMBER if it was not interned */
    int16_t key;             /* number of the key, NO_NUMBER for keys that nobody reads, CLOSES for none */
    uint8_t trust;           /* of a key that nobody reads: 0 if its value keeps changing */
    uint8_t unread_size;     /* of its latest value; 0 for none, or a longer one */
    bool is_unread_number;
    uint8_t unread[MOST_UNREAD];
    uint64_t number_word; /* the latest number, if it is short, with the byte behind it; else nothing equals it */
    uint64_t number_mask; /* which bytes these are */
    size_t number_size;
    Number number;
    struct Literal *sibling; /* another literal of this key, NULL for none */
    uint8_t bytes[MOST_LITERAL_BYTES];
} Literal;

/* The literals of one kind of object: [0] is its opening brace, [1] stands for those not kept. */
typedef struct {
    const Names *keys;
    size_t count;
    Literal *of_key[MOST_NAMES + 2]; /* the first literal of each key, then of the others, then of those that close */
    Literal literals[MOST_LITERALS];
} Shapes;

/* A value of an event that is being read. */
typedef struct {
    Token token;
    int32_t text;
    uint32_t hash; /* of a string that was read, not of one that was guessed */
    Literal *literal;
    int16_t key;
} Member;

typedef struct {
    ScanSpec spec;
    Texts texts; /* JSON texts as written; strings with their quotes */
    /* a row for each event kept */
    Array name;     /* int32 number of a text */
    Array category; /* int32 number of a text, NO_NUMBER if missing */
    Array lane;     /* int32 number of a pair */
    Array start_ns; /* int64 */
    Array dur_ns;   /* int64 */
    Array complete; /* uint8 */
    size_t row_room; /* in each of these */
    Pairs lanes;    /* texts of pid and tid */
    Column columns[MOST_NAMES];
    /* a row for each arrow kept */
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
    Array handed;        /* uint8: a JSON array of the elements that the latest block handed over; empty if none */
    /* as they were before the block */
    Tally kept_tally;
    Array kept_skipped;             /* int64 */
    size_t kept_rows;
    size_t kept_flows;
    size_t kept_arrows;
    size_t kept_args[MOST_NAMES][2];
    /* while an event is being read */
    Shapes members;
    Shapes arguments;
    Names member_keys;
    Member held[MOST_NAMES]; /* arguments */
    size_t held_count;
    uint16_t held_at[MOST_NAMES]; /* place + 1 of a key's value in `held`, 0 for none */
    /* the text of the category that was judged last, NO_NUMBER for none, and what is_category said */
    int32_t judged_arrow;
    int8_t is_flow;
    int8_t is_joining;
    /* of a scan that is absorbed: int32 numbers of its texts, lanes and pairs in the one that absorbs it */
    Array text_of;
    Array lane_of;
    Array pair_of;
    bool is_out_of_memory;
    bool ends_with_event; /* the latest element is an object with a phase */
} Scan;

typedef enum {
    SCAN_TAKEN,    /* all elements up to `stop` are in the columns */
    SCAN_CLOSED,   /* a closing bracket at *end; the elements before it wait for scan_keep or scan_undo */
    SCAN_FOREIGN,  /* what begins at *end is not understood; the elements before it are in the columns */
    SCAN_NO_MEMORY /* nothing of the block is kept */
} ScanEnd;

Scan *scan_new(const ScanSpec *spec);
void scan_free(Scan *scan);

/* Gives back what only further blocks would need. */
void scan_close(Scan *scan);

/* Reads data[start:stop], which begins with an element; further elements follow commas. */
ScanEnd scan_block(Scan *scan, Text data, size_t start, size_t stop, size_t *end);

/* Makes the elements since the last call part of the columns, or forgets them. scan_keep may lack memory. */
bool scan_keep(Scan *scan);
void scan_undo(Scan *scan);

/* Whether `other` is another scan, of the same columns. */
bool scan_fits(const Scan *scan, const Scan *other);

/* Puts the elements that `other` has kept behind those of `scan`, and takes them out of `other`, which always has to be
   absorbed by the same scan. False without memory: nothing is absorbed. */
bool scan_absorb(Scan *scan, Scan *other);

#endif
