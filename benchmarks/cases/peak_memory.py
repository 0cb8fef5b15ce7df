"""Peak memory of reading and of building all tables, without imports, relative to the size of the JSON text."""

from __future__ import annotations

import statistics

from benchmarks.figures import Goal, Section, Verdict, median, table
from benchmarks.generated import Load
from benchmarks.inputs import Input
from benchmarks.rounds import Rounds, Task, measure
from benchmarks.setting import Setting

NAME = "peak_memory"
_READ, _TABLES, _JSON = "read", "tables", "json.loads"
_LIMITS = {_READ: (0.25, 30), _TABLES: (0.40, 40)}
"""Memory limits: a fraction of the size of the JSON text, plus a number of MB."""


def run(setting: Setting) -> Section:
    """Measures ordinary traces and traces with Python functions; json.loads only up to 500 MB, as it needs too much
    memory beyond."""
    section = Section(NAME)
    rows = []
    shares: dict[str, list[list[float]]] = {_READ: [], _TABLES: []}
    sizes = (100,) if setting.quick else (100, 500, 2000) if setting.full else (100, 500)
    for size in sizes:
        for kind, frames in (("CPU and GPU", 0), ("with_stack", 12)):
            input_ = setting.inputs.generated(f"{kind}, {size} MB", Load(setting.size(size), frames=frames))
            rounds = _measure(setting, input_, size)
            raw = rounds.result(_READ)["bytes"]
            for key, (share, extra_mb) in _LIMITS.items():
                allowed = share * raw + 1e6 * extra_mb
                shares[key].append([peak / allowed for peak in rounds.of(key, "above_imports_bytes")])
            rows.append(_row(input_, rounds, raw))
    section.verdicts = [
        Verdict(f"{key}: of {_LIMITS[key][0]:g} × JSON + {_LIMITS[key][1]} MB, worst of {len(rows)} traces",
                max(every, key=statistics.median), Goal(1, at_most=True), 2)
        for key, every in shares.items()
    ]  # fmt: skip
    section.parts.append(
        table(["trace", "JSON MB", "events", "read MB", "of JSON", "bytes per event", "tables MB", "of JSON",
               f"{_JSON} MB"], rows)
    )  # fmt: skip
    section.notes.append("MB above the imports at the peak; the median of the rounds.")
    if not setting.full:
        section.notes.append("2 GB traces are measured with --full.")
    return section


def _measure(setting: Setting, input_: Input, size: int) -> Rounds:
    path = str(input_.path)
    tasks = [Task(_READ, "our_work.read", (path,)), Task(_TABLES, "our_work.tables", (path,))]
    if size <= 500:
        tasks.append(Task(_JSON, "peer_work.json_loads", (path,)))
    return measure(tasks, setting.rounds, _READ)


def _row(input_: Input, rounds: Rounds, raw: int) -> list[str]:
    def mb(key: str) -> str:
        return median(rounds.of(key, "above_imports_bytes"), 0, 1e-6)

    def share(key: str) -> str:
        return median(rounds.of(key, "above_imports_bytes"), 2, 1 / raw)

    events = rounds.result(_READ)["events"]
    per_event = median(rounds.of(_READ, "above_imports_bytes"), 0, 1 / events)
    return [input_.title, f"{raw / 1e6:.0f}", f"{events:,}", mb(_READ), share(_READ), per_event, mb(_TABLES),
            share(_TABLES), mb(_JSON)]  # fmt: skip
