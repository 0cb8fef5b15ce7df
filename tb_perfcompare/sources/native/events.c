#include "events.h"

#include <stdlib.h>

enum { MEMBER_PH, MEMBER_CAT, MEMBER_NAME, MEMBER_PID, MEMBER_TID, MEMBER_TS, MEMBER_DUR, MEMBER_ID, MEMBER_ARGS };
enum { MEMBER_COUNT = MEMBER_ARGS }; /* number of members that are a single value */
enum { ROOT = 0, NOT_KEPT = 1 };     /* indices of the first two literals */
enum { CLOSES = -2 };                /* key of a literal that closes the object */
enum { NO_WORD = 1 };                /* with a mask of zeros it equals no word */
enum { FULL_TRUST = 16 };

#define NAME(text) {text, sizeof(text) - 1}

static const Names MEMBER_KEYS = {
    9,
    {NAME("ph"), NAME("cat"), NAME("name"), NAME("pid"), NAME("tid"), NAME("ts"), NAME("dur"), NAME("id"), NAME("args")},
};

typedef struct {
    Member members[MEMBER_COUNT];
    bool has_phase;
    bool is_bent;
} Event;

/* -- creating, keeping and undoing --------------------------------------------------------------------------------- */

static void init_shapes(Shapes *shapes, const Names *keys)
{
    shapes->keys = keys;
    shapes->count = 2;
    for (size_t i = 0; i < shapes->count; i++) {
        shapes->literals[i].text = NO_NUMBER;
        shapes->literals[i].number_word = NO_WORD;
    }
}

static void init_array(Array *array, size_t size)
{
    array->size = size;
}

static size_t value_size(ColumnKind kind)
{
    return kind == COLUMN_JSON ? sizeof(int32_t) : kind == COLUMN_FLOAT ? sizeof(double) : sizeof(int64_t);
}

Scan *scan_new(const ScanSpec *spec)
{
    Scan *scan = calloc(1, sizeof *scan);
    if (scan == NULL) {
        return NULL;
    }
    scan->spec = *spec;
    scan->member_keys = MEMBER_KEYS;
    texts_init(&scan->texts, spec->seed);
    pairs_init(&scan->lanes, spec->seed);
    pairs_init(&scan->skipped, spec->seed);
    init_array(&scan->name, sizeof(int32_t));
    init_array(&scan->category, sizeof(int32_t));
    init_array(&scan->lane, sizeof(int32_t));
    init_array(&scan->start_ns, sizeof(int64_t));
    init_array(&scan->dur_ns, sizeof(int64_t));
    init_array(&scan->complete, 1);
    init_array(&scan->flow_is_start, 1);
    init_array(&scan->flow_id, sizeof(int64_t));
    init_array(&scan->flow_ns, sizeof(int64_t));
    init_array(&scan->arrow_is_start, 1);
    init_array(&scan->arrow_id, sizeof(int64_t));
    init_array(&scan->arrow_lane, sizeof(int32_t));
    init_array(&scan->arrow_ns, sizeof(int64_t));
    init_array(&scan->skipped_count, sizeof(int64_t));
    init_array(&scan->kept_skipped, sizeof(int64_t));
    init_array(&scan->handed, 1);
    init_array(&scan->text_of, sizeof(int32_t));
    init_array(&scan->lane_of, sizeof(int32_t));
    init_array(&scan->pair_of, sizeof(int32_t));
    for (size_t i = 0; i < spec->keys.count; i++) {
        Column *column = &scan->columns[i];
        init_array(&column->rows, sizeof(int32_t));
        init_array(&column->values, value_size(spec->kinds[i]));
        init_array(&column->odd_rows, sizeof(int32_t));
        init_array(&column->odd_texts, sizeof(int32_t));
    }
    scan->judged_arrow = NO_NUMBER;
    init_shapes(&scan->members, &scan->member_keys);
    init_shapes(&scan->arguments, &scan->spec.keys);
    return scan;
}

void scan_free(Scan *scan)
{
    Array *const arrays[] = {
        &scan->name,           &scan->category,      &scan->lane,         &scan->start_ns, &scan->dur_ns,
        &scan->complete,       &scan->flow_is_start, &scan->flow_id,      &scan->flow_ns,  &scan->arrow_is_start,
        &scan->arrow_id,       &scan->arrow_lane,    &scan->arrow_ns,     &scan->handed,   &scan->skipped_count,
        &scan->kept_skipped,   &scan->text_of,       &scan->lane_of,      &scan->pair_of,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        array_free(arrays[i]);
    }
    for (size_t i = 0; i < scan->spec.keys.count; i++) {
        array_free(&scan->columns[i].rows);
        array_free(&scan->columns[i].values);
        array_free(&scan->columns[i].odd_rows);
        array_free(&scan->columns[i].odd_texts);
    }
    texts_free(&scan->texts);
    pairs_free(&scan->lanes);
    pairs_free(&scan->skipped);
    free(scan);
}

