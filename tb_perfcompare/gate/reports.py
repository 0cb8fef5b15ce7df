"""The gates for CI servers: with the comparison as GitHub-flavoured Markdown, for the job summary of a workflow, and as
JUnit XML, which servers show as tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

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


_SUITE = "tb-perfcompare"
_CLASS = "tb_perfcompare.gate"
_UNSURE_AS = {Unsure.REPORT: "error", Unsure.FAIL: "failure", Unsure.PASS: "skipped"}


def junit(comparison: Comparison, outcomes: Sequence[Outcome], unsure: Unsure) -> bytes:
    """Returns UTF-8 XML with one test case per gate, without times or anything about the machine. A tripped gate is a
    failure; a gate that cannot tell is an error, a failure or a skipped test, depending on `unsure`."""
    marks = [_mark(outcome, unsure) for outcome in outcomes]
    counts = {
        "tests": len(outcomes), "failures": marks.count("failure"), "errors": marks.count("error"),
        "skipped": marks.count("skipped"),
    }  # fmt: skip
    attributes = {name: str(value) for name, value in counts.items()}
    totals = {name: value for name, value in attributes.items() if name != "skipped"}  # not an attribute of testsuites
    root = ElementTree.Element("testsuites", {"name": _SUITE, **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _SUITE, **attributes})
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "baseline": comparison.baseline.source, "candidate": comparison.candidate.source,
        "verdict": comparison.headline.verdict.value, "reason": comparison.headline.reason,
    }  # fmt: skip
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})
    for outcome, mark in zip(outcomes, marks, strict=True):
        name = f"{outcome.gate}: {outcome.limit}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": _CLASS, "name": printable(name)})
        sentence = printable(outcome.sentence)
        if mark:
            element = ElementTree.SubElement(case, mark, {"message": sentence, "type": outcome.status.value})
            element.text = printable(outcome.measured)
        else:
            ElementTree.SubElement(case, "system-out").text = sentence
    ElementTree.indent(root)
    encoded: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return encoded + b"\n"


def _mark(outcome: Outcome, unsure: Unsure) -> str:
    if outcome.status is Status.TRIPPED:
        return "failure"
    return _UNSURE_AS[unsure] if outcome.status is Status.CANNOT_TELL else ""
