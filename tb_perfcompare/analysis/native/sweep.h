/* Who owns each instant of the steps: the rule of analysis/attribution/ownership.py, from one change to the next. */
#ifndef TB_PERFCOMPARE_SWEEP_H
#define TB_PERFCOMPARE_SWEEP_H

#include "nesting.h"

enum { MAX_ROLES = 16 };

/* Events, some of which may own time; rows in any order. */
typedef struct {
    size_t count;
    Keys keys; /* start and duration; ties decide which of equal spans started later */
    const int8_t *role; /* 0 <= role < MAX_ROLES; the smallest active one owns; negative: not a claim */
    uint32_t shared;    /* bit r: claims of role r share time equally; of other roles the latest started owns */
} Claims;

/* Disjoint, in time order. */
typedef struct {
    size_t count;
    const int64_t *start;
    const int64_t *end;
} Steps;

/* A growing array; `items` are int64 or int32. */
typedef struct {
    void *items;
    size_t count;
    size_t room;
} Pile;

/* Positive owned time of each claim in each step, each pair once; and gaps, the parts of steps without owner. */
typedef struct {
    Pile claim; /* int32, index among the rows with a role */
    Pile step;  /* int32 */
    Pile time;  /* int64 */
    Pile gap_start; /* int64 */
    Pile gap_end;   /* int64 */
    Pile gap_step;  /* int64 */
} Owned;

/* Fills `owned`, which must be empty; the caller frees it, also after an error. PASS_BAD_INPUT: a role is out of
   range, or steps overlap. */
PassEnd sweep(const Claims *claims, const Steps *steps, Owned *owned);
void free_pile(Pile *pile);
void free_owned(Owned *owned);

#endif
