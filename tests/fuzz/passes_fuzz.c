/* Feeds arbitrary spans, claims, steps and sums to tb_perfcompare/analysis/native/ and checks what must hold for any of them.

   Built with sanitizers by `python -m tests.fuzz`. Memory requests fail at random in a part of the runs. */
#include "fuzz.h"

#define malloc fuzz_malloc
#define realloc fuzz_realloc
#define calloc fuzz_calloc
#include "order.c"
#include "nesting.c"
#include "sweep.c"
#include "sums.c"
#include "numbers.c"
#include "gather.c"
#undef malloc
#undef realloc
#undef calloc

enum { MOST_ROWS = 300, MOST_STEPS = 12 };

/* Columns in memory of exactly their size, so that a step beyond is seen. */
typedef struct {
    size_t count;
    int32_t *lane, *code;
    int64_t *start, *end, *duration, *tie, *parent, *at;
    int8_t *role;
} Columns;

static void *column(size_t count, size_t size)
{
    void *items = malloc(count * size + 1);
    MUST(items != NULL);
    return items;
}

static int64_t draw_time(unsigned kind)
{
    if (kind == 0) {
        return (int64_t)((uint64_t)draw(1U << 31) << 33 ^ (uint64_t)draw(1U << 31) << 10 ^ draw(1U << 31));
    }
    return (int64_t)draw(kind == 1 ? 40 : 100000);
}

static Columns draw_columns(size_t count, unsigned kind, bool is_sound)
{
    Columns c = {count,
                 column(count, sizeof(int32_t)),
                 column(count, sizeof(int32_t)),
                 column(count, sizeof(int64_t)),
                 column(count, sizeof(int64_t)),
                 column(count, sizeof(int64_t)),
                 column(count, sizeof(int64_t)),
                 column(count, sizeof(int64_t)),
                 column(count, sizeof(int64_t)),
                 column(count, 1)};
    const bool is_ordered = draw(3) == 0;
    for (size_t i = 0; i < count; i++) {
        c.lane[i] = (int32_t)draw(5) - (!is_sound && draw(50) == 0);
        c.start[i] = is_ordered ? (int64_t)i / 2 : draw_time(kind);
        c.end[i] = kind == 0 ? draw_time(0) : c.start[i] + (int64_t)draw(draw(4) ? 10 : 60);
        c.duration[i] = minus(c.end[i], c.start[i]);
        c.tie[i] = (int64_t)draw(3);
        c.code[i] = (int32_t)draw(3);
        c.parent[i] = (int64_t)draw((unsigned)i + 1) - 1 + (!is_sound && draw(50) == 0 ? 7 : 0);
        c.at[i] = draw_time(kind);
        c.role[i] = (int8_t)((int)draw(9) - 1 + (!is_sound && draw(50) == 0 ? 12 : 0));
    }
    return c;
}

static void free_columns(Columns *c)
{
    free(c->lane);
    free(c->code);
    free(c->start);
    free(c->end);
    free(c->duration);
    free(c->tie);
    free(c->parent);
    free(c->at);
    free(c->role);
}

static const int64_t RANKS[3] = {5, -1, 5};

static Keys keys_of(const Columns *c)
{
    const Keys keys = {c->start, c->duration, {draw(2) ? (Tie){c->tie, NULL} : (Tie){RANKS, c->code}}, draw(2)};
    return keys;
}

static void check_order(const Columns *c)
{
    const Keys keys = keys_of(c);
    int32_t *order = column(c->count, sizeof *order);
    uint8_t *seen = calloc(c->count + 1, 1);
    const PassEnd how = order_rows(&keys, c->count, order);
    MUST(seen != NULL && (how == PASS_DONE || fail_one_in));
    for (size_t i = 0; how == PASS_DONE && i < c->count; i++) {
        MUST(order[i] >= 0 && (size_t)order[i] < c->count && !seen[order[i]]);
        seen[order[i]] = 1;
        MUST(i == 0 || keys.first[order[i - 1]] <= keys.first[order[i]]);
    }
    free(seen);
    free(order);
}

/* Parents come before their children, hold them, and own times sum to the outermost spans. */
static void check_forest(const Columns *c, size_t count, const Forest *forest, bool is_sound)
{
    int64_t own = 0, outermost = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t start = c->start[forest->order[i]], parent = forest->parent[i];
        const int64_t span = minus(forest->end[i], start);
        MUST(parent >= -1 && parent < (int64_t)i);
        MUST(forest->depth[i] == (parent < 0 ? 0 : forest->depth[parent] + 1));
        MUST(parent < 0 || c->lane[forest->order[parent]] == c->lane[forest->order[i]]);
        MUST(parent < 0 || forest->end[i] <= forest->end[parent]);
        MUST(!is_sound || minus(span, forest->inside[i]) >= 0);
        own = plus(own, minus(span, forest->inside[i]));
        outermost = parent < 0 ? plus(outermost, span) : outermost;
    }
    MUST(own == outermost);
}

