"""Single steps that make the difference: a few slow steps, or a warm-up inside the recording."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.evidence.cause import Cause, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.gaps_around import place_clause_of_steps
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words
from tb_perfcompare.comparison.causes.evidence.host_time import CPU_EXEC
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.headline import Basis
from tb_perfcompare.comparison.result.wording import many, short, signed_time, time_text
from tb_perfcompare.comparison.statistics.mean_effect import outlying_steps
from tb_perfcompare.model.arrays import Floats, are_in, median, row_medians, sample_quantile, unique
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass

MAIN_SHARE = 0.5
"""Share of the change of the step, or of the category that grows most, that slow steps must explain."""

MIN_SLOW_RATIO = 1.1
"""Least ratio of a slow step to the median of its side: of few steps, some are outside the fence by chance."""

MIN_COUNT_RATIO = 2
"""If both sides have slow steps, one side must have at least this many times as many. Slow steps at the same place
in every capture count without that, if the other side's do not recur so or cost this many times less."""

MAX_P = 0.01
"""Largest p of slow steps at varying places: a busy machine makes slow steps on both sides."""

MORE_CALLS = 1.5
"""Ratio of calls in slow steps to calls in other steps from which slow steps do more of something."""

MAX_NAMED = 5
"""Number of slow steps that a sentence names."""

LEADING = 0.25
"""Share of a recording's first steps that may be a warm-up, and of all steps that may be slow ones."""

SLOW_CALL = 10
"""Ratio of an operator's time per call in a step to its usual one from which calls in that step are slow. What other
load adds to a call is less, or is spread over many operators."""

LEAST_SLOW = 0.01
"""Least share of the median step that an operator with slow calls takes in its longest step."""

MIN_SLOW_STEPS = 3
"""Least number of steps with slow calls of an operator ..."""

FEW_OPERATORS, MOSTLY = 4, 0.9
"""... and share of what slow calls add that this many operators make: another process interrupts now this operator, now
that one. Nested operators and both passes count as several."""


def step_rules(pair: RuleContext) -> Iterator[Cause]:
    """Yields causes in single steps."""
    for find in (_warm_up, _slow_steps, _slow_calls):
        found = list(find(pair))
        yield from found
        if found:
            return


@dataclass(frozen=True, slots=True, eq=False)
class _SlowSide:
    """The slow steps of one side. `excess_us`: what they add to its mean step beyond its typical one."""

    summary: Summary
    slow: NDArray[np.int64]
    excess_us: float

    @property
    def share(self) -> float:
        """Share of the side's steps."""
        return len(self.slow) / len(self.summary.steps)

    @property
    def recurs(self) -> bool:
        """Whether the same steps are slow in every capture."""
        return len(self.slow) > 0 and _same_step_in_every_capture(self.summary, self.slow)


