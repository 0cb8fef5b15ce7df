/* Appends the elements of one scan to those of another. If parts of a file, scanned by several threads, are absorbed in
   file order, the columns equal those of a single scan. Texts, lanes and pairs are then numbered by first appearance in
   the file, since every scan numbers them in that order. */
#include "events.h"

enum { MAX_TEXTS = 1 << 15, MAX_TEXT_BYTES = 2 << 20 }; /* that a scan remembers after it was absorbed */

static bool reserve(Array *array, size_t more)
{
    return more <= array->room - array->count || array_reserve(array, more);
}

static bool append(Array *into, const Array *from)
{
    if (from->count == 0) {
        return true;
    }
    if (!reserve(into, from->count)) {
        return false;
    }
    memcpy((uint8_t *)into->items + into->count * into->size, from->items, from->count * from->size);
    into->count += from->count;
    return true;
}

/* Appends numbers of texts or pairs, converted to the absorbing scan's numbers. */
static bool append_numbers(Array *into, const Array *from, const Array *number_of)
{
    const int32_t *numbers = from->items, *others = number_of->items;
    if (!reserve(into, from->count)) {
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        put_int32(into, numbers[i] < 0 ? NO_NUMBER : others[numbers[i]]);
    }
    return true;
}

static bool append_rows(Array *into, const Array *from, int32_t before)
{
    const int32_t *rows = from->items;
    if (!reserve(into, from->count)) {
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        put_int32(into, rows[i] + before);
    }
    return true;
}

/* -- texts and pairs ----------------------------------------------------------------------------------------------- */

static bool absorb_texts(Scan *scan, Scan *other)
{
    const Texts *texts = &other->texts;
    const int64_t *ends = texts->ends.items;
    if (!reserve(&other->text_of, texts->ends.count - other->text_of.count)) {
        return false;
    }
    for (size_t i = other->text_of.count; i < texts->ends.count; i++) {
        const size_t start = i == 0 ? 0 : (size_t)ends[i - 1], size = (size_t)ends[i] - start;
        const Text text = (Text)texts->bytes.items + start;
        const uint8_t kind = ((const uint8_t *)texts->kinds.items)[i];
        const int32_t number = texts_intern(&scan->texts, text, size, texts_hash(&scan->texts, text, size), kind);
        if (number == NO_ROOM) {
            return false;
        }
        put_int32(&other->text_of, number);
    }
    return true;
}

static bool absorb_pairs(Pairs *pairs, const Pairs *others, const Array *text_of, Array *pair_of)
{
    const int32_t *firsts = others->firsts.items, *seconds = others->seconds.items, *texts = text_of->items;
    if (!reserve(pair_of, others->firsts.count - pair_of->count)) {
        return false;
    }
    for (size_t i = pair_of->count; i < others->firsts.count; i++) {
        const int32_t first = firsts[i] < 0 ? NO_NUMBER : texts[firsts[i]];
        const int32_t second = seconds[i] < 0 ? NO_NUMBER : texts[seconds[i]];
        const int32_t number = pairs_number(pairs, first, second);
        if (number == NO_ROOM) {
            return false;
        }
        put_int32(pair_of, number);
    }
    return true;
}

static bool reserve_skipped(Scan *scan)
{
    while (scan->skipped_count.count < scan->skipped.firsts.count) {
        if (!array_has_room(&scan->skipped_count)) {
            return false;
        }
        put_int64(&scan->skipped_count, 0);
    }
    return true;
}

static void add_counts(Scan *scan, const Scan *other)
{
    Tally *tally = &scan->tally;
    const Tally *more = &other->tally;
    for (size_t i = 0; i < other->skipped_count.count; i++) {
        const int32_t pair = ((const int32_t *)other->pair_of.items)[i];
        ((int64_t *)scan->skipped_count.items)[pair] += ((const int64_t *)other->skipped_count.items)[i];
    }
    tally->seen += more->seen;
    tally->not_objects += more->not_objects;
    tally->bent += more->bent;
    tally->without_name += more->without_name;
    tally->without_ts += more->without_ts;
    tally->without_dur += more->without_dur;
    tally->without_flow_id += more->without_flow_id;
    tally->without_cat += more->without_cat;
    tally->without_place += more->without_place;
    tally->negative += more->negative;
    tally->rounded += more->rounded;
}