void scan_close(Scan *scan)
{
    texts_close(&scan->texts);
    array_free(&scan->handed);
}

bool scan_keep(Scan *scan)
{
    const size_t pairs = scan->skipped_count.count;
    if (pairs > 0) {
        scan->kept_skipped.count = 0;
        if (!array_reserve(&scan->kept_skipped, pairs)) {
            return false;
        }
        memcpy(scan->kept_skipped.items, scan->skipped_count.items, pairs * sizeof(int64_t));
        scan->kept_skipped.count = pairs;
    }
    scan->kept_tally = scan->tally;
    scan->kept_rows = scan->name.count;
    scan->kept_flows = scan->flow_id.count;
    scan->kept_arrows = scan->arrow_id.count;
    for (size_t i = 0; i < scan->spec.keys.count; i++) {
        scan->kept_args[i][0] = scan->columns[i].rows.count;
        scan->kept_args[i][1] = scan->columns[i].odd_rows.count;
    }
    return true;
}

void scan_undo(Scan *scan)
{
    /* new texts, lanes and pairs may stay: nothing refers to them */
    int64_t *skipped = scan->skipped_count.items;
    for (size_t i = 0; i < scan->skipped_count.count; i++) {
        skipped[i] = i < scan->kept_skipped.count ? ((const int64_t *)scan->kept_skipped.items)[i] : 0;
    }
    scan->tally = scan->kept_tally;
    scan->name.count = scan->category.count = scan->lane.count = scan->kept_rows;
    scan->start_ns.count = scan->dur_ns.count = scan->complete.count = scan->kept_rows;
    scan->flow_is_start.count = scan->flow_id.count = scan->flow_ns.count = scan->kept_flows;
    scan->arrow_is_start.count = scan->arrow_id.count = scan->kept_arrows;
    scan->arrow_lane.count = scan->arrow_ns.count = scan->kept_arrows;
    for (size_t i = 0; i < scan->spec.keys.count; i++) {
        scan->columns[i].rows.count = scan->columns[i].values.count = scan->kept_args[i][0];
        scan->columns[i].odd_rows.count = scan->columns[i].odd_texts.count = scan->kept_args[i][1];
    }
    scan->handed.count = 0;
}

/* -- members of an object ------------------------------------------------------------------------------------------ */

static int16_t key_number(const Names *keys, const Token *key)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (string_equals(key, keys->names[i].text, keys->names[i].size)) {
            return (int16_t)i;
        }
    }
    return NO_NUMBER;
}

/* The literal of these bytes, added if new; literals[NOT_KEPT] if it is too long or there are too many. */
static Literal *literal_of(Shapes *shapes, int16_t key, Text at, size_t size)
{
    Literal **first = &shapes->of_key[key >= 0 ? key : key == NO_NUMBER ? MAX_NAMES : MAX_NAMES + 1];
    for (Literal *literal = *first; literal != NULL; literal = literal->sibling) {
        if (literal->size == size && same_bytes(literal->bytes, at, size)) {
            return literal;
        }
    }
    if (size > MAX_LITERAL_BYTES || shapes->count == MAX_LITERALS) {
        shapes->literals[NOT_KEPT].key = key;
        return &shapes->literals[NOT_KEPT];
    }
    Literal *literal = &shapes->literals[shapes->count++];
    memcpy(literal->bytes, at, size);
    literal->size = size;
    literal->tail_at = size < TAIL ? 0 : size - TAIL;
    memcpy(literal->tail, at + literal->tail_at, size < TAIL ? size : TAIL);
    memset(literal->tail_mask, 0xff, size < TAIL ? size : TAIL);
    literal->key = key;
    literal->text = NO_NUMBER;
    literal->number_word = NO_WORD;
    literal->trust = FULL_TRUST;
    literal->sibling = *first;
    *first = literal;
    return literal;
}

static inline bool has_tail(const Literal *literal, Text at)
{
#if HAS_SSE2
    const __m128i tail = _mm_loadu_si128((const __m128i *)(const void *)literal->tail);
    const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)literal->tail_mask);
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(bytes, mask), tail)) == 0xffff;
#else
    return (load64(at) & load64(literal->tail_mask)) == load64(literal->tail) &&
           (load64(at + 8) & load64(literal->tail_mask + 8)) == load64(literal->tail + 8);
