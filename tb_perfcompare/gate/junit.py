"""The gates as JUnit XML, which CI servers show as tests.

A gate that tripped is a failure; one that cannot tell is an error, a failure or a skipped test, as it counts. Nothing
in the file depends on the machine or on the time.
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
    """UTF-8 XML with one test case per gate."""
    marks = [_mark(outcome, unsure) for outcome in outcomes]
    counts = {
        "tests": len(outcomes), "failures": marks.count("failure"), "errors": marks.count("error"),
        "skipped": marks.count("skipped"),
    }  # fmt: skip
    attributes = {name: str(value) for name, value in counts.items()}
    whole = {name: value for name, value in attributes.items() if name != "skipped"}  # suites have no such count
    root = ElementTree.Element("testsuites", {"name": _SUITE, **whole})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _SUITE, **attributes})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _facts(comparison):
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})
    for outcome, mark in zip(outcomes, marks, strict=True):
        name = f"{outcome.gate}: {outcome.limit}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": _CLASS, "name": printable(name)})
        sentence = printable(outcome.sentence)
        if mark:
            found = ElementTree.SubElement(case, mark, {"message": sentence, "type": outcome.status.value})
            found.text = printable(outcome.measured)
        else:
            ElementTree.SubElement(case, "system-out").text = sentence
    ElementTree.indent(root)
    drawn: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return drawn + b"\n"


def _mark(outcome: Outcome, unsure: Unsure) -> str:
    if outcome.status is Status.TRIPPED:
        return "failure"
    return _UNSURE_AS[unsure] if outcome.status is Status.CANNOT_TELL else ""


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    headline = comparison.headline
    return [
        ("baseline", comparison.baseline.source),
        ("candidate", comparison.candidate.source),
        ("verdict", headline.verdict.value),
        ("reason", headline.reason),
    ]
