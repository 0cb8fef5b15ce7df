"""The gates and the comparison as GitHub-flavoured Markdown, for the job summary of a workflow."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.gate.outcome import Outcome, Status, Unsure, effective_status, overall_status
from tb_perfcompare.render import document
from tb_perfcompare.render.blocks import Block, Heading
from tb_perfcompare.render.grid import Grid, Head
from tb_perfcompare.render.markdown import markdown
from tb_perfcompare.render.printable import printable

MAX_BYTES = 1_000_000
"""GitHub accepts 1 MiB per workflow step."""

_ROWS = 10
_WORDS = {Status.PASSED: "passed", Status.TRIPPED: "failed", Status.CANNOT_TELL: "cannot tell"}
_MARKS = {Status.PASSED: "✅ passed", Status.TRIPPED: "❌ failed", Status.CANNOT_TELL: "❔ cannot tell"}
_HEADS = (
    Head("Gate", numeric=False, code=False), Head("Allowed", numeric=True, code=False),
    Head("Measured", numeric=False, code=False), Head("Result", numeric=False, code=False),
)  # fmt: skip


def job_summary(comparison: Comparison, outcomes: Sequence[Outcome], unsure: Unsure) -> bytes:
    """Returns UTF-8 Markdown of at most MAX_BYTES, to append to the job's summary; shows fewer rows if need be."""
    blocks: list[Block] = []
    if outcomes:
        rows = tuple(_row(outcome, unsure) for outcome in outcomes)
        blocks += [
            Heading(f"Performance gate: {_WORDS[overall_status(outcomes, unsure)]}", level=1),
            Grid("gate", "Gate", _HEADS, rows),
        ]
    top = _ROWS
    encoded = _encoded([*blocks, *document.report(comparison, top=top)])
    while len(encoded) > MAX_BYTES and top > 1:
        top //= 2
        encoded = _encoded([*blocks, *document.report(comparison, top=top)])
    return encoded if len(encoded) <= MAX_BYTES else _encoded(blocks)


def _row(outcome: Outcome, unsure: Unsure) -> tuple[str, ...]:
    mark = _MARKS[outcome.status]
    if outcome.status is Status.CANNOT_TELL and unsure is not Unsure.REPORT:
        mark += f", counts as {_WORDS[effective_status(outcome, unsure)]}"
    sentence = outcome.sentence if outcome.status is Status.CANNOT_TELL else outcome.measured
    return tuple(map(printable, (outcome.gate, outcome.limit, sentence, mark)))


def _encoded(blocks: Sequence[Block]) -> bytes:
    return markdown(blocks).encode("utf-8", "backslashreplace")
