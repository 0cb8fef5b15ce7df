"""What recording costs: the profiler's own work, and options that were on for one side only."""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.comparison.causes.cause import Cause, cause
from tb_perfcompare.comparison.causes.pair import Pair
from tb_perfcompare.comparison.causes.wording import more_or_less
from tb_perfcompare.comparison.comparison import Evidence
from tb_perfcompare.model.summary import PROFILER_WORK

MOST = 0.5
"""Share of the change that the profiler's work must make."""

RECORDING = ("CPU Exec", "Runtime", "Other")
"""Categories in which the profiler's work hides."""


def recording_rules(pair: Pair) -> Iterator[Cause]:
    """The profiler's own recorded work grew, or it was told to record more, which costs the host time."""
    rows = [row for row in pair.entities("Other") if row.path[1] == PROFILER_WORK]
    delta = sum(row.delta for row in rows) / pair.unit
    flags = "; ".join(recorded_otherwise(pair))
    if abs(delta) < pair.least_us or abs(delta) < MOST * abs(pair.exposed("Other")):
        yield from _recorded_more(pair, flags)
        return
    sentence = (
        f"The profiler itself takes {more_or_less(delta)} per step (events of its own overhead)"
        f"{f', and it records more: {flags}' if flags else ''}."
    )
    yield cause(
        pair, "profiler_overhead", PROFILER_WORK, "Other", delta, sentence,
        (Evidence("ledger", f"Other / {PROFILER_WORK}"),),
        confidence="certain: the profiler records its own work",
        look_at="record both runs with the same options; with_stack and profile_memory cost most",
        rank=2,
    )  # fmt: skip


def _recorded_more(pair: Pair, flags: str) -> Iterator[Cause]:
    """Without events of its own work, what recording costs is not told from what the host does."""
    explained = {label: pair.exposed(label) for label in RECORDING if pair.exposed(label) * pair.delta_us > 0}
    delta = sum(explained.values())
    if not costlier_to_record(pair, delta) or not pair.is_clear(*explained):
        return
    if abs(delta) < max(pair.least_us, MOST * abs(pair.delta_us)):
        return
    sentence = (
        f"The sides were recorded with other options, {flags}, and the host takes {more_or_less(delta)} per step: "
        f"recording {'more' if delta > 0 else 'less'} costs {'more' if delta > 0 else 'less'} of its time."
    )
    yield cause(
        pair, "profiler_overhead", PROFILER_WORK, "Other", delta, sentence, (Evidence("environment", ""),),
        confidence="what recording costs cannot be told from other changes of the host's time",
        look_at="record both runs with the same options; with_stack and profile_memory cost most",
        explains=explained, rank=6,
    )  # fmt: skip


def costlier_to_record(pair: Pair, delta: float) -> bool:
    """Whether the slower side is the one of which more was recorded."""
    on = [
        sum(value == "true" for name, value in summary.environment if name.startswith("profiler."))
        for summary in (pair.baseline, pair.candidate)
    ]
    return on[0] != on[1] and (on[1] > on[0]) == (delta > 0)


def recorded_otherwise(pair: Pair) -> Iterator[str]:
    """ "with_stack not recorded against true" """
    a, b = dict(pair.baseline.environment), dict(pair.candidate.environment)
    for name in sorted({*a, *b}):
        if name.startswith("profiler.") and a.get(name) != b.get(name):
            short_name = name.removeprefix("profiler.")
            yield f"{short_name} {a.get(name, 'not recorded')} against {b.get(name, 'not recorded')}"