#endif
}

static inline bool literal_ahead(const Literal *literal, Text at, Text end)
{
    if (end - at < MAX_LITERAL_BYTES + TAIL) {
        return (size_t)(end - at) >= literal->size && same_bytes(literal->bytes, at, literal->size);
    }
    if (!has_tail(literal, at + literal->tail_at)) {
        return false;
    }
    for (size_t i = 0; i < literal->tail_at; i += 8) { /* the last load may overlap the tail */
        if (load64(literal->bytes + i) != load64(at + i)) {
            return false;
        }
    }
    return true;
}

/* Records that `literal` followed `before`. */
static void learn_next(Shapes *shapes, Literal *before, Literal *literal)
{
    size_t place = 0;
    if (literal == &shapes->literals[NOT_KEPT]) {
        return;
    }
    while (place < MAX_NEXT - 1 && before->next[place] != NULL) {
        place++;
    }
    before->next[place] = literal; /* if all are taken, it replaces the least frequent one */
    before->hits[place] = 0;
}

/* Reads a comma (except before the first member) and a key in any layout, or the closing brace. */
static Text learn_member(Shapes *shapes, Literal **latest, Text at, Text end)
{
    const Text start = at;
    Literal *before = *latest;
    Token key;
    at = skip_space(at, end);
    if (at < end && *at == '}') {
        *latest = literal_of(shapes, CLOSES, start, (size_t)(at + 1 - start));
        learn_next(shapes, before, *latest);
        return at + 1;
    }
    if (before != &shapes->literals[ROOT]) {
        if (at == end || *at != ',') {
            return NULL;
        }
        at = skip_space(at + 1, end);
    }
    if (at == end || *at != '"') {
        return NULL;
    }
    at = read_token(at, end, &key);
    if (at == NULL) {
        return NULL;
    }
    at = skip_space(at, end);
    if (at == end || *at != ':') {
        return NULL;
    }
    at = skip_space(at + 1, end);
    *latest = literal_of(shapes, key_number(shapes->keys, &key), start, (size_t)(at - start));
    learn_next(shapes, before, *latest);
    return at;
}

/* Continues next_member if the most frequent literal does not follow. */
static Text next_guess(Shapes *shapes, Literal **latest, Text at, Text end)
{
    Literal *before = *latest;
    for (int guess = 1; guess < MAX_NEXT && before->next[guess] != NULL; guess++) {
        Literal *literal = before->next[guess];
        if (literal_ahead(literal, at, end)) {
            const uint32_t hits = ++before->hits[guess];
            if (hits > before->hits[guess - 1]) {
                before->next[guess] = before->next[guess - 1];
                before->hits[guess] = before->hits[guess - 1];
                before->next[guess - 1] = literal;
                before->hits[guess - 1] = hits;
            }
            *latest = literal;
            at += literal->size;
            return literal->key == CLOSES ? at : skip_space(at, end);
        }
    }
    return learn_member(shapes, latest, at, end);
}

/* Advances from the end of a value, or from the opening brace, to the next member's value, or past the closing brace.
   *latest is the preceding literal, and becomes the one read. NULL if the text is not valid. */
static inline Text next_member(Shapes *shapes, Literal **latest, Text at, Text end)
{
    Literal *before = *latest, *literal = before->next[0];
    if (literal == NULL || !literal_ahead(literal, at, end)) {
        return next_guess(shapes, latest, at, end);
    }
    before->hits[0]++;
    *latest = literal;
    at += literal->size;
    return literal->key == CLOSES ? at : skip_space(at, end); /* there may be more space than in the literal */
}

/* Skips the value of a key that is not used; compares it with the latest one of this literal first. */
static inline Text pass_over(Literal *literal, Text at, Text end)
{
    Token token;
    if (literal->trust > 0 && literal->unread_size > 0 && end - at > MAX_UNREAD &&
        same_bytes(literal->unread, at, literal->unread_size) &&
        (!literal->is_unread_number || ends_number(at[literal->unread_size]))) {
        literal->trust = FULL_TRUST;
        return at + literal->unread_size;
    }
    const Text behind = read_value(at, end, &token);
    if (literal->trust > 0 && behind != NULL) {
        literal->trust--;
        literal->is_unread_number = token.kind == KIND_NUMBER;
        literal->unread_size = token.size <= MAX_UNREAD ? (uint8_t)token.size : 0;
        memcpy(literal->unread, at, literal->unread_size);
    }
    return behind;
}

