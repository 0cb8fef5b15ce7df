#include "sweep.h"

#include <stdlib.h>

enum { NOBODY = -1, FIRST_ROOM = 256 };

/* What is going on at one instant. All arrays have an entry per row; numbers are modulo 2**64 throughout. */
typedef struct {
    const Claims *claims;
    Owned *owned;
    int64_t step;     /* that is being swept */
    int32_t *active;  /* claims that have begun and not ended: a heap, the first to end on top */
    size_t actives;
    int32_t *older;   /* the claim of the same role that began before, NOBODY */
    int32_t *number;  /* which of the rows with a role it is */
    uint64_t *time;   /* what a claim owns of the step; of one that shares, less what each of its role had when it began */
    int32_t latest[MOST_ROLES]; /* the claim that began last, ended or not */
    size_t many[MOST_ROLES];    /* active claims */
    uint64_t each[MOST_ROLES];  /* what a claim that shares would own, had it been active all the time */
} State;

static bool reserve(Pile *pile, size_t size)
{
    if (pile->count < pile->room) {
        return true;
    }
    const size_t room = pile->room < FIRST_ROOM ? FIRST_ROOM : pile->room + pile->room / 4;
    if (room > SIZE_MAX / size) {
        return false;
    }
    void *items = realloc(pile->items, room * size);
    if (items == NULL) {
        return false;
    }
    pile->items = items;
    pile->room = room;
    return true;
}

void free_pile(Pile *pile)
{
    free(pile->items);
    pile->items = NULL;
    pile->count = pile->room = 0;
}

void free_owned(Owned *owned)
{
    Pile *const piles[] = {&owned->claim,     &owned->step,    &owned->time,
                           &owned->gap_start, &owned->gap_end, &owned->gap_step};
    for (size_t i = 0; i < sizeof piles / sizeof *piles; i++) {
        free_pile(piles[i]);
    }
}

/* -- what is found ------------------------------------------------------------------------------------------------- */

static bool is_shared(const Claims *claims, int32_t claim)
{
    return (claims->shared >> claims->role[claim] & 1) != 0;
}

/* Writes down what a claim owns of the step and begins anew. */
static bool settle(State *state, int32_t claim)
{
    Owned *owned = state->owned;
    const uint64_t base = is_shared(state->claims, claim) ? state->each[state->claims->role[claim]] : 0;
    const uint64_t time = state->time[claim] + base;
    state->time[claim] = 0 - base;
    if (time == 0) {
        return true;
    }
    if (!reserve(&owned->claim, sizeof(int32_t)) || !reserve(&owned->step, sizeof(int32_t)) ||
        !reserve(&owned->time, sizeof(int64_t))) {
        return false;
    }
    ((int32_t *)owned->claim.items)[owned->claim.count++] = state->number[claim];
    ((int32_t *)owned->step.items)[owned->step.count++] = (int32_t)state->step;
    ((int64_t *)owned->time.items)[owned->time.count++] = (int64_t)time;
    return true;
}

/* A stretch that nobody owns; it goes on from the one before where that ends here. */
static bool add_gap(State *state, int64_t from, int64_t to)
{
    Owned *owned = state->owned;
    const size_t gaps = owned->gap_end.count;
    if (gaps > 0 && ((int64_t *)owned->gap_end.items)[gaps - 1] == from &&
        ((int64_t *)owned->gap_step.items)[gaps - 1] == state->step) {
        ((int64_t *)owned->gap_end.items)[gaps - 1] = to;
        return true;
    }
    if (!reserve(&owned->gap_start, sizeof(int64_t)) || !reserve(&owned->gap_end, sizeof(int64_t)) ||
        !reserve(&owned->gap_step, sizeof(int64_t))) {
        return false;
    }
    ((int64_t *)owned->gap_start.items)[owned->gap_start.count++] = from;
    ((int64_t *)owned->gap_end.items)[owned->gap_end.count++] = to;
    ((int64_t *)owned->gap_step.items)[owned->gap_step.count++] = state->step;
    return true;
}

/* -- what is active ------------------------------------------------------------------------------------------------ */

static int64_t end_of(const State *state, size_t place)
{
    return state->claims->keys.second[state->active[place]];
}

