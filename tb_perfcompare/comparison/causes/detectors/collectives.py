"""Collectives between ranks: slower themselves, waiting for a late rank, or no longer hidden behind kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import fsum

from tb_perfcompare.comparison.causes.evidence.bus_bandwidth import bandwidth_text
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words, python_time
from tb_perfcompare.comparison.causes.evidence.host_time import CPU_EXEC, call_count_changed
from tb_perfcompare.comparison.causes.evidence.inputs import elements
from tb_perfcompare.comparison.causes.evidence.known_settings import collective_kind, look_at_collectives
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, RuleContext, total
from tb_perfcompare.comparison.causes.evidence.where_called import annotations_around
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.sides import Ranks
from tb_perfcompare.comparison.ranks.uneven_work import ExtraWork, WorkChange, extra_work
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import number_text, numbers_text, short, signed_time, times_text
from tb_perfcompare.model.names.names import is_collective_operator
from tb_perfcompare.model.names.python_frames import python_frame
from tb_perfcompare.model.summary.groups import PYTHON_TIME
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS
from tb_perfcompare.quick_dataclass import dataclass

NAMED, _MAX_NAMED = 0.25, 3
"""Share of a change (of a late rank's extra work) from which a part of it is named, and most categories that are."""

COMMUNICATION = "Communication"

_FUNCTIONS = "torch/distributed/distributed_c10d.py"
"""File of PyTorch's functions that make collectives; the outermost is the one that the program calls."""

MAIN_SHARE = 0.5
"""Share of the change that must come from waiting, or from the collectives' own time."""


def collective_rules(pair: RuleContext) -> Iterator[Cause]:
    """Causes in exposed communication."""
    yield from pair.once(_causes)


def _causes(pair: RuleContext) -> tuple[Cause, ...]:
    return tuple(_find_causes(pair))


def _find_causes(pair: RuleContext) -> Iterator[Cause]:
    """They are significant, unless the number of collectives or the late rank's work is counted."""
    exposed = pair.exposed(COMMUNICATION)
    if abs(exposed) < pair.least_us:
        return
    on_device = pair.amounts("kernels").keys()
    all_collectives = pair.amounts("communication")
    collectives = {key: amount for key, amount in all_collectives.items() if key in on_device} or all_collectives
    rows = [row for row in pair.entities(COMMUNICATION) if (row.path[1],) in collectives]
    # work around a collective that only the host does is not a collective
    if not rows or abs(sum(row.delta for row in rows)) < MAIN_SHARE * abs(exposed) * pair.unit:
        return
    amount = total(collectives.values())
    counted = fsum(collective.counted_us for collective in collectives.values())
    by_number = _by_count(amount, exposed) and abs(counted) >= MAIN_SHARE * abs(amount.delta_us)  # each one waits
    late = None if by_number else _waits_longer(pair, _largest(rows), exposed)
    if late is not None:
        yield late
    elif not by_number and not pair.is_clear(COMMUNICATION):
        return
    elif abs(amount.delta_us) < MAIN_SHARE * abs(exposed) or amount.delta_us * exposed < 0:
        if collectives is not all_collectives:  # host work is never hidden behind the host
            yield _overlap(pair, amount, _largest(rows), exposed)
    else:
        if _by_count(amount, exposed):
            rows = [row for row in rows if collectives[row.path[1],].more_calls * exposed > 0] or rows
        yield _slower_cause(pair, amount, _largest(rows), exposed)


def _waits_longer(pair: RuleContext, largest: LedgerRow, exposed: float) -> Cause | None:
    """The cause if ranks wait longer (less) for others; None if that is not most of the change, and no rank's counted
    work explains it."""
    before, after = pair.once(_splits)
    if pair.job is None or before is None or after is None:
        return None
    waiting, longer = after.waiting_us - before.waiting_us, after.collective_us - before.collective_us
    is_main = pair.is_clear(COMMUNICATION) and abs(waiting) >= MAIN_SHARE * abs(longer)
    is_counted = abs(waiting) >= pair.least_us and _works_of_late(pair, pair.job, (before, after), waiting > 0)
    if waiting * exposed <= 0 or not (is_main or is_counted):
        return None
    return _late_rank(pair, pair.job, (before, after), largest, waiting)


def _largest(rows: Iterable[LedgerRow]) -> LedgerRow:
    return max(rows, key=lambda row: (abs(row.delta), row.path))


def _by_count(amount: Amount, exposed: float) -> bool:
    """Whether the change comes with more (fewer) collectives."""
    return call_count_changed(amount.calls_a, amount.calls_b) and amount.more_calls * exposed > 0


def _slower_cause(pair: RuleContext, amount: Amount, first: LedgerRow, exposed: float) -> Cause:
    more, slower = ("More", "slower") if exposed > 0 else ("Fewer", "faster")
    before, after = pair.once(_splits)
    ranks, transfer, confidence, look_at = "", None, "", COLLECTIVE_SLOWER.look_at
    if before is None or after is None:
        ranks = "; only one rank is compared: waiting for a late rank would look the same"
        confidence, look_at = "a late rank would look the same", f"{look_at}; compare all ranks"
    elif before.is_whole and after.is_whole:
        transfer = before.transfer_us, after.transfer_us
    rates = bandwidth_text(pair, (amount.us_a, amount.us_b), transfer)
    title, calls, what = f"Collectives are {slower}", "", ""
    explains: dict[Part, float] = {(COMMUNICATION, ""): exposed}
    if _by_count(amount, exposed):
        title = f"{more} collectives"
        # operators that only call these collectives are not named
        host = [row for row in pair.entities(CPU_EXEC) if is_collective_operator(row.path[1])]
        counted = {(CPU_EXEC, row.path[1]): pair.counted_us(row) for row in host}
        explains |= {part: us for part, us in counted.items() if us * exposed > 0}
        calls = f"{numbers_text(amount.calls_a, amount.calls_b)} calls, "
        confidence = "certain: calls are counted; their time is measured"
        others = (name for name, in pair.amounts("communication"))
        look_at = look_at_collectives(first.path[1], others) or look_at
        what = _what_is_sent(pair, first.path[1], exposed)
    delta = fsum(explains.values())
    in_callers = delta - exposed
    if abs(in_callers) >= NAMED * abs(delta):
        exposed_text = f"exposed per step, {signed_time(in_callers)} of it in the operators that call them"
    else:
        exposed_text = "exposed per step"
    sentence = (
        f"{title}: {signed_time(delta)} {exposed_text}; collectives take {calls}"
        f"{times_text(amount.us_a, amount.us_b)} per step, mostly {short(first.path[1])}{what}{rates}{ranks}."
    )
    return cause(
        pair, COLLECTIVE_SLOWER, first.path[1], COMMUNICATION, delta, sentence,
        (Evidence("communication", first.path[1]),), confidence=confidence, look_at=look_at, explains=explains,
    )  # fmt: skip


def _what_is_sent(pair: RuleContext, collective: str, exposed: float) -> str:
    """Clause on what more (fewer) collectives of this kind send, and on the innermost annotation that most of their
    time is in: " of 2,097,152 elements in DistributedDataParallel.forward"."""
    kind = collective_kind(collective)
    sent = [
        elements(shape) for (name, shape), amount in pair.amounts("operators_by_shape", "host_total").items()
        if amount.more_calls * exposed > 0 and is_collective_operator(name) and collective_kind(name) == kind
    ]  # fmt: skip
    size_text = f" of {number_text(sent[0])} elements" if len(sent) == 1 and sent[0] else ""
    around = annotations_around(pair, {(CPU_EXEC, ""): exposed})
    return f"{size_text}{f' in {short(around[0])}' if around else ''}{_called_by(pair, kind, exposed)}"


def _called_by(pair: RuleContext, kind: str, exposed: float) -> str:
    """Clause on PyTorch's function that makes them and the function of the program that calls it, if functions were
    recorded: ", called by all_gather_object in train.py(12): step"."""
    if any(PYTHON_TIME not in side.groups for side in pair.sides):
        return ""
    before, after = (python_time(side, None) for side in pair.sides)
    found = []
    for name, one in (after if exposed > 0 else before).items():
        frame, calls = python_frame(name), [side[name].calls if name in side else 0.0 for side in (before, after)]
        if frame is not None and frame.file == _FUNCTIONS and collective_kind(frame.function) == kind:
            found += [(one.depth, frame.function, one.caller)] if (calls[1] - calls[0]) * exposed > 0 else []
    if not found:
        return ""
    _, function, caller = min(found)
    return f", called by {function}{f' in {short(caller)}' if caller else ''}"


def _overlap(pair: RuleContext, amount: Amount, first: LedgerRow, exposed: float) -> Cause:
    lost = exposed > 0
    sentence = (
        f"Communication is now {'exposed' if lost else 'hidden'}: {signed_time(exposed)} exposed per step, "
        f"{'less' if lost else 'more'} overlap with compute; collectives take "
        f"{times_text(amount.us_a, amount.us_b)} per step, mostly {short(first.path[1])}."
    )
    return cause(
        pair, OVERLAP_LOST, first.path[1], COMMUNICATION, exposed, sentence,
        (Evidence("communication", first.path[1]),),
    )  # fmt: skip


def _late_rank(
    pair: RuleContext, job: Job, splits: tuple[_Split, _Split], first: LedgerRow, waiting: float
) -> Cause:
    """Cause: what takes the late rank longer than the other ranks, and did not before."""
    before, after = splits
    longer, exposed = waiting > 0, pair.exposed(COMMUNICATION)
    late = job.number_of((after if longer else before).late, longer)
    works = _works_of_late(pair, job, splits, longer)
    does, named, evidence = _own_work(pair, job, late, longer)
    # of times that are within their spread, the counted work explains the waiting alone
    is_main = abs(waiting) >= MAIN_SHARE * abs(after.collective_us - before.collective_us)
    explained = exposed if is_main else min(waiting, exposed, key=abs)
    explains = {(COMMUNICATION, ""): explained} | _shares(pair, job, works or [late], longer)
    delta = fsum(explains.values())
    its_work = signed_time(delta - explained)
    whose = "these ranks'" if len(works) > 1 else "the late rank's"
    of_it = "" if len(explains) == 1 else f"; that includes {its_work} of {whose} own work (mean over ranks)"
    key, does = job.keys[late], ": ".join(filter(None, (does, named)))
    sentence = (
        f"{f'{job.work_text(works)}; ranks' if works else 'Ranks'} "
        f"wait {'longer' if longer else 'less'} in collectives: {signed_time(delta)} per step{of_it}; "
        f"{key} {'is' if longer else 'was'} late{f' ({does})' if does else ''}; per step and rank, waiting "
        f"{times_text(before.waiting_us, after.waiting_us)}, transfer "
        f"{times_text(before.transfer_us, after.transfer_us)}."
    )
    return cause(
        pair, LATE_RANK, key, COMMUNICATION, delta, sentence,
        (Evidence("ranks", key), Evidence("communication", first.path[1]), *evidence),
        confidence=UNEVEN_WORK.confidence if works else "", explains=explains,
        look_at=UNEVEN_WORK.look_at if works else LATE_RANK.look_at.replace("that rank", key),
    )  # fmt: skip


def uneven_work_rules(pair: RuleContext) -> Iterator[Cause]:
    """Causes: ranks whose counted work changed beyond that of the others. If the others wait for them, that is part of
    the late rank's cause. They have no time if the mean over ranks changed the other way."""
    job = pair.job
    if job is None or not job.has_several:
        return
    if any(one.finding.confidence == UNEVEN_WORK.confidence for one in pair.once(_causes)):
        return
    works = {longer: job.works_in(pair.least_us, longer) for longer in (True, False)}
    found = [_uneven_work(pair, job, those, longer) for longer, those in works.items() if those]
    yield from sorted(found, key=lambda one: (len(one.finding.subject), one.finding.subject))  # mirrors, rank by rank


def _uneven_work(pair: RuleContext, job: Job, works: Mapping[int, WorkChange], longer: bool) -> Cause:
    explains = _shares(pair, job, works, longer)
    delta = fsum(explains.values()) if explains else None
    of_mean = "" if delta is None else f": {signed_time(delta)} per step (mean over ranks)"
    most = max(works, key=lambda number: (float(job.beyond_us([number], longer).sum()), -number))
    does, named, evidence = _own_work(pair, job, most, longer)
    key = job.keys[most]
    where = f"most on {key}" if does and len(works) > 1 else ""
    sentence = f"{'; '.join(filter(None, (f'{job.work_text(works)}{of_mean}', where, does, named)))}."
    return cause(
        pair, UNEVEN_WORK, key, "all", delta, sentence, (Evidence("ranks", key), *evidence), explains=explains
    )


def _own_work(pair: RuleContext, job: Job, rank: int, longer: bool) -> tuple[str, str, list[Evidence]]:
    """Clauses on the category in which a rank takes most beyond the others, and on what it does in it."""
    own = job.beyond_us([rank], longer)
    most = int(own.argmax())
    if own[most] <= pair.least_us:
        return "", "", []
    extra = [work for work in _extra_work(pair, job, rank, longer) if work.category == CATEGORY_LABELS[most]]
    named = [work for work in extra if work.us >= NAMED * own[most]][:_MAX_NAMED]
    evidence = [Evidence("ledger", f"{work.category} / {work.key}") for work in named]
    does = f"{category_words(CATEGORY_LABELS[most])} {signed_time(own[most])} vs {job.others}"
    return does, ", ".join(work.text for work in named), evidence


def _extra_work(pair: RuleContext, job: Job, rank: int, longer: bool) -> tuple[ExtraWork, ...]:
    a, b = job.pairs[rank]
    if longer:
        return () if b is None else extra_work(pair.candidate, job.b, b, pair.baseline, job.a, a)
    return () if a is None else extra_work(pair.baseline, job.a, a, pair.candidate, job.b, b)


def _shares(pair: RuleContext, job: Job, numbers: Iterable[int], longer: bool) -> dict[Part, float]:
    """Part of each category's change that some ranks' own work makes: in the mean over ranks, by its share."""
    sign, ranks, own = 1 if longer else -1, len(job.b if longer else job.a), job.beyond_us(numbers, longer)
    return {
        (label, ""): sign * min(us / ranks, abs(pair.exposed(label)))
        for label, us in zip(CATEGORY_LABELS, own.tolist(), strict=True)
        if us > pair.least_us and sign * pair.exposed(label) > 0
    }


def _works_of_late(pair: RuleContext, job: Job, splits: tuple[_Split, _Split], longer: bool) -> dict[int, WorkChange]:
    """Ranks whose counted work grew (shrank) beyond that of the others, the late one first; empty if that is not one
    of them."""
    late, works = job.number_of(splits[longer].late, longer), job.works_in(pair.least_us, longer)
    return {late: works.pop(late)} | works if late in works else {}


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """Microseconds per step and rank in collectives, split into transfer and waiting for other ranks. `late`: the
    rank waited for; `is_whole`: every collective of every step was found on other ranks."""

    collective_us: float
    transfer_us: float
    waiting_us: float
    late: int
    is_whole: bool


def _splits(pair: RuleContext) -> tuple[_Split | None, _Split | None]:
    job = pair.job
    if job is None or not job.has_several or any("communication" not in side.groups for side in pair.sides):
        return None, None
    return _split(job.a), _split(job.b)


def _split(ranks: Ranks) -> _Split | None:
    """Split as in the table of ranks (docs/method/ranks.md). None unless all ranks recorded the same steps and a
    collective of one matches one of another."""
    collectives = ranks.waiting
    if not ranks.common.shape[1] or collectives is None or not collectives.matched[ranks.common].any():
        return None
    transfer = (collectives.matched - collectives.waiting)[ranks.common].T / 1000  # (steps, ranks)
    waited = collectives.waiting[ranks.common].T / 1000
    return _Split(
        float(collectives.plain[ranks.common].mean() / 1000),
        float(transfer.mean()),
        float(waited.mean()),
        int(waited.sum(axis=0).argmin()),
        ranks.common.size == len(ranks.total_ns) and bool((collectives.matched == collectives.plain).all()),
    )


LATE_RANK = Rule(
    names=("late_rank",),
    meaning="ranks wait for one of them",
    when="All workers recorded the same steps. [Waiting](ranks.md#waiting-and-transfer) makes half of the change, and "
    "a larger number of collectives does not. The late rank is the one that waits least",
    needs="collectives of several workers",
    tables=("communication",),
    look_at="what that rank does before its collectives: data loading, uneven work, a slower device",
    confidence="the others wait for the rank with the shortest collectives",
    find=collective_rules,
    rank=2,
)
UNEVEN_WORK = Rule(
    names=("uneven_work",),
    meaning="one rank does more (less) work than before, the others do not",
    when="[Counted work](ranks.md#counted-work) of a rank changed beyond that of the others, and its own time as well. "
    "If the others wait for it, `late_rank` says so instead",
    needs="several workers; `record_shapes` for FLOPs and input elements",
    tables=("ranks",),
    look_at="what each rank is given: its share of the samples, batch size, sequence lengths; calls of one rank alone",
    confidence="certain: the work of each rank is counted; its time is measured",
    find=uneven_work_rules,
    rank=4,
)
COLLECTIVE_SLOWER = Rule(
    names=("collective_slower", "collective_faster"),
    meaning="collectives take longer themselves",
    when="Exposed communication grew, half of it because collectives take longer. With one rank per side, a late rank "
    "looks the same; the sentence says so",
    needs="collectives",
    tables=("communication",),
    look_at="network and topology, message sizes (table communication_by_message)",
    confidence="the transfer itself, the same on all ranks",
    find=collective_rules,
    rank=2,
)
OVERLAP_LOST = Rule(
    names=("overlap_lost", "overlap_gained"),
    meaning="communication is exposed: less overlap with compute",
    when="Exposed communication grew, less than half of it because collectives take longer",
    needs="collectives on a device",
    tables=("communication",),
    look_at="overlap with the backward pass: bucket sizes, streams, find_unused_parameters, parameter order",
    confidence="collectives take as long as before; what runs alongside changed",
    find=collective_rules,
    rank=2,
)
