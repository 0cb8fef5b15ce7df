"""Requests of the clients of a load test, about a log directory with pairs of every kind."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.wide_traces import Wide, write_pair

DEMO = Path(__file__).resolve().parents[1] / "demo_logs"
DEMO_PAIRS = (
    ("cpu_training/normal", "cpu_training/abnormal"),
    ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"),
    ("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate"),
    ("saved_answers_synthetic#1", "saved_answers_synthetic#2"),
    ("perf_data_synthetic/normal_perf_data", "perf_data_synthetic/abnormal_perf_data"),
    ("kernel_listing_synthetic/before.txt", "kernel_listing_synthetic/after.txt"),
    ("ncu_synthetic/before.csv", "ncu_synthetic/after.csv"),
)
_TRACES = 3
"""Number of pairs of traces, with which DEMO_PAIRS begins: they have operators, and steps to choose."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request to the plugin, or to TensorBoard itself for an absolute path. Not `compared`: TensorBoard's own
    responses, and the list of runs, which has more facts once runs were read."""

    route: str
    query: dict[str, str] = field(default_factory=dict)
    compared: bool = True


def write_logdir(folder: Path, *, wide: int, ranks: int) -> list[tuple[str, str]]:
    """Writes the demo runs, `wide` pairs of 30,000, 60,000, ... events, and a pair of `ranks` workers; returns all
    pairs."""
    for name in {run.partition("/")[0].partition("#")[0] for pair in DEMO_PAIRS for run in pair}:
        shutil.copytree(DEMO / name, folder / name)
    pairs = list(DEMO_PAIRS)
    for number in range(wide):
        write_pair(folder / f"wide{number}", Wide(steps=8, layers=300 * (number + 1), kernels=400 * (number + 1)))
        pairs.append((f"wide{number}/normal", f"wide{number}/abnormal"))
    for path in write_pair(folder / "ranks", Wide(steps=4, layers=400, kernels=300)):
        for rank in range(1, ranks):
            os.link(path, path.with_name(f"worker{rank}.{path.name.partition('.')[2]}"))
    pairs.append(("ranks/normal", "ranks/abnormal"))
    return pairs


def questions(pairs: list[tuple[str, str]], count: int, seed: int) -> list[Question]:
    """Returns `count` different requests."""
    draw = random.Random(seed)
    out = [Question("api/runs", compared=False), Question("/data/plugins_listing", compared=False)]
    while len(out) < count:
        question = _random_question(draw, pairs)
        if question not in out:
            out.append(question)
    return out


def _random_question(draw: random.Random, pairs: list[tuple[str, str]]) -> Question:
    at = draw.randrange(len(pairs))
    traces = at < _TRACES or at >= len(DEMO_PAIRS)
    a, b = pairs[at]
    pair = {"baseline": a, "candidate": b}
    if traces:
        pair |= draw.choice(({}, {}, {"baseline_steps": "1-3"}, {"step_window": "marker"}))
    match draw.choices(("lines", "object", "rows", "view", "report", "strict"), (30, 15, 25, 12, 10, 8))[0]:
        case "lines":
            return Question("api/comparison", pair)
        case "object":
            return Question("api/comparison", {**pair, "stream": "0"})
        case "rows":
            rows = {"table": draw.choice(("kernels", "operators") if traces else ("ledger",)),
                    "offset": str(draw.choice((0, 0, 50, 400))), "limit": "200"}  # fmt: skip
            if draw.random() < 0.5:
                rows["sort"] = draw.choice(("name:asc", "name:desc", "delta_us:desc"))
            if draw.random() < 0.5:
                rows["filter"] = draw.choice(("a", "in -x", "gemm"))
            return Question("api/table", {**pair, **rows})
        case "view":
            names = ("overview", "operators", "kernels", "steps") if traces else ("overview", "environment")
            return Question("api/view", {"run": a, "view": draw.choice(names)})
        case "report":
            return Question("api/report", {**pair, "format": draw.choice(("md", "csv", "html", "text", "json"))})
        case _:
            return Question("api/strict", {**pair, "format": draw.choice(("json", "json", "md", "csv"))})