/* Reads the number at `at`. A short one that equals the latest after this literal is not parsed again. */
static inline Text read_number_behind(Literal *literal, Text at, Text end, Token *token)
{
    static const uint8_t BYTES[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    token->at = at;
    token->kind = KIND_NUMBER;
    token->is_escaped = false;
    if (end - at >= 8 && (load64(at) & literal->number_mask) == literal->number_word) {
        token->number = literal->number;
        token->size = literal->number_size;
        return at + token->size;
    }
    const Text behind = read_number(at, end, &token->number);
    token->size = behind == NULL ? 0 : (size_t)(behind - at);
    if (behind != NULL && token->size < 8 && end - at >= 8) {
        literal->number = token->number;
        literal->number_size = token->size;
        literal->number_mask = load64(BYTES + 8 - (token->size + 1));
        literal->number_word = load64(at) & literal->number_mask;
    }
    return behind;
}

enum { ESCAPED = 0x80 }; /* flag added to the kind of a text */

/* Whether text `number` is at `at`; if so, it becomes the member's value. */
static inline bool is_text_ahead(const Scan *scan, int32_t number, Text at, Text end, Member *member)
{
    const size_t size = text_ahead(&scan->texts, number, at, (size_t)(end - at));
    const uint8_t kind = ((const uint8_t *)scan->texts.kinds.items)[number];
    /* the end of all texts but numbers is unambiguous */
    if (size == 0 || (kind == KIND_NUMBER && (at + size == end || !ends_number(at[size])))) {
        return false;
    }
    member->token.at = at;
    member->token.size = size;
    member->token.kind = (Kind)(kind & ~ESCAPED);
    member->token.is_escaped = (kind & ESCAPED) != 0;
    member->text = number;
    return true;
}

/* Reads the value at `at`. Two guesses need neither hash nor lookup: the latest value after this literal, and the value
   that followed that one last time. */
static inline Text read_text(Scan *scan, Literal *literal, Text at, Text end, Member *member)
{
    member->literal = literal;
    if (literal->text >= 0) {
        if (is_text_ahead(scan, literal->text, at, end, member)) {
            return at + member->token.size;
        }
        const int32_t next = ((const int32_t *)scan->texts.next.items)[literal->text];
        if (next >= 0 && is_text_ahead(scan, next, at, end, member)) {
            literal->text = next;
            return at + member->token.size;
        }
    }
    member->text = NO_NUMBER;
    at = read_value(at, end, &member->token);
    if (at != NULL && member->token.kind == KIND_STRING) { /* the lookup is done when the event is complete */
        member->hash = texts_hash(&scan->texts, member->token.at, member->token.size);
        slots_fetch(&scan->texts.slots, member->hash);
    }
    return at;
}

static int32_t new_text_number(Scan *scan, Member *member)
{
    const uint8_t kind = (uint8_t)(member->token.kind | (member->token.is_escaped ? ESCAPED : 0));
    const Token *token = &member->token;
    const uint32_t hash =
        token->kind == KIND_STRING ? member->hash : texts_hash(&scan->texts, token->at, token->size);
    member->text = texts_intern(&scan->texts, token->at, token->size, hash, kind);
    if (member->text >= 0 && member->literal->size > 0) { /* literals[NOT_KEPT] has size 0 and no text */
        Literal *literal = member->literal;
        if (literal->text >= 0) {
            ((int32_t *)scan->texts.next.items)[literal->text] = member->text;
        }
        literal->text = member->text;
    }
    scan->is_out_of_memory |= member->text == NO_ROOM;
    return member->text;
}

/* The number of a member's text; NO_NUMBER for null, NO_ROOM if out of memory. */
static inline int32_t text_number(Scan *scan, Member *member)
{
    return member->text >= 0 || member->token.kind == KIND_NULL ? member->text : new_text_number(scan, member);
}

/* -- arguments ----------------------------------------------------------------------------------------------------- */

static void drop_arguments(Scan *scan)
{
    for (size_t i = 0; i < scan->held_count; i++) {
        scan->held_at[scan->held[i].key] = 0;
    }
    scan->held_count = 0;
}

/* Reads the arguments in the object at `at` and holds them until it is known whether the event is kept. */
static Text read_arguments(Scan *scan, Text at, Text end)
{
    Shapes *shapes = &scan->arguments;
    Literal *literal = &shapes->literals[ROOT];
    drop_arguments(scan);
    at++;
    for (;;) {
        at = next_member(shapes, &literal, at, end);
        if (at == NULL) {
            return NULL;
        }
        const int16_t key = literal->key;
        if (key == CLOSES) {
            return at;
        }
        if (key == NO_NUMBER) {
            at = pass_over(literal, at, end);
        } else {
            if (scan->held_at[key] == 0) {
                scan->held_at[key] = (uint16_t)++scan->held_count;
            }
            Member *member = &scan->held[scan->held_at[key] - 1]; /* the last of equal keys counts */
            member->key = key;
            if (scan->spec.kinds[key] != COLUMN_JSON && literal->text < 0 && at < end && is_digit(*at)) {
                member->literal = literal;
                member->text = NO_NUMBER;
                at = read_number_behind(literal, at, end, &member->token);
            } else {
                at = read_text(scan, literal, at, end, member);
            }
        }
        if (at == NULL) {
            return NULL;
        }
    }
}

static bool keep_odd(Scan *scan, Column *column, int32_t row, Member *member)
{
    const int32_t text = text_number(scan, member);
    if (text < 0 || !array_has_room(&column->odd_rows) || !array_has_room(&column->odd_texts)) {
        return false;
    }
    put_int32(&column->odd_rows, row);
    put_int32(&column->odd_texts, text);
    return true;
}

/* Puts an argument into its column. False if out of memory. */
static bool keep_argument(Scan *scan, int32_t row, Member *member)
{
    Column *column = &scan->columns[member->key];
    const Token *token = &member->token;
    const ColumnKind kind = scan->spec.kinds[member->key];
    if (!array_has_room(&column->rows) || !array_has_room(&column->values)) {
        return false;
    }
    if (kind == COLUMN_JSON) {
        const int32_t text = text_number(scan, member);
        if (text < 0) {
            return text == NO_NUMBER; /* null means no argument */
        }
        put_int32(&column->values, text);
    } else if (member->text >= 0) {
        return keep_odd(scan, column, row, member);
    } else if (kind == COLUMN_INT) {
        int64_t value;
        if (!plain_integer(token, &value)) {
            const bool may_be_one = token->kind == KIND_NUMBER || token->kind == KIND_STRING;
            return !may_be_one || keep_odd(scan, column, row, member);
        }
        put_int64(&column->values, value);
    } else {
        double value;
        if (!plain_double(token, &value)) {
            const bool may_be_one = token->kind == KIND_NUMBER || token->kind == KIND_STRING;
            return !may_be_one || keep_odd(scan, column, row, member);
        }
        ((double *)column->values.items)[column->values.count++] = value;
    }
    put_int32(&column->rows, row);
    return true;
}

/* -- events -------------------------------------------------------------------------------------------------------- */

static uint8_t to_lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Whether a category is one of these (1) or not (0); -1 if Python must decide, which also lowers letters beyond ASCII. */
static int is_category(const Token *token, const Names *names)
{
    if (names->count == 0 || token->kind != KIND_STRING) {
        return 0;
    }
    const Text letters = token->at + 1;
    if (token->is_escaped) {
        return -1;
    }
    for (size_t i = 0; i + 2 < token->size; i++) {
        if (letters[i] >= 0x80) {
            return -1;
        }
    }
    for (size_t n = 0; n < names->count; n++) {
        const Name *name = &names->names[n];
        size_t i = 0;
        while (token->size == name->size + 2 && i < name->size && to_lower(letters[i]) == (uint8_t)name->text[i]) {
            i++;
        }
        if (token->size == name->size + 2 && i == name->size) {
            return 1;
        }
    }
    return 0;
}

/* Sets scan->is_flow and is_joining for an arrow's category; remembers the latest category. */
static void judge_arrow(Scan *scan, const Member *category)
{
    if (category->text < 0 || category->text != scan->judged_arrow) {
        scan->is_flow = (int8_t)is_category(&category->token, &scan->spec.flows);
        scan->is_joining = (int8_t)is_category(&category->token, &scan->spec.arrows);
        scan->judged_arrow = category->text;
    }
}

/* Whether the element is left to the caller. `phase` has no escapes; `name` is the category for a complete event. */
static bool is_handed(const ScanSpec *spec, const Token *phase, const Token *name)
{
    if (phase->kind != KIND_STRING) {
        return false;
    }
    for (size_t i = 0; i < spec->handed_phases.count; i++) {
        const Name *wanted_phase = &spec->handed_phases.names[i], *wanted_name = &spec->handed_names.names[i];
        if (phase->size == wanted_phase->size + 2 && phase->at[1] == (uint8_t)wanted_phase->text[0] &&
            memcmp(phase->at + 1, wanted_phase->text, wanted_phase->size) == 0 &&
            (wanted_name->size == 0 ||
             (name->kind == KIND_STRING && string_equals(name, wanted_name->text, wanted_name->size)))) {
            return true;
        }
    }
    return false;
}

static bool hand_over(Scan *scan, Text at, size_t size)
{
    Array *handed = &scan->handed;
    if (size > SIZE_MAX - 2 || !array_reserve(handed, size + 2)) {
        scan->is_out_of_memory = true;
        return false;
    }
    if (handed->count == 0) {
        put_byte(handed, '[');
    } else {
        ((uint8_t *)handed->items)[handed->count - 1] = ',';
    }
    memcpy((uint8_t *)handed->items + handed->count, at, size);
    handed->count += size;
    put_byte(handed, ']');
    return true;
}

static bool count_skipped(Scan *scan, Event *event)
{
    const int32_t phase = text_number(scan, &event->members[MEMBER_PH]);
    const int32_t category = text_number(scan, &event->members[MEMBER_CAT]);
    if (scan->is_out_of_memory) {
        return false;
    }
    const int32_t pair = pairs_number(&scan->skipped, phase, category);
    if (pair == NO_ROOM) {
        scan->is_out_of_memory = true;
        return false;
    }
    while (scan->skipped_count.count <= (size_t)pair) {
        if (!array_has_room(&scan->skipped_count)) {
            scan->is_out_of_memory = true;
            return false;
        }
        put_int64(&scan->skipped_count, 0);
    }
    ((int64_t *)scan->skipped_count.items)[pair]++;
    return true;
}

/* Reads the integer of an arrow's id: 1 if read, 0 if it has none, -1 if Python must decide. */
static int arrow_id(const Token *token, int64_t *value)
{
    Token inner;
    switch (token->kind) {
    case KIND_NUMBER:
        return plain_integer(token, value) ? 1 : -1;
    case KIND_STRING:
        return number_inside(token, &inner) && plain_integer(&inner, value) ? 1 : -1;
    default:
        return 0;
    }
}

static bool keep_flow(Scan *scan, bool is_start, int has_id, int64_t id, TimeKind time, int64_t ns)
{
    if (has_id == 0) {
        scan->tally.without_flow_id++;
    } else if (time == TIME_NONE) {
        scan->tally.without_ts++;
    } else {
        if (!array_has_room(&scan->flow_is_start) || !array_has_room(&scan->flow_id) ||
            !array_has_room(&scan->flow_ns)) {
            scan->is_out_of_memory = true;
            return false;
        }
        put_byte(&scan->flow_is_start, is_start);
        put_int64(&scan->flow_id, id);
        put_int64(&scan->flow_ns, ns);
    }
    return true;
}

/* The lane of an event: the number of its pair of pid and tid. */
static int32_t lane_of(Scan *scan, Event *event, bool *is_known)
{
    const int32_t pid = text_number(scan, &event->members[MEMBER_PID]);
    const int32_t tid = text_number(scan, &event->members[MEMBER_TID]);
    const int32_t lane = scan->is_out_of_memory ? NO_ROOM : pairs_number(&scan->lanes, pid, tid);
    *is_known = pid != NO_NUMBER && tid != NO_NUMBER;
    scan->is_out_of_memory |= lane == NO_ROOM;
    return lane;
}

static bool keep_operator_arrow(Scan *scan, Event *event, bool is_start, int64_t id, int64_t ns)
{
    bool is_known;
    const int32_t lane = lane_of(scan, event, &is_known);
    if (scan->is_out_of_memory || !array_has_room(&scan->arrow_is_start) || !array_has_room(&scan->arrow_id) ||
        !array_has_room(&scan->arrow_lane) || !array_has_room(&scan->arrow_ns)) {
        scan->is_out_of_memory = true;
        return false;
    }
    if (is_known) {
        put_byte(&scan->arrow_is_start, is_start);
        put_int64(&scan->arrow_id, id);
        put_int32(&scan->arrow_lane, lane);
        put_int64(&scan->arrow_ns, ns);
    }
    return true;
}

/* Takes one end of an arrow. False if Python must read it, or if out of memory. */
static bool file_arrow(Scan *scan, Event *event, bool is_start)
{
    judge_arrow(scan, &event->members[MEMBER_CAT]);
    const int is_flow = scan->is_flow, joins = scan->is_joining;
    int64_t id = 0, ns = 0;
    if (is_flow == 0 && joins == 0) {
        return count_skipped(scan, event);
    }
    const int has_id = arrow_id(&event->members[MEMBER_ID].token, &id);
    const TimeKind time = read_time(&event->members[MEMBER_TS].token, &ns);
    if (is_flow < 0 || joins < 0 || has_id < 0 || time == TIME_UNKNOWN) {
        return false;
    }
    if (joins && has_id && time != TIME_NONE && !keep_operator_arrow(scan, event, is_start, id, ns)) {
        return false;
    }
    return is_flow ? keep_flow(scan, is_start, has_id, id, time, ns) : count_skipped(scan, event);
}

/* Reserves room for another row. */
static bool reserve_rows(Scan *scan)
{
    Array *const arrays[] = {&scan->name, &scan->category, &scan->lane, &scan->start_ns, &scan->dur_ns, &scan->complete};
    size_t room = INT32_MAX;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (scan->name.count >= INT32_MAX || !array_reserve(arrays[i], 1)) {
            scan->is_out_of_memory = true;
            return false;
        }
        room = arrays[i]->room < room ? arrays[i]->room : room;
    }
    scan->row_room = room;
    return true;
}

