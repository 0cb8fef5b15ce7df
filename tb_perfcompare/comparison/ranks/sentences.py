"""Sentences on all ranks together: which is slowest, which the others wait for, and whether all changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.ranks.changes import OwnChange, RankChange, own_changes
from tb_perfcompare.comparison.ranks.figures import RankFigures, rank_figures
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.sides import Ranks
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import SIDES, CompareOptions
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS, many, percent_text, signed_time, time_text
from tb_perfcompare.model.arrays import median
from tb_perfcompare.number_text import listed
from tb_perfcompare.quick_dataclass import dataclass

_MAX_NAMED = 4
_ALL_FOUND = 0.999
LATE = 0.03
"""Share of its step by which a rank has to be later than the others for it to be named: two ranks of one program differ
by 0.1 to 2 %."""
_FAR_APART = 3
"""Of two ranks, one is the changed one if its own work changed this many times as much as the other's."""

_WORDS = {
    "slower": {Verdict.SLOWER, Verdict.PROBABLY_SLOWER},
    "faster": {Verdict.FASTER, Verdict.PROBABLY_FASTER},
    "same": {Verdict.SAME},
    "inconclusive": {Verdict.INCONCLUSIVE, Verdict.WITHHELD},
}


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rank: its figures on both sides, None if a side lacks it, and its changes."""

    key: str
    baseline: RankFigures | None
    candidate: RankFigures | None
    change: RankChange
    own: OwnChange


_Figures = Sequence[tuple[str, RankFigures]]
"""Rank and figures, of the ranks of one side."""


def rank_sentences(job: Job, rows: Sequence[RankRow], headline: Headline) -> tuple[str, ...]:
    """Returns the sentences in reading order. `rows`: one for each pair of the job, in its order."""
    sides = [
        (word, side, [(row.key, figures) for row in rows if (figures := getattr(row, word)) is not None])
        for word, side in zip(SIDES, (job.a, job.b), strict=True)
    ]
    return (
        *_sizes(rows),
        *_everywhere(rows, headline),
        *_uneven_work(job, rows),
        *_stand_out(job, rows),
        *(text for word, side, ranks in sides for text in _slowest(word, side, ranks)),
        *(text for word, _, ranks in sides for text in _waited_for(word, ranks)),
        *(text for word, side, ranks in sides for text in _weak(word, side, ranks)),
    )


def changed_rank(job: Job, least_us: float, options: CompareOptions) -> str:
    """Clause on the rank whose own work alone clearly changed: "own work of rank 1 +16.4 ms, of the other rank
    +1.40 ms"; "" if there is none."""
    clear = [number for number, own in enumerate(own_changes(job, least_us, options)) if own.is_clear]
    before, after = rank_figures(job.a), rank_figures(job.b)
    changes = {
        number: two.own_us - one.own_us for number, (x, y) in enumerate(job.pairs)
        if x is not None and y is not None and (one := before[x]) and (two := after[y])
    }  # fmt: skip
    most = max(clear, key=lambda number: abs(changes[number]), default=-1)
    others = [change for number, change in changes.items() if number != most]
    if most < 0 or not others or abs(changes[most]) < _FAR_APART * abs(usual := float(median(others))):
        return ""
    return f"own work of {job.keys[most]} {signed_time(changes[most])}, of {job.others} {signed_time(usual)}"


def _sizes(rows: Sequence[RankRow]) -> list[str]:
    """Sentence on ranks that only one side has."""
    removed = [row.key for row in rows if row.candidate is None]
    added = [row.key for row in rows if row.baseline is None]
    if not removed and not added:
        return []
    both = len(rows) - len(removed) - len(added)
    alone = zip(SIDES, (removed, added), strict=True)
    only = [f"{listed(keys, _MAX_NAMED)} only in the {side}" for side, keys in alone if keys]
    return [
        f"{many(both + len(removed), 'rank')} in the baseline, {both + len(added)} in the candidate, {both} in both; "
        f"{'; '.join(only)}. With a different world size a rank does a different share of the work, so a single "
        "slower or faster rank means nothing."
    ]


def _everywhere(rows: Sequence[RankRow], headline: Headline) -> list[str]:
    judged = [(row.key, row.change.verdict) for row in rows if row.change.verdict is not None]
    if not judged or headline.verdict is Verdict.WITHHELD:
        return []
    ranks = {word: [key for key, verdict in judged if verdict in verdicts] for word, verdicts in _WORDS.items()}
    first, *others = (f"{len(keys)}{{}} {word}" for word, keys in ranks.items() if keys)
    counts = ", ".join([first.format(f" of {many(len(judged), 'rank')}"), *(part.format("") for part in others)])
    clear = [word for word in ("slower", "faster") if ranks[word]]
    where = "No rank's step time changed significantly on its own"
    if len(clear) == 1:
        some = ranks[clear[0]]
        everywhere = len(some) == len(judged)
        where = f"Step time changed on {'all ranks' if everywhere else listed(some, _MAX_NAMED)}"
    elif clear:
        where = "Some ranks are slower and others faster"
    elif len(ranks["same"]) == len(judged):
        where = "No rank's step time changed"
    return [f"{where}: {counts}; all ranks pooled: {VERDICT_WORDS[headline.verdict]}."]


