/* Feeds damaged traces to tb_perfcompare/sources/native/ and checks what must hold whatever the bytes are.

   Built with sanitizers by `python -m tests.fuzz`: with libFuzzer where the compiler has it, else with the mutating main()
   below. Memory requests fail at random in a part of the runs. */
#include "fuzz.h"

#define realloc fuzz_realloc
#define calloc fuzz_calloc
#include "absorb.c"
#include "events.c"
#include "store.c"
#include "tokens.c"
#undef realloc
#undef calloc

static const ScanSpec SPEC = {
    .keys = {7, {NAME("External id"), NAME("stream"), NAME("Input Dims"), NAME("blocks per SM"), NAME("grid"), NAME("a"),
                 NAME("Call stack")}},
    .kinds = {COLUMN_INT, COLUMN_INT, COLUMN_JSON, COLUMN_FLOAT, COLUMN_JSON, COLUMN_FLOAT, COLUMN_JSON},
    .memory = NAME("[memory]"),
    .flows = {2, {NAME("fwdbwd"), NAME("forward_backward")}},
    .arrows = {1, {NAME("async_npu")}},
    .handed_phases = {3, {NAME("M"), NAME("C"), NAME("X")}},
    .handed_names = {3, {NAME("process_name"), NAME(""), NAME("cuda_profiler_range")}},
    .seed = 7,
};

static void check_numbers(const Array *array, int32_t least, size_t below)
{
    const int32_t *numbers = array->items;
    for (size_t i = 0; i < array->count; i++) {
        MUST(numbers[i] >= least && (numbers[i] < 0 || (size_t)numbers[i] < below));
    }
}

static void check_rows(const Array *array, size_t below)
{
    const int32_t *rows = array->items;
    for (size_t i = 0; i < array->count; i++) {
        MUST(rows[i] >= 0 && (size_t)rows[i] < below && (i == 0 || rows[i - 1] < rows[i]));
    }
}

/* Columns are equally long, numbers point to something, and every element was counted once. */
static void check(const Scan *scan)
{
    const size_t rows = scan->name.count, texts = scan->texts.ends.count, lanes = scan->lanes.firsts.count;
    const Tally *tally = &scan->tally;
    MUST(scan->category.count == rows && scan->lane.count == rows && scan->complete.count == rows);
    MUST(scan->start_ns.count == rows && scan->dur_ns.count == rows && scan->texts.kinds.count == texts);
    MUST(scan->flow_id.count == scan->flow_ns.count && scan->flow_id.count == scan->flow_is_start.count);
    MUST(scan->arrow_id.count == scan->arrow_ns.count && scan->arrow_id.count == scan->arrow_lane.count);
    check_numbers(&scan->name, 0, texts);
    check_numbers(&scan->category, NO_NUMBER, texts);
    check_numbers(&scan->lane, 0, lanes);
    check_numbers(&scan->arrow_lane, 0, lanes);
    check_numbers(&scan->lanes.firsts, NO_NUMBER, texts);
    check_numbers(&scan->lanes.seconds, NO_NUMBER, texts);
    for (size_t i = 0; i < scan->spec.keys.count; i++) {
        const Column *column = &scan->columns[i];
        MUST(column->rows.count == column->values.count && column->odd_rows.count == column->odd_texts.count);
        check_rows(&column->rows, rows);
        check_rows(&column->odd_rows, rows);
        check_numbers(&column->odd_texts, 0, texts);
        if (scan->spec.kinds[i] == COLUMN_JSON) {
            check_numbers(&column->values, 0, texts);
        }
    }
    int64_t skipped = 0;
    for (size_t i = 0; i < scan->skipped_count.count; i++) {
        skipped += ((const int64_t *)scan->skipped_count.items)[i];
    }
    MUST(tally->seen == (int64_t)(rows + scan->flow_id.count) + skipped + tally->not_objects + tally->without_name +
                            tally->without_ts + tally->without_dur + tally->without_flow_id);
    for (size_t i = 0; i < rows; i++) {
        MUST(((const int64_t *)scan->dur_ns.items)[i] >= 0);
    }
}

static void check_same_array(const Array *a, const Array *b)
{
    MUST(a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * a->size) == 0));
}

