"""Every response about a pair of a million events: its size, and the time of the first and of a repeated request."""

from __future__ import annotations

import statistics

from benchmarks.figures import Goal, Section, Verdict, median, spread, table
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting
from benchmarks.wide_traces import MILLION, Wide, write_pair

NAME = "routes"
_AT_ONCE = Goal(100, at_most=True, unit=" ms")
_SLOWEST = 8
"""Number of responses shown in the table."""

_SMALL = Wide(steps=3, layers=20, kernels=60, operators=40, shapes=10, modules=30)


def run(setting: Setting) -> Section:
    """Measures a new server in every round."""
    section = Section(NAME)
    wide = _SMALL if setting.quick else MILLION
    logdir = setting.inputs.scratch / f"wide{wide.events}"
    if not logdir.exists():
        write_pair(logdir, wide)
    rounds = measure(
        [Task("ask", "server_work.all_routes", (str(logdir), "normal", "abnormal"))], setting.rounds, "ask"
    )
    answers: dict[str, list[dict[str, float]]] = {}
    for one in rounds.samples["ask"]:
        for row in one.result["rows"]:
            answers.setdefault(row["title"], []).append(row)

    def of(title: str, what: str) -> list[float]:
        return [row[what] for row in answers[title]]

    rows = [
        [title, spread(of(title, "first_ms"), 1), spread(of(title, "again_ms"), 1),
         median(of(title, "bytes"), 0, 1e-3), median(of(title, "packed_bytes"), 0, 1e-3)]
        for title in sorted(answers, key=lambda title: -statistics.median(of(title, "first_ms")))[:_SLOWEST]
    ]  # fmt: skip
    section.parts.append(table(["answer", "first, ms", "again, ms", "KB", "KB gzipped"], rows))
    largest = max(answers, key=lambda title: max(of(title, "bytes")))
    slowest = max(answers, key=lambda title: statistics.median(of(title, "again_ms")))
    read = {"api/runs", "api/comparison", *(title for title in answers if title.startswith(("api/view", "api/strict")))}
    chosen = max((title for title in answers if title not in read), key=lambda t: statistics.median(of(t, "first_ms")))
    section.verdicts = [
        Verdict(f"largest answer ({largest})", [b / 1e6 for b in of(largest, "bytes")],
                Goal(1, at_most=True, unit=" MB"), 2),
        Verdict(f"slowest answer asked again ({slowest})", of(slowest, "again_ms"), _AT_ONCE),
        Verdict(f"slowest first page of a known comparison ({chosen})", of(chosen, "first_ms"), _AT_ONCE),
    ]  # fmt: skip
    section.notes.append(
        f"The slowest {_SLOWEST} of {len(answers)} answers, for two runs of {wide.events:,} events each with "
        f"{wide.kernels:,} kernels, {wide.operators:,} operators and {wide.modules:,} modules "
        "(benchmarks/wide_traces.py). The first api/comparison reads and compares; api/strict compares once more in "
        "its own way. No cache on disk, no sockets."
    )
    return section
