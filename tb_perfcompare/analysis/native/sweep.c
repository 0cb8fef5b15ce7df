#include "sweep.h"

#include "memory.h"

#include <stdlib.h>

enum { NOTHING_RECORDED = -1, FIRST_ROOM = 256 };

/* A claim that has started and not ended; arithmetic is modulo 2**64. Claims of one role form a list, latest first. All
   form a pairing heap with the first to end on top: a claim that starts inside all others, as calls do, is inserted and
   removed in constant time. */
typedef struct {
    int64_t end;
    uint64_t time;  /* owned time in the step; for shared roles, minus the role's time per claim when it started */
    int32_t number; /* index among the rows with a role */
    int32_t later, older; /* neighbors in the list; for a free place, `later` is the next free one */
    int32_t below;  /* its first child in the heap */
    int32_t beside; /* its next sibling in the heap */
    int8_t role;
} Active;

/* The state at one instant. */
typedef struct {
    const Claims *claims;
    Owned *owned;
    int64_t step; /* being swept */
    Active *active;
    size_t room;
    int32_t free; /* first free place */
    int32_t top;  /* the claim that ends first */
    int32_t latest[MAX_ROLES];
    size_t many[MAX_ROLES];
    uint64_t each[MAX_ROLES]; /* time per claim of a shared role since the sweep began */
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

/* -- results ------------------------------------------------------------------------------------------------- */

static bool is_shared(const Claims *claims, int8_t role)
{
    return (claims->shared >> role & 1) != 0;
}

/* Records the claim's owned time in the step and resets it. */
static bool settle(State *state, Active *claim)
{
    Owned *owned = state->owned;
    const uint64_t base = is_shared(state->claims, claim->role) ? state->each[claim->role] : 0;
    const uint64_t time = claim->time + base;
    claim->time = 0 - base;
    if (time == 0) {
        return true;
    }
    if (!reserve(&owned->claim, sizeof(int32_t)) || !reserve(&owned->step, sizeof(int32_t)) ||
        !reserve(&owned->time, sizeof(int64_t))) {
        return false;
    }
    ((int32_t *)owned->claim.items)[owned->claim.count++] = claim->number;
    ((int32_t *)owned->step.items)[owned->step.count++] = (int32_t)state->step;
    ((int64_t *)owned->time.items)[owned->time.count++] = (int64_t)time;
    return true;
}

/* Records time without owner; extends the previous gap if it is adjacent. */
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

/* -- active claims ------------------------------------------------------------------------------------------------ */

static bool is_active(const State *state)
{
    return state->top != NOTHING_RECORDED;
}

static int64_t first_end(const State *state)
{
    return state->active[state->top].end;
}

/* Merges two heaps; `one` stays on top if both end at once. */
static int32_t joined(Active *active, int32_t one, int32_t two)
{
    if (active[two].end < active[one].end) {
        const int32_t other = one;
        one = two;
        two = other;
    }
    active[two].beside = active[one].below;
    active[one].below = two;
    return one;
}

/* Merges siblings from `first` on: first in pairs, then all pairs from last to first. */
static int32_t all_joined(Active *active, int32_t first)
{
    int32_t pairs = NOTHING_RECORDED;
    while (first != NOTHING_RECORDED) {
        int32_t one = first;
        const int32_t two = active[one].beside;
        first = two == NOTHING_RECORDED ? NOTHING_RECORDED : active[two].beside;
        if (two != NOTHING_RECORDED) {
            one = joined(active, one, two);
        }
        active[one].beside = pairs;
        pairs = one;
    }
    int32_t top = pairs;
    for (pairs = top == NOTHING_RECORDED ? NOTHING_RECORDED : active[top].beside; pairs != NOTHING_RECORDED;) {
        const int32_t next = active[pairs].beside;
        top = joined(active, top, pairs);
        pairs = next;
    }
    return top;
}

/* Returns a free place for a claim; NOTHING_RECORDED if out of memory. */
static int32_t take_place(State *state)
{
    if (state->free == NOTHING_RECORDED) {
        const size_t room = state->room == 0 ? FIRST_ROOM : state->room * 2;
        if (room > INT32_MAX || room > SIZE_MAX / sizeof(Active)) {
            return NOTHING_RECORDED;
        }
        Active *active = realloc(state->active, room * sizeof *active);
        if (active == NULL) {
            return NOTHING_RECORDED;
        }
        for (size_t i = state->room; i < room; i++) {
            active[i].later = i + 1 < room ? (int32_t)(i + 1) : NOTHING_RECORDED;
        }
        state->free = (int32_t)state->room;
        state->active = active;
        state->room = room;
    }
    const int32_t place = state->free;
    state->free = state->active[place].later;
    return place;
}

/* End of a claim. On overflow it wraps around to before the start, and the claim owns nothing. */
static int64_t end_of(const Claims *claims, size_t row)
{
    return (int64_t)((uint64_t)claims->keys.first[row] + (uint64_t)claims->keys.second[row]);
}

static bool begin(State *state, const Item *item)
{
    const int8_t role = state->claims->role[item->row];
    const int32_t place = take_place(state);
    if (place == NOTHING_RECORDED) {
        return false;
    }
    Active *claim = &state->active[place];
    claim->end = end_of(state->claims, (size_t)item->row);
    claim->time = is_shared(state->claims, role) ? 0 - state->each[role] : 0;
    claim->number = item->note;
    claim->role = role;
    claim->below = claim->beside = NOTHING_RECORDED;
    claim->later = NOTHING_RECORDED;
    claim->older = state->latest[role];
    if (claim->older != NOTHING_RECORDED) {
        state->active[claim->older].later = place;
    }
    state->latest[role] = place;
    state->many[role]++;
    state->top = state->top == NOTHING_RECORDED ? place : joined(state->active, place, state->top);
    return true;
}

/* Settles and removes the claim that ends first. */
static bool end_first(State *state)
{
    const int32_t place = state->top;
    Active *claim = &state->active[place];
    const bool done = settle(state, claim);
    state->top = all_joined(state->active, claim->below);
    if (claim->later == NOTHING_RECORDED) {
        state->latest[claim->role] = claim->older;
    } else {
        state->active[claim->later].older = claim->older;
    }
    if (claim->older != NOTHING_RECORDED) {
        state->active[claim->older].later = claim->later;
    }
    state->many[claim->role]--;
    claim->later = state->free;
    state->free = place;
    return done;
}

static bool end_until(State *state, int64_t now)
{
    while (is_active(state) && first_end(state) <= now) {
        if (!end_first(state)) {
            return false;
        }
    }
    return true;
}

/* Assigns [from, to), in which nothing starts or ends, to its owners. */
static bool give(State *state, int64_t from, int64_t to)
{
    const uint64_t length = (uint64_t)to - (uint64_t)from;
    size_t role = 0;
    while (role < MAX_ROLES && state->many[role] == 0) {
        role++;
    }
    if (role == MAX_ROLES) {
        return add_gap(state, from, to);
    }
    if ((state->claims->shared >> role & 1) != 0) {
        const uint64_t many = state->many[role];
        if (many == 1) {
            state->each[role] += length;
            return true;
        }
        state->each[role] += length / many;
        state->active[state->latest[role]].time += length % many;
    } else {
        state->active[state->latest[role]].time += length;
    }
    return true;
}

/* -- the sweep ----------------------------------------------------------------------------------------------------- */

/* Returns the claims that can own time, sorted, and sets *count; an item's `note` is its index among the rows with a
   role. NULL if out of memory or if a role is out of range. */
static Item *in_order(const Claims *claims, const Steps *steps, size_t *count, PassEnd *how)
{
    const int64_t *start = claims->keys.first;
    const int64_t low = steps->start[0], high = steps->end[steps->count - 1];
    size_t kept = 0;
    int32_t numbered = 0;
    for (size_t row = 0; row < claims->count; row++) {
        const int64_t end = end_of(claims, row);
        kept += claims->role[row] >= 0 && end > start[row] && end > low && start[row] < high;
    }
    *how = PASS_NO_MEMORY;
    const size_t size = kept == 0 ? 1 : kept * sizeof(Item);
    Item *items = in_large_pages(malloc(size), size);
    if (items == NULL) {
        return NULL;
    }
    *count = kept;
    kept = 0;
    for (size_t row = 0; row < claims->count; row++) {
        if (claims->role[row] >= MAX_ROLES) {
            *how = PASS_BAD_INPUT;
            free(items);
            return NULL;
        }
        if (claims->role[row] < 0) {
            continue;
        }
        const int64_t end = end_of(claims, row);
        if (end > start[row] && end > low && start[row] < high) {
            items[kept].first = start[row];
            items[kept].row = (int32_t)row;
            items[kept].note = numbered;
            kept++;
        }
        numbered++;
    }
    if (!sort_items(items, kept, &claims->keys)) {
        free(items);
        return NULL;
    }
    return items;
}

static bool sweep_step(State *state, const Item *items, size_t count, size_t *next, int64_t now, int64_t stop)
{
    if (!end_until(state, now)) { /* claims that ended between two steps own nothing more */
        return false;
    }
    for (; *next < count && items[*next].first <= now; ++*next) {
        if (end_of(state->claims, (size_t)items[*next].row) > now && !begin(state, &items[*next])) {
            return false;
        }
    }
    while (now < stop) {
        int64_t change = stop;
        if (is_active(state) && first_end(state) < change) {
            change = first_end(state);
        }
        if (*next < count && items[*next].first < change) {
            change = items[*next].first;
        }
        if (!give(state, now, change) || !end_until(state, change)) {
            return false;
        }
        now = change;
        for (; *next < count && items[*next].first <= now; ++*next) {
            if (!begin(state, &items[*next])) {
                return false;
            }
        }
    }
    for (size_t role = 0; role < MAX_ROLES; role++) {
        for (int32_t place = state->latest[role]; place != NOTHING_RECORDED; place = state->active[place].older) {
            if (!settle(state, &state->active[place])) {
                return false;
            }
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
    Item *items = in_order(claims, steps, &count, &how);
    if (items == NULL) {
        return how;
    }
    State state = {.claims = claims, .owned = owned, .free = NOTHING_RECORDED, .top = NOTHING_RECORDED};
    how = PASS_DONE;
    for (size_t role = 0; role < MAX_ROLES; role++) {
        state.latest[role] = NOTHING_RECORDED;
    }
    for (size_t i = 0; how == PASS_DONE && i < steps->count; i++) {
        state.step = (int64_t)i;
        if (!sweep_step(&state, items, count, &next, steps->start[i], steps->end[i])) {
            how = PASS_NO_MEMORY;
        }
    }
    free(state.active);
    free(items);
    return how;
}
