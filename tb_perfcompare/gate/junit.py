"""The gates as JUnit XML, which CI servers show as tests.

A tripped gate is a failure; a gate that cannot tell is an error, a failure or a skipped test, depending on `unsure`.
The file contains neither times nor anything about the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.gate.outcome import Outcome, Status, Unsure
from tb_perfcompare.render.printable import printable

_SUITE = "tb-perfcompare"
_CLASS = "tb_perfcompare.gate"
_UNSURE_AS = {Unsure.REPORT: "error", Unsure.FAIL: "failure", Unsure.PASS: "skipped"}


def junit(comparison: Comparison, outcomes: Sequence[Outcome], unsure: Unsure) -> bytes:
    """Returns UTF-8 XML with one test case per gate."""
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