static void check_nesting(const Columns *c, bool is_sound)
{
    int32_t *rows = column(c->count, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (draw(4)) {
            rows[count++] = (int32_t)i + (!is_sound && draw(100) == 0 ? MOST_ROWS : 0);
        }
    }
    const bool has_rows = draw(2);
    Spans spans = {has_rows ? count : c->count, has_rows ? rows : NULL, c->count, c->lane, 5, keys_of(c)};
    count = spans.count;
    Forest forest = {column(c->count, 4), column(c->count, 4), column(c->count, 4), column(c->count, 8),
                     column(c->count, 8), 0};
    int32_t *lane = column(c->count, sizeof *lane), *found = column(c->count, sizeof *found);
    int64_t *start = column(c->count, sizeof *start);
    const Column parents = {NULL, forest.parent}, wide = {c->parent, NULL};
    const PassEnd how = order_spans(&spans, forest.order);
    MUST(how == PASS_DONE || fail_one_in || !is_sound);
    if (how == PASS_DONE) {
        nest_spans(&spans, &forest);
        check_forest(c, count, &forest, is_sound);
        for (size_t i = 0; i < count; i++) {
            lane[i] = c->lane[forest.order[i]];
            start[i] = c->start[forest.order[i]];
        }
        const Nodes nodes = {count, lane, 5, start, forest.end, parents};
        const PassEnd end = find_innermost(&nodes, c->lane, c->at, c->count, found);
        MUST(end == PASS_DONE || fail_one_in);
        for (size_t i = 0; end == PASS_DONE && i < c->count; i++) {
            const int64_t row = found[i];
            MUST(row >= -1 && row < (int64_t)count);
            MUST(row < 0 || (lane[row] == c->lane[i] && start[row] <= c->at[i] && c->at[i] < forest.end[row]));
        }
        MUST(gather_upwards(&parents, draw(2), forest.inside, count) == PASS_DONE);
    }
    /* whatever is said about nodes, nothing outside the columns is touched */
    const Nodes any = {c->count, c->lane, 5, c->start, c->end, wide};
    (void)find_innermost(&any, c->lane, c->at, c->count, found);
    (void)gather_upwards(&wide, draw(2), c->at, c->count);
    free(rows);
    free(found);
    free(start);
    free(lane);
    free(forest.order);
    free(forest.parent);
    free(forest.depth);
    free(forest.end);
    free(forest.inside);
}

/* Owned times and gaps of a step sum to its length. */
static void check_sweep(const Columns *c, unsigned kind, bool is_sound)
{
    const Claims claims = {c->count, keys_of(c), c->role, (uint32_t)draw(256)};
    Steps steps = {draw(MOST_STEPS), NULL, NULL};
    int64_t *begin = column(steps.count, sizeof *begin), *end = column(steps.count, sizeof *end), at = 0;
    uint64_t *sum = calloc(steps.count + 1, sizeof *sum);
    Owned owned = {{0}, {0}, {0}, {0}, {0}, {0}};
    MUST(sum != NULL);
    for (size_t i = 0; i < steps.count; i++) {
        begin[i] = at += (int64_t)draw(5);
        end[i] = at += (int64_t)draw(kind == 2 ? 20000 : 20);
        if (!is_sound && draw(20) == 0) {
            end[i] -= 30;
        }
    }
    steps.start = begin;
    steps.end = end;
    const PassEnd how = sweep(&claims, &steps, &owned);
    MUST(how == PASS_DONE || fail_one_in || !is_sound);
    if (how == PASS_DONE) {
        for (size_t i = 0; i < owned.time.count; i++) {
            const int32_t claim = ((int32_t *)owned.claim.items)[i], step = ((int32_t *)owned.step.items)[i];
            MUST(claim >= 0 && (size_t)claim < c->count && step >= 0 && (size_t)step < steps.count);
            MUST(((int64_t *)owned.time.items)[i] > 0);
            sum[step] += (uint64_t)((int64_t *)owned.time.items)[i];
        }
        for (size_t i = 0; i < owned.gap_step.count; i++) {
            const int64_t step = ((int64_t *)owned.gap_step.items)[i];
            MUST(step >= 0 && (size_t)step < steps.count);
            sum[step] += (uint64_t)(((int64_t *)owned.gap_end.items)[i] - ((int64_t *)owned.gap_start.items)[i]);
        }
        for (size_t i = 0; i < steps.count; i++) {
            MUST(sum[i] == (uint64_t)(end[i] - begin[i]));
        }
    }
    free_owned(&owned);
    free(sum);
    free(end);
    free(begin);
}

