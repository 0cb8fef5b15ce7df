"""Time to find unmarked iterations and to compare them by kind, relative to reading the trace."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

from benchmarks.cases.judging import why_rejected
from benchmarks.figures import Goal, Section, Verdict, spread, table
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "iteration_kinds"
_OPERATORS, _KINDS = 28, 20
_OURS = "kinds"


def run(setting: Setting) -> Section:
    """Measures iterations of 20 kinds, marked by annotations or found by repetition."""
    section, rows = Section(NAME), []
    count = 60 if setting.quick else 10_000
    for title, annotated in (("annotations", True), ("repetition", False)):
        paths = [_trace(setting.inputs.scratch, title, side, count, annotated=annotated) for side in (1, 2)]
        rounds = measure([Task(_OURS, "our_work.kinds", tuple(map(str, paths)))], setting.rounds, _OURS)
        facts = rounds.result(_OURS)
        rows.append([
            title, f"{facts['events']:,}", f"{facts['steps']:,}", str(facts["kinds"]),
            *(spread(rounds.figures(_OURS, what, 1000), 0) for what in ("reading", "finding", "comparing")),
        ])  # fmt: skip
        shares = [
            100 * (finding + comparing) / reading
            for finding, comparing, reading in zip(*(rounds.figures(_OURS, what) for what in _PARTS), strict=True)
        ]
        figure = f"{count:,} iterations by {title}: found and compared, of the time of reading, CPU"
        section.verdicts.append(Verdict(figure, shares, Goal(15, at_most=True, unit=" %"), 1, why_rejected([rounds])))
    head = ["iterations by", "events a side", "iterations a side", "kinds", "reading ms", "finding ms", "comparing ms"]
    section.parts.append(table(head, rows))
    section.notes.append(
        "Two files, processor time. Reading is from the compressed file to its summary, finding is a part of it; "
        "comparing is the verdict with all of its intervals, and the table of kinds."
    )
    return section


_PARTS = ("finding", "comparing", "reading")


def _trace(scratch: Path, title: str, side: int, count: int, *, annotated: bool) -> Path:
    """Writes a trace of `count` iterations of random kinds, unless it exists. Iterations have the same number of
    operators, with one kernel each, and a length that depends on the kind."""
    path = scratch / "iterations" / f"{title}_{side}_{count}.pt.trace.json.gz"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    draw = random.Random(side)
    events: list[dict[str, Any]] = []
    at = 0
    for number in range(count):
        kind = draw.randrange(_KINDS)
        length = 1_000 * (1 + kind % 5) + draw.randrange(60)
        if annotated:
            name = f"step[DECODE bs={kind + 1}]"
            mark = {"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": length}
            events.append(mark)
        for index in range(_OPERATORS):
            call, call_id = at + 10 + index * length // 30, number * _OPERATORS + index
            events += [
                {"ph": "X", "cat": "cpu_op", "name": f"aten::op_{index}", "pid": 1, "tid": 1, "ts": call,
                 "dur": length // 60, "args": {"External id": call_id}},
                {"ph": "X", "cat": "kernel", "name": f"kernel_{index}", "pid": 0, "tid": 7, "ts": call + 2,
                 "dur": length // 60,
                 "args": {"External id": call_id, "correlation": call_id, "stream": 7, "device": 0}},
            ]  # fmt: skip
        at += length + 100
    with gzip.open(path, "wt", compresslevel=1) as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
    return path