static void begin(State *state, int32_t claim)
{
    const int8_t role = state->claims->role[claim];
    const int64_t end = state->claims->keys.second[claim];
    size_t place = state->actives++;
    while (place > 0 && end_of(state, (place - 1) / 2) > end) {
        state->active[place] = state->active[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    state->active[place] = claim;
    state->older[claim] = state->latest[role];
    state->latest[role] = claim;
    state->many[role]++;
    state->time[claim] = is_shared(state->claims, claim) ? 0 - state->each[role] : 0;
}

/* Takes the claim that ends first out of the heap. */
static int32_t take_first(State *state)
{
    const int32_t first = state->active[0], moved = state->active[--state->actives];
    const int64_t end = state->claims->keys.second[moved];
    size_t place = 0;
    for (;;) {
        size_t below = 2 * place + 1;
        if (below >= state->actives) {
            break;
        }
        if (below + 1 < state->actives && end_of(state, below + 1) < end_of(state, below)) {
            below++;
        }
        if (end_of(state, below) >= end) {
            break;
        }
        state->active[place] = state->active[below];
        place = below;
    }
    state->active[place] = moved;
    state->many[state->claims->role[first]]--;
    return first;
}

static bool end_until(State *state, int64_t now)
{
    while (state->actives > 0 && end_of(state, 0) <= now) {
        if (!settle(state, take_first(state))) {
            return false;
        }
    }
    return true;
}

/* The active claim of the role that began last; there is one. */
static int32_t latest_of(State *state, size_t role, int64_t now)
{
    while (state->claims->keys.second[state->latest[role]] <= now) {
        state->latest[role] = state->older[state->latest[role]];
    }
    return state->latest[role];
}

/* Gives [from, to), in which nothing begins or ends, to its owner. */
static bool give(State *state, int64_t from, int64_t to)
{
    const uint64_t length = (uint64_t)to - (uint64_t)from;
    size_t role = 0;
    while (role < MOST_ROLES && state->many[role] == 0) {
        role++;
    }
    if (role == MOST_ROLES) {
        return add_gap(state, from, to);
    }
    if ((state->claims->shared >> role & 1) != 0) {
        const uint64_t many = state->many[role];
        if (many == 1) {
            state->each[role] += length;
            return true;
        }
        state->each[role] += length / many;
        state->time[latest_of(state, role, from)] += length % many;
    } else {
        state->time[latest_of(state, role, from)] += length;
    }
    return true;
}

/* -- the sweep ----------------------------------------------------------------------------------------------------- */

/* The claims that can own anything, in order; *count of them. NULL without memory or where a role is out of range.
   `number` is filled for all rows with a role. */
static int32_t *in_order(const Claims *claims, const Steps *steps, int32_t *number, size_t *count, PassEnd *how)
{
    const int64_t *start = claims->keys.first, *end = claims->keys.second;
    const int64_t low = steps->start[0], high = steps->end[steps->count - 1];
    size_t kept = 0;
    int32_t numbered = 0;
    *how = PASS_NO_MEMORY;
    Item *items = malloc(claims->count == 0 ? 1 : claims->count * sizeof(Item));
    if (items == NULL) {
        return NULL;
    }
    for (size_t row = 0; row < claims->count; row++) {
        if (claims->role[row] >= MOST_ROLES) {
            *how = PASS_BAD_INPUT;
            free(items);
            return NULL;
        }
        if (claims->role[row] < 0) {
            continue;
        }
        number[row] = numbered++;
        if (end[row] > start[row] && end[row] > low && start[row] < high) {
            items[kept].first = start[row];
            items[kept].row = (int32_t)row;
            kept++;
        }
    }
    int32_t *order = NULL;
    if (sort_items(items, kept, &claims->keys)) {
        order = malloc(kept == 0 ? 1 : kept * sizeof *order);
    }
    for (size_t i = 0; order != NULL && i < kept; i++) {
        order[i] = items[i].row;
    }
    free(items);
    *count = kept;
    return order;
}

static bool sweep_step(State *state, const int32_t *order, size_t count, size_t *next, int64_t now, int64_t stop)
{
    const int64_t *start = state->claims->keys.first, *end = state->claims->keys.second;
    if (!end_until(state, now)) { /* what ended between two steps owns nothing */
        return false;
    }
    for (; *next < count && start[order[*next]] <= now; ++*next) {
        if (end[order[*next]] > now) {
            begin(state, order[*next]);
        }
    }
    while (now < stop) {
        int64_t change = stop;
        if (state->actives > 0 && end_of(state, 0) < change) {
            change = end_of(state, 0);
        }
        if (*next < count && start[order[*next]] < change) {
            change = start[order[*next]];
        }
        if (!give(state, now, change) || !end_until(state, change)) {
            return false;
        }
        now = change;
        for (; *next < count && start[order[*next]] <= now; ++*next) {
            begin(state, order[*next]);
        }
    }
    for (size_t i = 0; i < state->actives; i++) {
        if (!settle(state, state->active[i])) {
            return false;
        }
    }
    return true;
}

static bool are_disjoint(const Steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->end[i] < steps->start[i] || (i > 0 && steps->start[i] < steps->end[i - 1])) {
            return false;
        }
    }
    return true;
}

PassEnd sweep(const Claims *claims, const Steps *steps, Owned *owned)
{
    PassEnd how = PASS_DONE;
    size_t count = 0, next = 0;
    if (claims->count > INT32_MAX || steps->count > INT32_MAX || claims->count > SIZE_MAX / sizeof(Item) ||
        !are_disjoint(steps)) {
        return PASS_BAD_INPUT;
    }
    if (steps->count == 0) {
        return PASS_DONE;
    }
    const size_t room = claims->count == 0 ? 1 : claims->count;
    State state = {.claims = claims, .owned = owned};
    state.number = malloc(room * sizeof *state.number);
    int32_t *order = state.number == NULL ? NULL : in_order(claims, steps, state.number, &count, &how);
    if (order == NULL) {
        free(state.number);
        return how == PASS_DONE ? PASS_NO_MEMORY : how;
    }
    state.active = malloc(room * sizeof *state.active);
    state.older = malloc(room * sizeof *state.older);
    state.time = malloc(room * sizeof *state.time);
    how = state.active == NULL || state.older == NULL || state.time == NULL ? PASS_NO_MEMORY : PASS_DONE;
    for (size_t role = 0; role < MOST_ROLES; role++) {
        state.latest[role] = NOBODY;
    }
    for (size_t i = 0; how == PASS_DONE && i < steps->count; i++) {
        state.step = (int64_t)i;
        if (!sweep_step(&state, order, count, &next, steps->start[i], steps->end[i])) {
            how = PASS_NO_MEMORY;
        }
    }
    free(state.number);
    free(state.time);
    free(state.older);
    free(state.active);
    free(order);
    return how;
}