/* -- the columns --------------------------------------------------------------------------------------------------- */

static bool absorb_rows(Scan *scan, const Scan *other)
{
    const size_t before = scan->name.count;
    if (other->name.count > (size_t)INT32_MAX - before) {
        return false;
    }
    for (size_t i = 0; i < scan->spec.keys.count; i++) {
        Column *column = &scan->columns[i];
        const Column *theirs = &other->columns[i];
        const bool is_text = scan->spec.kinds[i] == COLUMN_JSON;
        if (!append_rows(&column->rows, &theirs->rows, (int32_t)before) ||
            !append_rows(&column->odd_rows, &theirs->odd_rows, (int32_t)before) ||
            !(is_text ? append_numbers(&column->values, &theirs->values, &other->text_of)
                      : append(&column->values, &theirs->values)) ||
            !append_numbers(&column->odd_texts, &theirs->odd_texts, &other->text_of)) {
            return false;
        }
    }
    return append_numbers(&scan->name, &other->name, &other->text_of) &&
           append_numbers(&scan->category, &other->category, &other->text_of) &&
           append_numbers(&scan->lane, &other->lane, &other->lane_of) && append(&scan->start_ns, &other->start_ns) &&
           append(&scan->dur_ns, &other->dur_ns) && append(&scan->complete, &other->complete);
}

static bool absorb_arrows(Scan *scan, const Scan *other)
{
    return append(&scan->flow_is_start, &other->flow_is_start) && append(&scan->flow_id, &other->flow_id) &&
           append(&scan->flow_ns, &other->flow_ns) && append(&scan->arrow_is_start, &other->arrow_is_start) &&
           append(&scan->arrow_id, &other->arrow_id) && append(&scan->arrow_ns, &other->arrow_ns) &&
           append_numbers(&scan->arrow_lane, &other->arrow_lane, &other->lane_of);
}

/* -- the absorbed scan --------------------------------------------------------------------------------------------- */

/* Removes the elements, but keeps texts and literals, with which the next elements are read faster. */
static void empty(Scan *scan)
{
    static const Tally NOTHING = {0};
    scan->kept_tally = NOTHING;
    scan->kept_skipped.count = 0;
    scan->kept_rows = scan->kept_flows = scan->kept_arrows = 0;
    memset(scan->kept_args, 0, sizeof scan->kept_args);
    scan_undo(scan);
}

static void forget_texts_of(Shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        shapes->literals[i].text = NO_NUMBER;
    }
}

/* Removes all texts if there are many, so that not every thread holds those of the whole file. */
static void forget_many_texts(Scan *scan)
{
    if (scan->texts.ends.count <= MAX_TEXTS && scan->texts.bytes.count <= MAX_TEXT_BYTES) {
        return;
    }
    texts_free(&scan->texts);
    pairs_free(&scan->lanes);
    pairs_free(&scan->skipped);
    texts_init(&scan->texts, scan->spec.seed);
    pairs_init(&scan->lanes, scan->spec.seed);
    pairs_init(&scan->skipped, scan->spec.seed);
    scan->skipped_count.count = scan->text_of.count = scan->lane_of.count = scan->pair_of.count = 0;
    scan->judged_arrow = NO_NUMBER;
    forget_texts_of(&scan->members);
    forget_texts_of(&scan->arguments);
}

bool scan_fits(const Scan *scan, const Scan *other)
{
    return scan != other && scan->spec.keys.count == other->spec.keys.count &&
           memcmp(scan->spec.kinds, other->spec.kinds, sizeof scan->spec.kinds) == 0;
}

bool scan_absorb(Scan *scan, Scan *other)
{
    scan_undo(scan);
    scan_undo(other);
    if (!absorb_texts(scan, other) || !absorb_pairs(&scan->lanes, &other->lanes, &other->text_of, &other->lane_of) ||
        !absorb_pairs(&scan->skipped, &other->skipped, &other->text_of, &other->pair_of) || !reserve_skipped(scan)) {
        return false;
    }
    add_counts(scan, other);
    if (!absorb_rows(scan, other) || !absorb_arrows(scan, other) || !scan_keep(scan)) {
        scan_undo(scan);
        return false;
    }
    empty(other);
    forget_many_texts(other);
    return true;
}