/* Adds a complete event, or a memory event, which has no duration. False if Python must read it, or if out of memory. */
static bool keep_row(Scan *scan, Event *event, bool is_complete)
{
    Member *members = event->members;
    Tally *tally = &scan->tally;
    int64_t start_ns, dur_ns = 0;
    bool has_place = false;
    const TimeKind start = read_time(&members[MEMBER_TS].token, &start_ns);
    const TimeKind length = is_complete ? read_time(&members[MEMBER_DUR].token, &dur_ns) : TIME_EXACT;
    if (start == TIME_UNKNOWN || length == TIME_UNKNOWN) {
        return false;
    }
    if (members[MEMBER_NAME].token.kind == KIND_NULL) {
        tally->without_name++;
        return true;
    }
    if (start == TIME_NONE) {
        tally->without_ts++;
        return true;
    }
    if (length == TIME_NONE) {
        tally->without_dur++;
        return true;
    }
    const size_t row = scan->name.count;
    if (row >= scan->row_room && !reserve_rows(scan)) { /* absorbing other rows may exceed it */
        return false;
    }
    const int32_t name = text_number(scan, &members[MEMBER_NAME]);
    const int32_t category = text_number(scan, &members[MEMBER_CAT]);
    const int32_t lane = lane_of(scan, event, &has_place);
    for (size_t i = 0; i < scan->held_count && !scan->is_out_of_memory; i++) {
        scan->is_out_of_memory = !keep_argument(scan, (int32_t)row, &scan->held[i]);
    }
    if (scan->is_out_of_memory) {
        return false;
    }
    put_int32(&scan->name, name);
    put_int32(&scan->category, category);
    put_int32(&scan->lane, lane);
    put_int64(&scan->start_ns, start_ns);
    put_int64(&scan->dur_ns, dur_ns < 0 ? 0 : dur_ns);
    put_byte(&scan->complete, (uint8_t)is_complete);
    tally->without_cat += is_complete && category == NO_NUMBER;
    tally->without_place += !has_place;
    tally->negative += dur_ns < 0;
    tally->rounded += (start == TIME_ROUNDED) + (length == TIME_ROUNDED);
    return true;
}

