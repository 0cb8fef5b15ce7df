"""Every reader and route keeps its law on the corpus and on 0.1 s of mutations; broken laws are detected.

`python -m tests.fuzz.readers` runs longer, guided by coverage where atheris is installed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tb_perfcompare.errors import CorruptInput, InputError
from tests.fuzz.readers import table
from tests.fuzz.readers.corpus import CORPUS, TARGETS, stored_files
from tests.fuzz.readers.driver import Tally, run, try_one
from tests.fuzz.readers.json_mutation import parsed, written
from tests.fuzz.readers.law import LONGEST_MESSAGE, Outcome, Target, read_or_refused
from tests.fuzz.readers.minimize import broken, minimized
from tests.fuzz.readers.mutation import MOST_BYTES
from tests.thorough import THOROUGH

SECONDS = 0.1
"""Mutations per target; they are drawn from a fixed seed."""


SHARED = 1 if THOROUGH else 4
"""Of so many inputs that another target has stored, one is tried; that target tries all."""


def tried(target: Target) -> list[bytes]:
    """The corpus, with what once broke a law."""
    stored = stored_files(target)
    others = [path for path in stored if path.parent.name == target.shares and not path.name.startswith("found-")]
    left_out = {path for number, path in enumerate(others) if number % SHARED}
    return [*target.seeds(), *(path.read_bytes() for path in stored if path not in left_out)]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_keeps_its_law(name: str) -> None:
    target = TARGETS[name]
    tally = run(target, seconds=SECONDS, corpus=tried(target))
    assert not tally.failures, "\n\n".join(failure.trace for failure in tally.failures.values())
    assert tally.inputs >= len(target.seeds())
    assert tally.outcomes[Outcome.READ], "no input was read"


def test_the_corpus_belongs_to_targets_and_is_small() -> None:
    folders = [folder.name for folder in CORPUS.iterdir()]
    assert set(folders) <= set(TARGETS)
    assert sum(path.stat().st_size for path in CORPUS.rglob("*")) < 400_000


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_differ_and_are_of_bounded_size(name: str) -> None:
    target, draw = TARGETS[name], Random(1)
    seeds = target.seeds()
    mutations = [target.mutate(draw.choice(seeds), draw, seeds) for _ in range(60)]
    assert len(set(mutations)) > 30
    assert max(map(len, mutations)) <= 16 * MOST_BYTES


# -- broken laws ----------------------------------------------------------------------------------------------------


def reading_with(read: object) -> Target:
    """A target with this reader."""

    def take(data: bytes, folder: Path) -> Outcome:
        path = folder / "x.json"
        path.write_bytes(data)
        return read_or_refused(path, read)

    return Target("x", "", take, lambda data, draw, others: data, lambda: [b"x"])


def raising(error: Exception) -> Target:
    def read(path: str) -> None:
        raise error

    return reading_with(read)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("x"), "ValueError"),
        (MemoryError(), "MemoryError"),
        (RecursionError(), "RecursionError"),
        (InputError("other.json", "is odd", hint="copy it"), "does not name x.json"),
        (CorruptInput("x.json", "is odd"), "no remedy"),
        (CorruptInput("x.json", "is odd", hint="copy it" * LONGEST_MESSAGE), "characters"),
        (CorruptInput("x.json", "is \ud800", hint="copy it"), "not valid Unicode"),
    ],
)
def test_an_exception_that_breaks_the_law_is_a_failure(error: Exception, expected: str, tmp_path: Path) -> None:
    tally = Tally("x")
    try_one(raising(error), b"1", tmp_path, tally)
    (failure,) = tally.failures.values()
    assert expected in failure.error
    assert failure.data == b"1"


def test_an_error_that_keeps_the_law_is_a_refusal(tmp_path: Path) -> None:
    tally = Tally("x")
    try_one(raising(CorruptInput("/logs/x.json", "is odd", place="line 1", hint="copy it")), b"1", tmp_path, tally)
    assert (tally.failures, tally.outcomes) == ({}, {Outcome.REFUSED: 1})


def spin(path: str) -> None:
    while True:
        pass


def test_a_reader_that_takes_too_long_is_a_failure(tmp_path: Path) -> None:
    for read in (spin, lambda path: time.sleep(60)):
        tally = Tally("x")
        try_one(reading_with(read), b"1", tmp_path, tally, limit_s=0.1)
        assert "took more than 0.1 s" in next(iter(tally.failures.values())).error


def test_a_failing_input_is_minimized(tmp_path: Path) -> None:
    def read(path: str) -> None:
        if b"bad" in Path(path).read_bytes():
            raise ValueError

    target = reading_with(read)
    data = b"x" * 300 + b"bad" + b"y" * 300
    assert minimized(target, data, broken(target, data, tmp_path), tmp_path) == b"bad"
    assert broken(target, b"good", tmp_path) == ""


# -- parts of the harness -------------------------------------------------------------------------------------------


def test_json_is_written_as_it_was_parsed() -> None:
    for text in ('{"a": [1, 2.50, "x", null, true], "a": {}}', '{"ts": 1712195495519689.0471, "e": 1e5}', "[NaN]"):
        assert written(parsed(text.encode())).decode() == text


def test_the_results_are_written_into_the_document(tmp_path: Path) -> None:
    row = table.Row("trace", 1200, 1000, 200, 60.0, 0.25, 4321, [])
    text = table.markdown([row, replace(row, name="routes", edges=None)])
    assert text.startswith("2,400 inputs for 2 targets, guided by coverage: 2,000 were read, the slowest took 0.25 s, ")
    assert "broken: none." in text and "broken: `trace` (1)." in table.markdown([replace(row, failures=["a law"])])
    document = tmp_path / "page.md"
    document.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
    table.write(text, document)
    assert document.read_text() == f"before\n{table.BEGIN}\n{text}\n{table.END}\nafter\n"