def _slow_steps(pair: RuleContext) -> Iterator[Cause]:
    """A few steps far above the others of their side make most of the difference of the means. If they turn it against
    the typical step, by which the verdict is, they count in whatever captures, and if all work is slow in them."""
    by_typical_step = pair.headline.basis is not Basis.PROGRAM
    against = by_typical_step and pair.headline.verdict.way * pair.delta_us < 0
    sides = [_slow_side(pair, number, at_pace=not against) for number in (0, 1)]
    delta = sides[1].excess_us - sides[0].excess_us
    # slow steps have to matter to the mean, not only to be longer
    if abs(delta) < max(pair.least_us, pair.options.margin * pair.shorter_us):
        return
    side, other = sides[::-1] if delta > 0 else sides
    if not _are_no_chance(pair, side, other, delta, turn_mean=against and delta * pair.delta_us > 0):
        return
    summary, slow = side.summary, side.slow
    entities = _growth_in_slow_steps(summary, slow)
    growth = _by_category(entities)
    label = max(growth, key=lambda category: growth[category])
    if label == CATEGORY_LABELS[StepCategory.DATALOADER]:  # several workers hand over several batches at once
        return
    of_step = delta * pair.delta_us > 0 and abs(delta) >= MAIN_SHARE * abs(pair.delta_us)
    own = math.copysign(growth[label] * side.share, delta)
    if not of_step and (own * pair.exposed(label) <= 0 or abs(own) < MAIN_SHARE * abs(pair.exposed(label))):
        return
    entity = max((part for part in entities if part[0] == label), key=lambda part: entities[part])[1]
    if entity == NOTHING_RECORDED:
        where = place_clause_of_steps(summary, slow, growth[label])
    else:
        where = f"mostly {short(entity)}{_called_more(summary, slow, (label, entity))}"
    named = _steps_text(summary, slow[:MAX_NAMED])
    labels = ", ".join(summary.steps.label[at] for at in slow[:MAX_NAMED].tolist())
    rest = f" and {many(len(slow) - MAX_NAMED, 'other')}" if len(slow) > MAX_NAMED else ""
    word = "candidate" if delta > 0 else "baseline"
    sentence = (
        f"Slow steps in the {word}: {signed_time(delta)} on the mean step, from {len(slow)} of {len(summary.steps)} "
        f"steps ({named}{rest}); in a slow step, {category_words(label)} {signed_time(growth[label])}"
        f"{f', {where}' if where else ''}."
    )
    yield cause(
        pair, SLOW_STEPS, named, label, delta, sentence, (Evidence("steps", f"{word} / {labels}"),),
        explains=_explained(entities, side.share, delta),
    )  # fmt: skip


def _slow_side(pair: RuleContext, number: int, *, at_pace: bool) -> _SlowSide:
    """The steps of side `number` far above its others. `at_pace`: not those in which all the same work is slow, which
    is the machine's."""
    summary = pair.sides[number]
    pace = pair.pace[number] if pair.pace is not None and at_pace else np.ones(len(summary.steps))
    times = np.rint(summary.steps.total_ns / pace).astype(np.int64)
    slow = _slow_outliers(times)
    if len(unique(summary.steps.capture)) == 1:  # levels differ between captures, but not within one
        slow = slow[are_in(slow, _slow_outliers(summary.steps.total_ns))]
    beyond = float(((times[slow] - float(median(times))) * pace[slow]).sum()) if len(slow) else 0.0
    return _SlowSide(summary, slow, beyond / len(summary.steps) / 1000)


def _are_no_chance(
    pair: RuleContext, side: _SlowSide, other: _SlowSide, delta: float, *, turn_mean: bool
) -> bool:  # fmt: skip
    """Whether the slow steps of `side` are few, and recur in its captures or are far more than those of `other`."""
    if not turn_mean and not _in_most_captures(side.summary, side.slow):
        return False
    if not 0 < side.share <= LEADING:
        return False
    longer = not other.recurs or side.excess_us >= MIN_COUNT_RATIO * other.excess_us
    count, others = len(side.slow) * len(other.summary.steps), len(other.slow) * len(side.summary.steps)
    if not (side.recurs and longer) and count < MIN_COUNT_RATIO * others:
        return False
    if turn_mean or side.recurs:
        return True
    by_chance = _fisher_p(side.summary, side.slow, other.summary, other.slow) > MAX_P
    return not by_chance and not _is_slower_machine(pair, delta)


def _is_slower_machine(pair: RuleContext, delta: float) -> bool:
    """Whether the machine surely is slower where steps are slow: what slows all work stalls single steps, too."""
    machine = pair.headline.machine
    return machine is not None and machine.low * machine.high > 0 and machine.estimate * delta > 0