/* Sums add up. */
static void check_sums(const Columns *c, bool is_sound)
{
    const Column first = draw(2) ? (Column){c->tie, NULL} : (Column){NULL, c->code}, second = {NULL, c->lane};
    int64_t sums[15] = {0}, all = 0;
    const Column value = {c->at, NULL}, of = {c->parent, NULL};
    const bool is_chosen = draw(2);
    const bool has_columns = draw(2);
    const Addends addends = {c->count,
                             {&first, c->count, NULL, 0},
                             {has_columns ? &second : NULL, c->count, NULL, 0},
                             {&value, c->count, is_chosen ? &of : NULL, 0},
                             5};
    const PassEnd end = add_up(&addends, sums, 15);
    MUST(end == PASS_DONE || !is_sound || is_chosen);
    for (size_t i = 0; end == PASS_DONE && !is_chosen && i < c->count; i++) {
        all = !has_columns || c->lane[i] >= 0 ? plus(all, c->at[i]) : all;
    }
    for (size_t i = 0; i < 15; i++) {
        all = minus(all, sums[i]);
    }
    MUST(all == 0 || end != PASS_DONE || is_chosen);
}

/* Places lead back to the codes, which ascend; a node leads to its row's key, and to the node of the row above. */
static void check_numbers(const Columns *c, bool is_sound)
{
    const bool has_second = draw(2);
    const Column first = draw(2) ? (Column){c->tie, NULL} : (Column){NULL, c->code}, second = {NULL, c->lane};
    const Codes codes = {c->count, first, has_second ? &second : NULL, 5, has_second ? 15 : 3};
    const Branches branches = {c->count, {c->parent, NULL}, c->code, c->lane, column(c->count, 1), 3};
    int32_t *place = column(c->count, sizeof *place);
    NewNodes nodes = {column(c->count, sizeof *nodes.node), NULL, NULL, NULL, 0};
    int64_t *found = NULL;
    size_t many = 0;
    const PassEnd end = number_codes(&codes, place, &found, &many);
    for (size_t i = 0; end == PASS_DONE && i < c->count; i++) {
        const int64_t code = column_at(&first, i);
        MUST(place[i] >= 0 && (size_t)place[i] < many);
        MUST(found[place[i]] == (has_second ? 5 * code + c->lane[i] : code));
    }
    for (size_t i = 1; end == PASS_DONE && i < many; i++) {
        MUST(found[i - 1] < found[i]);
    }
    for (size_t i = 0; i < c->count; i++) {
        branches.used[i] = (int8_t)draw(2);
    }
    const PassEnd how = number_paths(&branches, &nodes);
    for (size_t i = 0; how == PASS_DONE && i < c->count; i++) {
        const int64_t above = c->parent[i];
        MUST((nodes.node[i] >= 0) == (branches.used[i] != 0));
        if (nodes.node[i] >= 0) {
            const int32_t node = nodes.node[i] - 3;
            MUST(node >= 0 && (size_t)node < nodes.count && nodes.key[node] == c->lane[i]);
            MUST(nodes.parent[node] == (above >= 0 ? nodes.node[above] : c->code[i]));
        }
    }
    MUST((end == PASS_DONE && how == PASS_DONE) || fail_one_in || !is_sound);
    free(found);
    free(place);
    free(branches.used);
    free(nodes.node);
    free(nodes.parent);
    free(nodes.key);
    free(nodes.level);
}

/* Every value gathered is that at its index; those out of range wrap around. */
static void check_gather(const Columns *c)
{
    static const size_t SIZES[] = {1, 2, 4, 8, 3};
    const size_t size = SIZES[draw(5)], length = draw((unsigned)c->count + 1);
    uint8_t *values = column(length, size), *gathered = column(c->count, size);
    int32_t *at = column(c->count, sizeof *at);
    for (size_t i = 0; i < length * size; i++) {
        values[i] = (uint8_t)draw(256);
    }
    for (size_t i = 0; i < c->count; i++) {
        at[i] = draw(9) ? (int32_t)draw((unsigned)length + 1) - 1 : (int32_t)c->at[i];
    }
    const PassEnd how = gather(values, length, size, at, c->count, gathered);
    MUST((how == PASS_DONE) == (size != 3 && (length > 0 || c->count == 0)));
    for (size_t i = 0; how == PASS_DONE && i < c->count; i++) {
        const int64_t rest = at[i] % (int64_t)length, place = rest < 0 ? rest + (int64_t)length : rest;
        MUST(memcmp(gathered + i * size, values + (size_t)place * size, size) == 0);
    }
    free(values);
    free(gathered);
    free(at);
}

/* passes_fuzz SECONDS [SEED] */
int main(int count, char **arguments)
{
    const time_t stop = time(NULL) + atoi(count > 1 ? arguments[1] : "10");
    long runs = 0;
    state ^= count > 2 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL) << 20;
    while (time(NULL) < stop) {
        for (int i = 0; i < 200; i++) {
            const unsigned kind = draw(3);
            const bool is_sound = kind != 0 && draw(2);
            fail_one_in = draw(4) == 0 ? 1 + draw(20) : 0;
            Columns columns = draw_columns(draw(draw(2) ? 12 : MOST_ROWS), kind, is_sound);
            check_order(&columns);
            check_nesting(&columns, is_sound);
            check_sweep(&columns, kind, is_sound);
            check_sums(&columns, is_sound);
            check_numbers(&columns, is_sound);
            check_gather(&columns);
            free_columns(&columns);
            runs++;
        }
    }
    printf("%ld inputs, nothing found\n", runs);
    return 0;
}