/* Adds a complete element to the rows, the arrows, the handed elements or the skipped counts. False if Python must read
   it, or if out of memory. */
static bool file_event(Scan *scan, Event *event, Text at, size_t size)
{
    const Token *phase = &event->members[MEMBER_PH].token;
    const Token *name = &event->members[MEMBER_NAME].token;
    uint8_t letter = 0;
    if (phase->kind == KIND_STRING) {
        if (phase->is_escaped) {
            return false;
        }
        letter = phase->size == 3 ? phase->at[1] : 0;
    }
    bool is_row = letter == 'X';
    if (letter == 'i') {
        is_row = name->kind == KIND_STRING && string_equals(name, scan->spec.memory.text, scan->spec.memory.size);
    }
    const Token *asked = letter == 'X' ? &event->members[MEMBER_CAT].token : name;
    if (is_handed(&scan->spec, phase, asked)) {
        return hand_over(scan, at, size); /* the caller counts it */
    }
    scan->tally.seen++;
    scan->tally.bent += event->is_bent;
    if (is_row) {
        return keep_row(scan, event, letter == 'X');
    }
    if (letter == 's' || letter == 'f') {
        return file_arrow(scan, event, letter == 's');
    }
    return count_skipped(scan, event);
}

/* Whether a value's type is valid for its member; sets *is_foreign for a number that Python must read. */
static bool has_fitting_type(int16_t key, const Member *member, bool *is_foreign)
{
    const Token *token = &member->token;
    switch (token->kind) {
    case KIND_NULL:
    case KIND_STRING:
        return true;
    case KIND_NUMBER:
        if (key != MEMBER_PID && key != MEMBER_TID) {
            return false;
        }
        *is_foreign = member->text < 0 && (token->number.has_exponent || token->number.count > MAX_PLAIN_DIGITS);
        return true;
    default:
        return false;
    }
}

