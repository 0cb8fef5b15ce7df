/* Who owns each instant of the steps: the rule of analysis/attribution/ownership.py, from one change to the next. */
#ifndef TB_PERFCOMPARE_SWEEP_H
#define TB_PERFCOMPARE_SWEEP_H

#include "nesting.h"

enum { MOST_ROLES = 16 };

/* Events, some of which may own time; rows in any order. */
typedef struct {
    size_t count;
    Keys keys; /* start and duration; ties settle who of equal spans started later */
    const int8_t *role; /* 0 to below MOST_ROLES; the first active one owns; below 0: none of the claims */
    uint32_t shared;    /* bit r: claims of role r share their time; of other roles the latest started owns */
} Claims;

/* Disjoint, in time order. */
typedef struct {
    size_t count;
    const int64_t *start;
    const int64_t *end;
} Steps;

/* Numbers that are appended to; `items` are int64 or int32. */
typedef struct {
    void *items;
    size_t count;
    size_t room;
} Pile;

/* What each claim owns of each step, each pair once and above zero; and the stretches of a step that nobody owns. */
typedef struct {
    Pile claim; /* int32, which of the rows with a role it is */
    Pile step;  /* int32 */
    Pile time;  /* int64 */
    Pile gap_start; /* int64 */
    Pile gap_end;   /* int64 */
    Pile gap_step;  /* int64 */
} Owned;

/* Fills `owned`, which begins empty and is to be freed by the caller whatever comes out. PASS_BAD_INPUT: a role is out of
   range, or steps overlap. */
PassEnd sweep(const Claims *claims, const Steps *steps, Owned *owned);
void free_pile(Pile *pile);
void free_owned(Owned *owned);

#endif