def _uneven_work(job: Job, rows: Sequence[RankRow]) -> list[str]:
    """Sentences on ranks whose counted work changed beyond that of the others."""
    own = _own_changes(rows)
    out, words = [], []
    whose = "other" if len(own) == 2 else "others"
    for number, row in enumerate(rows):
        if row.own.work is not None:
            words.append(row.own.work.word)
            others = float(median([delta for key, delta in own.items() if key != row.key]))
            out.append(
                f"{job.work_text({number: row.own.work})}; its own work (without waiting) takes "
                f"{signed_time(own[row.key])}, that of the {whose} {signed_time(others)} per step."
            )
    more = sorted(Counter(words[_MAX_NAMED:]).items())
    unnamed = [f"{many(ranks, 'more rank')} {'does' if ranks == 1 else 'do'} {word}." for word, ranks in more]
    return [*out[:_MAX_NAMED], *unnamed]


def _own_changes(rows: Sequence[RankRow]) -> dict[str, float]:
    """Rank -> change of its own work, of ranks that both sides have."""
    return {row.key: row.candidate.own_us - row.baseline.own_us for row in rows if row.baseline and row.candidate}


def _stand_out(job: Job, rows: Sequence[RankRow]) -> list[str]:
    """Sentence on ranks whose own work changed differently from that of the other ranks, their controls."""
    tested = [row for row in rows if row.own.q is not None]
    if not tested:
        return []
    clear = [row for row in tested if row.own.is_clear]
    clear.sort(key=lambda row: (-abs(row.own.delta_us or 0.0), row.key))
    if not clear and any(row.own.work_shows for row in rows):
        return []
    if not clear:
        return ["No rank stands out: own work (without waiting) changed alike, within the spread of steps and ranks."]
    changes = [f"{row.key} {signed_time(row.own.delta_us or 0.0)}" for row in clear[:_MAX_NAMED]]
    more = f" and {many(len(clear) - _MAX_NAMED, 'more rank')}" if len(clear) > _MAX_NAMED else ""
    own = _own_changes(rows)
    if min(len(job.a), len(job.b)) == len(own) == 2:
        return [_of_two(own)]
    whose = "other" if len(tested) == 2 else "others"
    return [
        f"{len(clear)} of {len(tested)} ranks changed differently from the {whose} in their own work "
        f"(without waiting): {', '.join(changes)}{more} per step relative to the {whose}."
    ]


def _of_two(own: Mapping[str, float]) -> str:
    """Sentence on two ranks that changed differently: each is the other's control, so its own baseline has to show
    which of them changed."""
    (one, most), (other, least) = sorted(own.items(), key=lambda rank: (-abs(rank[1]), rank[0]))
    is_clear = most and abs(most) >= _FAR_APART * abs(least)
    which = f"{one} is the one that changed" if is_clear else "which of the two changed is unclear"
    return (
        f"Own work (without waiting) changed differently: {one} {signed_time(most)} per step, {other} "
        f"{signed_time(least)}; {which}."
    )


def _slowest(word: str, side: Ranks, ranks: _Figures) -> list[str]:
    """Sentence on the slowest rank of a side, if it is LATE."""
    if len(side) < 2 or len(ranks) < 2:
        return []
    times = np.array([figures.step_us for _, figures in ranks])
    slowest, middle = int(times.argmax()), float(median(times))
    longest = float(times[slowest])
    if longest < (1 + LATE) * middle:
        return []
    return [
        f"The slowest rank of the {word} is {ranks[slowest][0]}: {time_text(longest)} per step, "
        f"{percent_text(longest / middle - 1)} above the median rank."
    ]


def _waited_for(word: str, ranks: _Figures) -> list[str]:
    """Sentence on the rank that the others of a side wait for, if it is LATE."""
    measured = [
        (of.waited_for_us, key, of)
        for key, of in ranks if of.waited_for_us is not None and of.waiting_us is not None
    ]  # fmt: skip
    if not measured:
        return []
    waited, key, late = max(measured, key=lambda rank: rank[:2])
    waiting = late.waiting_us or 0.0
    if waited < LATE * late.step_us:
        return []
    others = "other rank waits" if len(ranks) == 2 else "other ranks wait"
    return [
        f"In the {word} the {others} for {key}: {time_text(waiting + waited)} per step in collectives, while "
        f"{key} waits {time_text(waiting)}."
    ]


def _weak(word: str, side: Ranks, ranks: _Figures) -> list[str]:
    """Sentences on what was not measured, and why."""
    if len(side) < 2:
        return [f"The {word} has one worker: waiting and transfer cannot be separated."]
    out = []
    steps = [len(columns) for columns in side.columns]
    if not side.common.shape[1]:
        out.append(f"The ranks of the {word} share no step: their own work cannot be compared.")
    elif max(steps) > side.common.shape[1]:
        common = side.common.shape[1]
        out.append(f"The own work of ranks of the {word} is compared over {many(common, 'step')} that all recorded.")
    shares = [of.matched for _, of in ranks if of.matched is not None]
    if side.waiting is None:
        out.append(f"No collectives in the {word}: waiting is not measured.")
    elif not any(shares):
        out.append(
            f"Waiting is not measured in the {word}: no collective of one rank matches one of another in "
            "number, operation, message size and time."
        )
    elif min(shares) < _ALL_FOUND:
        out.append(
            f"In the {word} as little as {percent_text(min(shares))} of a rank's collective time could be matched to "
            f"{'the other rank' if len(side) == 2 else 'other ranks'}; waiting in the rest is not measured."
        )
    return out