/* Whether the event's arguments may be needed, judging by its phase if that is known yet. */
static bool may_have_arguments(const Event *event)
{
    const Token *phase = &event->members[MEMBER_PH].token;
    if (!event->has_phase) {
        return true;
    }
    return phase->kind == KIND_STRING && phase->size == 3 && (phase->at[1] == 'X' || phase->at[1] == 'i');
}

static Text read_args_member(Scan *scan, Event *event, Text at, Text end)
{
    Token token;
    if (at < end && *at == '{' && may_have_arguments(event)) {
        return read_arguments(scan, at, end);
    }
    drop_arguments(scan);
    at = read_token(at, end, &token);
    event->is_bent |= at != NULL && token.kind != KIND_OBJECT && token.kind != KIND_NULL;
    return at;
}

/* Takes the object at `at`. NULL if it is not understood, or if out of memory. */
static Text take_event(Scan *scan, Text at, Text end)
{
    const Text start = at;
    Shapes *shapes = &scan->members;
    Event event;
    Literal *literal = &shapes->literals[ROOT];
    event.has_phase = event.is_bent = false;
    for (int i = 0; i < MEMBER_COUNT; i++) {
        event.members[i].token.kind = KIND_NULL;
        event.members[i].text = NO_NUMBER;
    }
    drop_arguments(scan);
    at++;
    for (;;) {
        bool is_foreign = false;
        at = next_member(shapes, &literal, at, end);
        if (at == NULL) {
            return NULL;
        }
        const int16_t key = literal->key;
        if (key == CLOSES) {
            scan->ends_with_event = event.members[MEMBER_PH].token.kind == KIND_STRING;
            return file_event(scan, &event, start, (size_t)(at - start)) ? at : NULL;
        }
        if (key == MEMBER_PH) {
            if (event.has_phase) {
                return NULL; /* arguments may have been skipped because of the first one */
            }
            event.has_phase = true;
        }
        switch (key) {
        case MEMBER_PH:
        case MEMBER_CAT:
        case MEMBER_NAME:
        case MEMBER_PID:
        case MEMBER_TID:
            at = read_text(scan, literal, at, end, &event.members[key]);
            if (at != NULL && !has_fitting_type(key, &event.members[key], &is_foreign)) {
                event.is_bent = true;
                event.members[key].token.kind = KIND_NULL;
                event.members[key].text = NO_NUMBER;
            }
            break;
        case MEMBER_TS:
        case MEMBER_DUR:
        case MEMBER_ID:
            at = read_value(at, end, &event.members[key].token);
            break;
        case MEMBER_ARGS:
            at = read_args_member(scan, &event, at, end);
            break;
        default:
            at = pass_over(literal, at, end);
        }
        if (at == NULL || is_foreign) {
            return NULL;
        }
    }
}

