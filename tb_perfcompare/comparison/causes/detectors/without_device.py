"""One side recorded no device work: device time is absent there, not zero."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.checks.environment_checks import on_cpu_alone
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import signed_time, time_text
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, COMMUNICATION, KERNEL, MEMCPY, MEMSET, RUNTIME

OF_DEVICES = (KERNEL, MEMCPY, MEMSET, COMMUNICATION, RUNTIME)
"""Categories that cannot be compared then."""

_MAX_NAMED = 3


def is_without_device(context: RuleContext) -> bool:
    """Whether one side recorded only the CPU and the other a device."""
    return on_cpu_alone(*context.sides)


def without_device_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """Yields one cause. It explains everything that one-sided operators do not, because the host waits for the
    device on one side and does its work on the other."""
    if not is_without_device(context):
        return
    word, side = ("candidate", 0) if context.baseline.device.count else ("baseline", 1)
    times = {label: context.exposed_times(label)[side] for label in OF_DEVICES}
    named = [label for label in sorted(times, key=lambda label: -times[label]) if times[label] >= context.least_us]
    named_times = ", ".join(f"{category_words(label)} {time_text(times[label])}" for label in named[:_MAX_NAMED])
    silent = (context.candidate, context.baseline)[side]
    is_cut = any(note.code == NoteCode.TRUNCATED for note in silent.notes)
    left = explained.left(context, CATEGORY_LABELS)
    delta = fsum(left.values())
    sentence = (
        f"Device work is recorded on one side only: {signed_time(delta)} per step; the {word} has none"
        f"{f', the other side {named_times} per step' if named_times else ''}."
    )
    yield cause(
        context, WITHOUT_DEVICE, KERNEL, "all", delta, sentence, (Evidence("categories", KERNEL),),
        explains=of_categories(left), look_at=f"the file of the {word}, which is cut off" if is_cut else "",
    )  # fmt: skip


WITHOUT_DEVICE = Rule(
    names=("without_device",),
    meaning="one side recorded no device work: it ran on the CPU, or its device was not recorded",
    when="Only one side has kernels, copies or API calls. No other rule then reports these",
    look_at="ProfilerActivity of both recordings; whether model and inputs are moved to the device",
    confidence="the recordings say so: one side has no device events",
    find_rest=without_device_rules,
    order=5,
)