/* A scan that has absorbed others is as if it had taken everything itself. */
static void check_same(const Scan *a, const Scan *b)
{
    const Array *const arrays[][2] = {
        {&a->name, &b->name},
        {&a->category, &b->category},
        {&a->lane, &b->lane},
        {&a->start_ns, &b->start_ns},
        {&a->dur_ns, &b->dur_ns},
        {&a->complete, &b->complete},
        {&a->flow_is_start, &b->flow_is_start},
        {&a->flow_id, &b->flow_id},
        {&a->flow_ns, &b->flow_ns},
        {&a->arrow_is_start, &b->arrow_is_start},
        {&a->arrow_id, &b->arrow_id},
        {&a->arrow_lane, &b->arrow_lane},
        {&a->arrow_ns, &b->arrow_ns},
        {&a->texts.bytes, &b->texts.bytes},
        {&a->texts.ends, &b->texts.ends},
        {&a->lanes.firsts, &b->lanes.firsts},
        {&a->lanes.seconds, &b->lanes.seconds},
        {&a->skipped.firsts, &b->skipped.firsts},
        {&a->skipped.seconds, &b->skipped.seconds},
        {&a->skipped_count, &b->skipped_count},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        check_same_array(arrays[i][0], arrays[i][1]);
    }
    for (size_t i = 0; i < a->spec.keys.count; i++) {
        check_same_array(&a->columns[i].rows, &b->columns[i].rows);
        check_same_array(&a->columns[i].values, &b->columns[i].values);
        check_same_array(&a->columns[i].odd_rows, &b->columns[i].odd_rows);
        check_same_array(&a->columns[i].odd_texts, &b->columns[i].odd_texts);
    }
    MUST(memcmp(&a->tally, &b->tally, sizeof a->tally) == 0);
}

/* Where a zero ends a block that begins at `at`. */
static size_t block_end(const uint8_t *data, size_t at, size_t size)
{
    const uint8_t *zero = memchr(data + at, 0, size - at);
    return zero == NULL ? size : (size_t)(zero - data);
}

static void take_block(Scan *scan, const uint8_t *data, size_t at, size_t stop, bool keeps)
{
    size_t end = 0;
    uint8_t *block = malloc(stop - at + 1);
    MUST(block != NULL);
    memcpy(block, data + at, stop - at);
    if (scan_block(scan, block, 0, stop - at, &end) == SCAN_CLOSED && (!keeps || !scan_keep(scan))) {
        scan_undo(scan);
    }
    free(block);
}

/* Blocks taken by one scan, and by four in turns of which one absorbs the others. */
static void take_in_turns(const uint8_t *data, size_t size)
{
    enum { SCANS = 4 };
    ScanSpec spec = SPEC;
    Scan *alone = scan_new(&spec), *scans[SCANS];
    bool all = alone != NULL;
    for (int i = 0; i < SCANS; i++) {
        spec.seed += 1;
        scans[i] = scan_new(&spec);
        all = all && scans[i] != NULL;
    }
    for (size_t at = 3, turn = 0; all && at < size; turn++) {
        const size_t stop = block_end(data, at, size);
        Scan *scan = scans[data[1] & 1 ? draw(SCANS) : turn % SCANS];
        take_block(alone, data, at, stop, data[2] & 1);
        take_block(scan, data, at, stop, data[2] & 1);
        if (scan != scans[0]) {
            MUST(scan_fits(scans[0], scan));
            all = scan_absorb(scans[0], scan);
            MUST(all || fail_one_in);
            check(scans[0]);
            check(scan);
        }
        at = stop + 1;
    }
    if (all && !fail_one_in) {
        check_same(alone, scans[0]);
    }
    for (int i = 0; i < SCANS; i++) {
        if (scans[i] != NULL) {
            scan_free(scans[i]);
        }
    }
    if (alone != NULL) {
        scan_free(alone);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first three bytes choose options, the rest are blocks divided by zero bytes, each in memory of its exact size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) {
        return 0;
    }
    ScanSpec spec = SPEC;
    state = 88172645463325252ULL + data[1];
    fail_one_in = data[0] & 2 ? 1 + data[1] : 0;
    if (data[0] & 1) {
        take_in_turns(data, size);
        return 0;
    }
    Scan *scan = scan_new(&spec);
    for (size_t at = 3; scan != NULL && at < size;) {
        const size_t stop = block_end(data, at, size);
        uint8_t *block = malloc(stop - at + 1); /* one byte more, never looked at: malloc(0) may be NULL */
        MUST(block != NULL);
        memcpy(block + 1, data + at, stop - at);
        size_t end = 0;
        const size_t rows = scan->kept_rows;
        const ScanEnd how = scan_block(scan, block, 1, stop - at + 1, &end);
        if (how == SCAN_CLOSED) {
            MUST(block[end] == ']');
            if (!(data[2] & 1) || !scan_keep(scan)) {
                scan_undo(scan);
            }
        } else {
            MUST(how != SCAN_TAKEN || end == stop - at + 1);
            MUST(how != SCAN_NO_MEMORY || scan->name.count == rows);
            MUST(how != SCAN_FOREIGN || (end >= 1 && end < stop - at + 1) || rows == scan->name.count);
            if (how == SCAN_FOREIGN && end > 1) { /* what was taken is sound: taken again it is taken whole, comma or not */
                const size_t kept = scan->name.count - rows, before = scan->name.count;
                size_t again = end, second = 0;
                while (again > 1 && (block[again - 1] == ',' || is_space(block[again - 1]))) {
                    again--;
                }
                const ScanEnd how_again = scan_block(scan, block, 1, again, &second);
                MUST(how_again == SCAN_TAKEN ? scan->name.count == before + kept && second == again
                                             : how_again == SCAN_NO_MEMORY || again == 1);
            }
            MUST(how != SCAN_NO_MEMORY || fail_one_in);
        }
        free(block);
        check(scan);
        at = stop + 1;
    }
    if (scan != NULL) {
        scan_free(scan);
    }
    return 0;
}