ScanEnd scan_block(Scan *scan, Text data, size_t start, size_t stop, size_t *end)
{
    const Text last = data + stop;
    Text at = data + start, good = at;
    bool is_first = true;
    scan_undo(scan);
    scan->is_out_of_memory = scan->ends_with_event = false;
    for (;; is_first = false) {
        /* an element that is not understood has only been counted so far: restore these counts then */
        const int64_t seen = scan->tally.seen, bent = scan->tally.bent, not_objects = scan->tally.not_objects;
        const bool is_object = at < last && *at == '{';
        good = at;
        if (at < last && *at == ']' && is_first) {
            *end = (size_t)(at - data);
            return SCAN_CLOSED;
        }
        if (is_object) {
            at = take_event(scan, at, last);
        } else {
            Token other;
            scan->ends_with_event = false;
            at = read_token(at, last, &other);
            scan->tally.seen++;
            scan->tally.not_objects++;
        }
        at = at == NULL ? NULL : skip_space(at, last);
        if (at != NULL && at < last && *at == ']') {
            *end = (size_t)(at - data);
            return SCAN_CLOSED;
        }
        const bool goes_on = at != NULL && at < last && *at == ',';
        if (at == NULL || (!goes_on && at != last && !is_object)) {
            scan->tally.seen = seen;
            scan->tally.bent = bent;
            scan->tally.not_objects = not_objects;
            break;
        }
        good = at;
        if (!goes_on) {
            break;
        }
        at = skip_space(at + 1, last);
    }
    if (scan->is_out_of_memory || !scan_keep(scan)) {
        scan_undo(scan);
        *end = start;
        return SCAN_NO_MEMORY;
    }
    *end = (size_t)(good - data);
    return good == last ? SCAN_TAKEN : SCAN_FOREIGN;
}
