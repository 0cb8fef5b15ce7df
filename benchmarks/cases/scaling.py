"""How time grows with the trace's size, its number of threads, depth and distinct names, and with unordered events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.cases.judging import why_rejected
from benchmarks.figures import Goal, Section, Verdict, median, slope, spread, table
from benchmarks.generated import Load
from benchmarks.inputs import Input
from benchmarks.layouts import COMPACT
from benchmarks.rounds import Rounds, Task, measure
from benchmarks.setting import Setting

NAME = "scaling"
SIZES = (50, 100, 200, 400)
THREADS = (10, 100, 1_000, 10_000)
DEPTHS = (10, 100, 1_000)
NAMES = (100, 1_000, 10_000, 100_000, 1_000_000)
_WORKS = ("read", "tables")
_MOST_GROWTH = 0.05
"""Largest allowed exponent of the time per event, which should not grow."""


def run(setting: Setting) -> Section:
    """Measures one series of inputs at a time; all inputs of a series are measured in turns within a round."""
    section = Section(NAME)
    make = setting.inputs.generated
    sizes = [make(f"{size} MB", Load(setting.size(size))) for size in (SIZES[::3] if setting.quick else SIZES)]
    rounds = _series(setting, sizes)
    section.parts.append(_table("size", sizes, rounds))
    for work in _WORKS:
        exponents = [slope(_events(rounds, sizes, work), times) for times in _by_round(rounds, sizes, work)]
        figure, goal = f"{work}: exponent of time over size, 50 to 400 MB", Goal(1.05, at_most=True, least=0.95)
        section.verdicts.append(Verdict(figure, exponents, goal, 3, why_rejected([rounds])))
    short = Load(setting.size(300), steps=2, depth=8, memory=False, arrows=False, layout=COMPACT)
    many: list[tuple[str, Sequence[int], Callable[[int], Load]]] = [
        ("threads", THREADS, lambda n: Load(setting.size(50), steps=2, threads=n)),
        ("depth", DEPTHS, lambda n: Load(setting.size(50), depth=n, launches=n // 10)),
        ("names", NAMES, lambda n: replace(short, names=n)),
    ]
    for title, numbers_of_series, load in many[:1] if setting.quick else many:
        numbers = numbers_of_series[:2] if setting.quick else numbers_of_series
        inputs = [make(f"{n:,}", load(n)) for n in numbers]
        rounds = _series(setting, inputs)
        section.parts.append(_table(title, inputs, rounds))
        for work in _WORKS:
            exponents = [slope(numbers, [t / n for t, n in zip(times, _events(rounds, inputs, work), strict=True)])
                         for times in _by_round(rounds, inputs, work)]  # fmt: skip
            figure = f"{work}: exponent of time per event over {title}, {numbers[0]:,} to {numbers[-1]:,}"
            goal = Goal(_MOST_GROWTH, at_most=True)
            section.verdicts.append(Verdict(figure, exponents, goal, 3, why_rejected([rounds])))
    ordered = make("in order", Load(setting.size(100)))
    shuffled = make("shuffled", Load(setting.size(100), shuffled=True))
    rounds = _series(setting, [ordered, shuffled])
    section.parts.append(_table("order in the file", [ordered, shuffled], rounds))
    for work in _WORKS:
        ratios = rounds.ratios(f"{work} {shuffled.title}", f"{work} {ordered.title}", "cpu_seconds")
        goal = Goal(1.5, at_most=True)
        section.verdicts.append(Verdict(f"{work}: shuffled over ordered", ratios, goal, 2, why_rejected([rounds])))
    section.notes.append(
        "All figures are processor time. Over size the time of the whole trace counts, elsewhere the time per event, "
        f"which should not grow at all: an exponent of {_MOST_GROWTH:g} is {1e4**_MOST_GROWTH:.2f} times over four "
        "orders of magnitude."
    )
    return section


def _series(setting: Setting, inputs: Sequence[Input]) -> Rounds:
    tasks = [
        Task(f"{work} {input_.title}", f"our_work.{work}", (str(input_.path),)) for input_ in inputs for work in _WORKS
    ]
    return measure(tasks, setting.rounds, f"{_WORKS[-1]} {inputs[0].title}")


def _events(rounds: Rounds, inputs: Sequence[Input], work: str) -> list[int]:
    return [rounds.result(f"{work} {input_.title}")["events"] for input_ in inputs]


def _by_round(rounds: Rounds, inputs: Sequence[Input], work: str) -> list[tuple[float, ...]]:
    """Returns per round the CPU seconds of all inputs."""
    return list(zip(*(rounds.of(f"{work} {input_.title}", "cpu_seconds") for input_ in inputs), strict=True))


def _table(title: str, inputs: Sequence[Input], rounds: Rounds) -> str:
    rows = []
    for input_ in inputs:
        cells = []
        for work in _WORKS:
            key = f"{work} {input_.title}"
            events = rounds.result(key)["events"]
            cells.append(spread([1e6 * t / events for t in rounds.of(key, "cpu_seconds")], 2))
        peak = median(rounds.of(f"tables {input_.title}", "above_imports_bytes"), 0, 1e-6)
        rows.append([input_.title, f"{events:,}", *cells, peak])
    return table([title, "events", "read, µs per event", "tables, µs per event", "tables MB"], rows)