def _slow_outliers(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps outside the fence that take MIN_SLOW_RATIO times as long as the median."""
    middle = float(median(times))
    return np.array([at for at in outlying_steps(times) if times[at] >= MIN_SLOW_RATIO * middle], dtype=np.int64)


def _in_most_captures(summary: Summary, slow: NDArray[np.int64]) -> bool:
    """Whether more than half of the side's captures have slow steps."""
    return 2 * len(unique(summary.steps.capture[slow])) > len(unique(summary.steps.capture))


def _same_step_in_every_capture(summary: Summary, slow: NDArray[np.int64]) -> bool:
    """Whether a step of the same number is slow in every capture."""
    _, counts = np.unique([summary.steps.label[at] for at in slow.tolist()], return_counts=True)
    return int(counts.max()) >= len(unique(summary.steps.capture))


def _fisher_p(one: Summary, slow: NDArray[np.int64], other: Summary, other_slow: NDArray[np.int64]) -> float:
    """Two-sided p of Fisher's exact test on the numbers of slow and other steps."""
    n, m, k = len(one.steps), len(other.steps), len(slow) + len(other_slow)
    least = sum(math.comb(n, own) * math.comb(m, k - own) for own in range(len(slow), min(k, n) + 1))
    return min(2 * least / math.comb(n + m, k), 1.0)


def _steps_text(summary: Summary, steps: NDArray[np.int64]) -> str:
    """The steps by label, and by recording if there are several: "step 5 in span 1, steps 5, 9 in span 2"."""
    several_workers = len({capture.worker for capture in summary.captures}) > 1
    by_place: dict[str, list[str]] = {}
    for at in steps.tolist():
        capture = summary.captures[int(summary.steps.capture[at])]
        place = f" in {f'{capture.worker}, ' if several_workers else ''}span {capture.span}"
        by_place.setdefault(place if len(summary.captures) > 1 else "", []).append(summary.steps.label[at])
    return ", ".join(
        f"{'step' if len(labels) == 1 else 'steps'} {', '.join(labels)}{place}" for place, labels in by_place.items()
    )


def _growth_in_slow_steps(summary: Summary, slow: NDArray[np.int64]) -> dict[Part, float]:
    """Entity -> microseconds by which it takes longer in slow steps than in the median of the other steps."""
    usual = np.setdiff1d(np.arange(len(summary.steps)), slow, assume_unique=True)
    owned = summary.owned
    growth = (owned.time_ns[:, slow].mean(axis=1) - row_medians(owned.time_ns[:, usual])) / 1000
    return {
        (CATEGORY_LABELS[category], key): us
        for category, key, us in zip(owned.category.tolist(), owned.key, growth.tolist(), strict=True)
    }


def _called_more(summary: Summary, slow: NDArray[np.int64], part: Part) -> str:
    """Clause on calls: " (10 calls, 2 in other steps)" if slow steps call it more often, "" if the same calls take
    longer."""
    owned = summary.owned
    parts = zip(owned.category.tolist(), owned.key, strict=True)
    row = next(at for at, (category, key) in enumerate(parts) if (CATEGORY_LABELS[category], key) == part)
    usual, calls = np.setdiff1d(np.arange(len(summary.steps)), slow, assume_unique=True), owned.calls[row]
    more, few = float(calls[slow].mean()), median(calls[usual])
    if not more or more < MORE_CALLS * few:  # gaps have no calls
        return ""
    return f" ({many(round(more), 'call')}, {round(few):,} in other steps)"


def _by_category(growth: Mapping[Part, float]) -> dict[str, float]:
    by_category = dict.fromkeys(CATEGORY_LABELS, 0.0)
    for (category, _), us in growth.items():
        by_category[category] += us
    return by_category


def _explained(growth: Mapping[Part, float], share: float, delta: float) -> dict[Part, float]:
    """Part -> what entities that grow in `share` of the steps add to the mean step, together at most what those
    steps add."""
    grown = {part: us * share for part, us in growth.items() if us > 0}
    scale = min(1.0, abs(delta) / math.fsum(grown.values())) if grown else 1.0
    return {part: math.copysign(us * scale, delta) for part, us in grown.items()}


def _warm_up(pair: RuleContext) -> Iterator[Cause]:
    """The first steps of a side do what later steps never do, such as loading code or trying algorithms."""
    sides = ("baseline", pair.baseline), ("candidate", pair.candidate)
    found = [(word, summary, _early_calls(summary)) for word, summary in sides]
    delta = found[1][2].excess_us - found[0][2].excess_us
    if abs(delta) < pair.least_us or delta * pair.delta_us <= 0 or abs(delta) < MAIN_SHARE * abs(pair.delta_us):
        return
    (_, _, others), (word, summary, early) = found if delta > 0 else found[::-1]
    names = [name for name in early.names if early.names[name] > others.names.get(name, 0.0)]
    if 2 * len(names) <= len(early.names):  # both sides begin with the same work, a prompt for instance
        return
    steps = max(len(early.steps) // len(summary.captures), 1)
    share = len(early.steps) / len(summary.steps)
    sentence = (
        f"Warm-up inside the {word} recording: {signed_time(delta)} on the mean step; "
        f"{', '.join(map(short, names[:3]))} {'runs' if len(names) == 1 else 'run'} only in the first "
        f"{'step' if steps == 1 else many(steps, 'step')}."
    )
    yield cause(
        pair, WARM_UP_INSIDE, names[0], "all", delta, sentence, (Evidence("steps", word),),
        explains=_explained(_growth_in_slow_steps(summary, early.steps), share, delta),
    )  # fmt: skip


def _slow_calls(pair: RuleContext) -> Iterator[Cause]:
    """Some calls of an operator take many times as long as others, in many steps: each new input shape makes a library
    choose, compile or load something. Without a device, other load does the same."""
    if abs(pair.delta_us) < pair.least_us or not all(side.device.count for side in pair.sides):
        return
    sides = [
        (word, summary, _calls_with_slow_ones(summary))
        for word, summary in (("baseline", pair.baseline), ("candidate", pair.candidate))
    ]
    before, after = (math.fsum(slow.excess_us for slow in calls.values()) for _, _, calls in sides)
    delta = after - before
    if abs(delta) < max(pair.least_us, MAIN_SHARE * abs(pair.delta_us)) or delta * pair.delta_us <= 0:
        return
    (_, others, other), (word, summary, side) = sides if delta > 0 else sides[::-1]
    if _fisher_p(summary, _made_slow(summary, side), others, _made_slow(others, other)) > MAX_P:
        return
    excess = {name: slow.excess_us - (other[name].excess_us if name in other else 0.0) for name, slow in side.items()}
    excess = {name: us for name, us in excess.items() if us > 0}
    whole = math.fsum(excess.values())
    names = sorted(excess, key=lambda name: (-excess[name], name))[:FEW_OPERATORS]
    if math.fsum(excess[name] for name in names) < MOSTLY * whole:
        return
    first, *rest = (name for name in names if excess[name] > (1 - MOSTLY) * whole)
    slow = side[first]
    also = f"; also {', '.join(map(short, rest))}" if rest else ""
    sentence = (
        f"Some calls are far slower in the {word}: {signed_time(delta)} per step; "
        f"in {len(slow.steps)} of {len(summary.steps)} steps {short(first)} takes {time_text(slow.slow_us)} per call, "
        f"in the others {time_text(slow.usual_us)}{also}."
    )
    is_operator = (first,) in pair.amounts("operators", "host_total")
    yield cause(
        pair, SLOW_CALLS, first, CPU_EXEC, delta, sentence,
        (Evidence("operators", first) if is_operator else Evidence("ledger", f"{CPU_EXEC} / {first}"),),
        explains={(CPU_EXEC, name): us * (delta / whole) for name, us in excess.items()},
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _SlowCalls:
    """Steps in which an operator's calls are slow, by how much each of these steps waits longer for them, the time per
    call there and elsewhere, and what this adds to the mean step."""

    steps: NDArray[np.int64]
    longer_us: Floats
    slow_us: float
    usual_us: float
    excess_us: float


def _made_slow(summary: Summary, calls: Mapping[str, _SlowCalls]) -> NDArray[np.int64]:
    """Steps that slow calls make MIN_SLOW_RATIO times as long as the median one."""
    longer = np.zeros(len(summary.steps))
    for slow in calls.values():
        longer[slow.steps] += slow.longer_us
    return np.flatnonzero(longer > (MIN_SLOW_RATIO - 1) * float(median(summary.steps.total_ns)) / 1000)


def _calls_with_slow_ones(summary: Summary) -> dict[str, _SlowCalls]:
    owned, found = summary.owned, {}
    matters = owned.plain_ns.max(axis=1, initial=0) >= LEAST_SLOW * float(median(summary.steps.total_ns))
    often = (owned.calls > 0).mean(axis=1) >= MAIN_SHARE
    for row in np.flatnonzero((owned.category == StepCategory.CPU_EXEC) & matters & often).tolist():
        calls, time = owned.calls[row], owned.plain_ns[row] / 1000  # hidden or not
        called = np.flatnonzero(calls)
        each = time[called] / calls[called]
        if each.max() <= SLOW_CALL * each.min():
            continue
        usual = sample_quantile(each, LEADING)
        steps = called[each > SLOW_CALL * usual]
        if usual <= 0 or not MIN_SLOW_STEPS <= len(steps) <= len(called) * (1 - LEADING):
            continue
        exposed = owned.time_ns[row] / 1000
        longer = exposed[steps] - float(median(exposed[np.setdiff1d(called, steps, assume_unique=True)]))
        slow = float(time[steps].sum() / calls[steps].sum())
        found[owned.key[row]] = _SlowCalls(steps, longer, slow, usual, float(longer.sum()) / len(summary.steps))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Early:
    """Entities that run only in leading steps, longest first, with their calls per capture; those steps, and their
    excess per step of the side."""

    names: dict[str, float]
    steps: NDArray[np.int64]
    excess_us: float


def _early_calls(summary: Summary) -> _Early:
    nothing = _Early({}, np.zeros(0, dtype=np.int64), 0.0)
    count = len(summary.steps)
    _, first_of, sizes = np.unique(summary.steps.capture, return_index=True, return_counts=True)
    early = np.zeros(count, dtype=bool)
    for start, size in zip(first_of.tolist(), sizes.tolist(), strict=True):
        early[start : start + int(size * LEADING)] = True
    if not early.any() or not summary.is_split:
        return nothing
    calls = summary.owned.calls
    late = calls[:, ~early].any(axis=1)
    mine = np.flatnonzero(~late & calls.any(axis=1))
    if not len(mine):
        return nothing
    warm = early & calls[mine].any(axis=0)
    rest = summary.steps.total_ns[~warm]
    if not warm.any() or not len(rest):
        return nothing
    excess = float((summary.steps.total_ns[warm] - median(rest)).sum()) / count / 1000
    order = mine[np.argsort(-summary.owned.plain_ns[mine].sum(axis=1), kind="stable")]
    per_capture = calls.sum(axis=1) / len(first_of)
    names = {summary.owned.key[row]: float(per_capture[row]) for row in order.tolist()}
    return _Early(names, np.flatnonzero(warm), excess)


WARM_UP_INSIDE = Rule(
    names=("warm_up_inside",),
    meaning="code is loaded, algorithms are tried",
    when="Some kernels or operators run only in the first quarter of the steps, and most of them run less often on "
    "the other side. The extra time of these steps is half of the change",
    needs="steps",
    look_at="profiler.schedule(wait=..., warmup=...) to skip the first steps; compare only later steps with --steps",
    confidence="certain: these calls stop after the first steps",
    find=step_rules,
    rank=0,
)
SLOW_STEPS = Rule(
    names=("slow_steps",),
    meaning="a few steps are far longer",
    when="A few outlying steps make half of the change, and do not wait for the data loader. With several captures, "
    "most have such steps, unless the steps turn the mean against the verdict",
    needs="steps",
    look_at="validation, checkpoints, logging, garbage collection, other jobs at that time; record more steps",
    confidence="few steps, which may not recur",
    find=step_rules,
    rank=1,
)
SLOW_CALLS = Rule(
    names=("slow_calls",),
    meaning="some calls of an operator take many times as long as others",
    when=f"In at least {MIN_SLOW_STEPS} steps, at most three quarters, an operator takes {SLOW_CALL} times its usual "
    "time per call. One side has more such steps (p ≤ 0.01), which make half of the change, by few operators. Only "
    "with a device",
    needs="steps",
    look_at="what is chosen, compiled or loaded for each new input shape: plans of cuDNN, "
    "torch.backends.cudnn.benchmark, torch.compile, Triton; pad or bucket the inputs",
    confidence="in many steps; their time is measured",
    find=step_rules,
    rank=1,
)