#ifndef HAS_LIBFUZZER

enum { MOST_BYTES = 1 << 16 };

static const char *const PIECES[] = {
    "\"", "{",     "}",    "[",    "]",      ",",      ":",    "\\",   "\\u",  "\\ud83d\\ude00", "null", "true", "NaN",
    "-",  "1e999", "0.05", "1e-3", "\xc3\xa9", "\xff", "}, {", "\n  ", "\"X\"", "\"args\": {",    "007",  "[[]]", "\"ts\":",
    "99999999999999999999.5", "\"\"", "\"128\"", "\"stream\": ", "\"Input Dims\": [[1, 2], []]",
};

static size_t mutate(uint8_t *data, size_t size)
{
    uint8_t piece[256];
    size_t length, at = size ? draw((unsigned)size) : 0;
    switch (draw(7)) {
    case 6: /* here a block ends */
        while (at + 1 < size && (data[at] != '}' || data[at + 1] != ',')) {
            at++;
        }
        if (at + 1 < size) {
            data[at + 1] = 0;
        }
        return size;
    case 0:
        if (size) {
            data[at] ^= (uint8_t)(1 << draw(8));
        }
        return size;
    case 1:
        if (size) {
            data[at] = (uint8_t)draw(256);
        }
        return size;
    case 2: /* a part taken out */
        length = draw(40) % (size - at + 1);
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 3: /* cut short */
        return draw(4) ? size : at;
    case 4: /* a part repeated elsewhere */
        length = draw(200) % (size - at + 1);
        memcpy(piece, data + at, length);
        at = draw((unsigned)size + 1);
        break;
    default: {
        const char *text = PIECES[draw(sizeof PIECES / sizeof *PIECES)];
        length = strlen(text);
        memcpy(piece, text, length);
    }
    }
    if (size + length > MOST_BYTES) {
        return size;
    }
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
}

/* scan_fuzz SECONDS FILE... */
int main(int count, char **arguments)
{
    static uint8_t data[MOST_BYTES + 3], seed[MOST_BYTES + 3];
    const time_t end = time(NULL) + atoi(count > 1 ? arguments[1] : "10");
    long runs = 0;
    state ^= (uint64_t)time(NULL) << 20;
    while (time(NULL) < end && count > 2) {
        FILE *file = fopen(arguments[2 + draw((unsigned)count - 2)], "rb");
        MUST(file != NULL);
        const size_t read = fread(seed, 1, MOST_BYTES, file);
        fclose(file);
        for (int i = 0; i < 200; i++) {
            size_t size = read;
            memcpy(data + 3, seed, read);
            const uint64_t before = state;
            for (unsigned changes = draw(8); changes > 0; changes--) {
                size = mutate(data + 3, size);
            }
            data[0] = (uint8_t)draw(4);
            data[1] = (uint8_t)draw(256);
            data[2] = (uint8_t)draw(256);
            LLVMFuzzerTestOneInput(data, size + 3);
            state = before * 6364136223846793005ULL + (uint64_t)i + 1;
            runs++;
        }
    }
    printf("%ld inputs, nothing found\n", runs);
    return count > 2 ? 0 : 2;
}

#endif
