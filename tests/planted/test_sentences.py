"""Laws of style over everything that the rules write about the planted faults."""

from __future__ import annotations

import re

import pytest

from tb_perfcompare.comparison.causes.rules import RULE_NAMES, why_silent
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.render.blocks import Heading
from tb_perfcompare.render.document import report
from tests.planted.sentences import comparisons, findings
from tests.test_words import AVOIDED

MOST_WORDS = 35
"""In the first two clauses: what happened, by how much, and how. What follows is evidence."""


MOST_WORDS_OF_A_VERDICT = 12
"""In the first line, beside its figures."""


@pytest.fixture(scope="module")
def compared() -> list[Comparison]:
    return list(comparisons())


@pytest.fixture(scope="module")
def written(compared: list[Comparison]) -> list[Finding]:
    return list(findings(compared))


def test_nearly_every_rule_is_among_them(written: list[Finding]) -> None:
    silent = {"memset_time", "communication_time", "host_time", "unrecorded_time", "runtime_time", "memcpy_time"}
    silent |= {"operator_replaced", "operators_changed"}  # tests/comparison/causes/test_changed_operators.py
    silent |= {"recomputation", "recomputation_gone"}  # tests/comparison/causes/test_recomputation.py
    silent |= {"without_device"}  # tests/comparison/causes/test_without_device.py
    silent |= {"waiting_threads"}  # tests/planted/causes/test_host_causes.py
    silent |= {"gil_waits"}  # tests/comparison/causes/machine/test_gil_waits.py
    silent |= {"slow_calls"}  # tests/comparison/causes/steps/test_slow_steps.py
    silent |= {"graph_captures", "algorithm_search"}  # tests/comparison/causes/test_captures_and_searches.py
    silent |= {"uneven_work"}  # tests/comparison/ranks/test_uneven_work.py
    silent |= {"autograd_recorded", "autograd_off"}  # tests/comparison/causes/machine/test_autograd.py
    names = {finding.rule for finding in written}
    assert names <= set(RULE_NAMES)
    assert set(RULE_NAMES) - names <= silent


def test_no_rule_finds_anything_without_the_tables_that_it_needs(compared: list[Comparison]) -> None:
    found = {(finding.rule, why_silent(finding.rule, one)) for one in compared for finding in one.findings}
    assert {(rule, why) for rule, why in found if why} == set()


def test_a_sentence_begins_with_a_capital_and_ends_with_a_full_stop(written: list[Finding]) -> None:
    assert [f.sentence for f in written if not re.match(r"""[A-Z"'].*\.$""", f.sentence)] == []


def test_a_change_of_time_is_in_the_first_clause(written: list[Finding]) -> None:
    timed = [f for f in written if f.delta_us is not None and f.rule != "bound_shift"]
    assert [f.sentence for f in timed if not re.search(r"[+−][\d.,]+ (s|ms|µs|ns)\b", _first_clause(f.sentence))] == []


def test_its_sign_is_that_of_the_change(written: list[Finding]) -> None:
    for finding in written:
        sign = re.search(r": (?:.*? )?([+−])\d", _first_clause(finding.sentence))
        if sign is not None and finding.delta_us is not None:
            assert (sign[1] == "+") == (finding.delta_us > 0), finding.sentence


def test_it_is_read_once_at_speed(written: list[Finding]) -> None:
    long = {f.sentence: len(" ".join(f.sentence.split("; ")[:2]).split()) for f in written}
    assert {sentence: words for sentence, words in long.items() if words > MOST_WORDS} == {}


def test_nothing_has_to_be_read_twice(written: list[Finding]) -> None:
    texts = {text for f in written for text in (f.sentence, f.confidence, f.look_at)}
    assert [text for text in texts if AVOIDED.search(text)] == []


def test_a_verdict_is_one_short_line(compared: list[Comparison]) -> None:
    first = {report(comparison, top=1)[0] for comparison in compared}
    lines = [block.text for block in first if isinstance(block, Heading)]
    assert len(lines) == len(first)
    assert {line for line in lines if len(re.findall(r"[^\W\d][\w'’-]*", line)) > MOST_WORDS_OF_A_VERDICT} == set()
    assert {line for line in lines if AVOIDED.search(line)} == set()


def _first_clause(sentence: str) -> str:
    return sentence.split("; ")[0]
