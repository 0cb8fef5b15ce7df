#include "numbers.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_AT_FIRST = 1 << 12, NONE = -1 };

static inline bool code_at(const Codes *codes, size_t i, size_t *code)
{
    uint64_t found = (uint64_t)column_at(&codes->first, i);
    if (codes->second != NULL) {
        found = found * (uint64_t)codes->seconds + (uint64_t)column_at(codes->second, i);
    }
    *code = (size_t)found;
    return found < codes->size;
}

PassEnd number_codes(const Codes *codes, int32_t *place, int64_t **found, size_t *found_count)
{
    int32_t *number = calloc(codes->size + 1, sizeof *number); /* 1 if a code occurs, later its number */
    size_t code, many = 0;
    if (number == NULL) {
        return PASS_NO_MEMORY;
    }
    for (size_t i = 0; i < codes->count; i++) {
        if (!code_at(codes, i, &code)) {
            free(number);
            return PASS_BAD_INPUT;
        }
        many += number[code] == 0;
        number[code] = 1;
    }
    *found_count = many;
    *found = malloc((many + 1) * sizeof **found);
    if (*found == NULL) {
        free(number);
        return PASS_NO_MEMORY;
    }
    for (size_t i = 0, next = 0; next < many; i++) {
        if (number[i] != 0) {
            number[i] = (int32_t)next;
            (*found)[next++] = (int64_t)i;
        }
    }
    for (size_t i = 0; i < codes->count; i++) {
        (void)code_at(codes, i, &code);
        place[i] = number[code];
    }
    free(number);
    return PASS_DONE;
}

/* -- paths --------------------------------------------------------------------------------------------------------- */

/* Hash table of the new nodes by parent and key. */
typedef struct {
    NewNodes *nodes;
    size_t room;    /* of the nodes' columns */
    int32_t *slots; /* nodes, NONE if free */
    size_t mask;
} Index;

static size_t slot_of(const Index *index, int32_t parent, int32_t key)
{
    const uint64_t both = (uint64_t)(uint32_t)parent << 32 | (uint32_t)key;
    size_t slot = (size_t)((both * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & index->mask;
    const NewNodes *nodes = index->nodes;
    while (index->slots[slot] != NONE &&
           (nodes->parent[index->slots[slot]] != parent || nodes->key[index->slots[slot]] != key)) {
        slot = (slot + 1) & index->mask;
    }
    return slot;
}

static bool grow(int32_t **column, size_t room)
{
    int32_t *larger = realloc(*column, room * sizeof **column);
    if (larger != NULL) {
        *column = larger;
    }
    return larger != NULL;
}

/* Doubles the slots; half as many nodes as slots fit. */
static bool make_room(Index *index)
{
    const size_t slots = index->slots == NULL ? SLOTS_AT_FIRST : 2 * (index->mask + 1);
    NewNodes *nodes = index->nodes;
    index->room = slots / 2;
    index->mask = slots - 1;
    if (!grow(&index->slots, slots) || !grow(&nodes->parent, index->room) || !grow(&nodes->key, index->room) ||
        !grow(&nodes->level, index->room)) {
        return false;
    }
    memset(index->slots, NONE, slots * sizeof *index->slots);
    for (size_t i = 0; i < nodes->count; i++) {
        index->slots[slot_of(index, nodes->parent[i], nodes->key[i])] = (int32_t)i;
    }
    return true;
}

static PassEnd number_rows(const Branches *branches, Index *index)
{
    NewNodes *nodes = index->nodes;
    for (size_t i = 0; i < branches->count; i++) {
        nodes->node[i] = NONE;
        if (!branches->used[i]) {
            continue;
        }
        if (nodes->count == index->room && !make_room(index)) {
            return PASS_NO_MEMORY;
        }
        const int64_t above = column_at(&branches->above, i);
        const int32_t parent = above >= 0 ? nodes->node[above] : branches->root[i];
        const size_t slot = slot_of(index, parent, branches->key[i]);
        if (index->slots[slot] == NONE) {
            if (nodes->count >= (size_t)(INT32_MAX - branches->roots)) {
                return PASS_BAD_INPUT;
            }
            index->slots[slot] = (int32_t)nodes->count;
            nodes->parent[nodes->count] = parent;
            nodes->key[nodes->count] = branches->key[i];
            nodes->level[nodes->count] = above >= 0 ? nodes->level[parent - branches->roots] + 1 : 0;
            nodes->count++;
        }
        nodes->node[i] = index->slots[slot] + branches->roots;
    }
    return PASS_DONE;
}

PassEnd number_paths(const Branches *branches, NewNodes *nodes)
{
    Index index = {nodes, 0, NULL, 0};
    for (size_t i = branches->count; i-- > 0;) {
        const int64_t above = column_at(&branches->above, i);
        if (above >= (int64_t)i) {
            return PASS_BAD_INPUT;
        }
        if (above >= 0 && branches->used[i]) {
            branches->used[above] = 1;
        }
    }
    const PassEnd how = number_rows(branches, &index);
    free(index.slots);
    return how;
}
