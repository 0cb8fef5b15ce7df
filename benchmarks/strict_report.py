"""Measures the strict report: reading, comparing and rendering recorded pairs and generated tables of growing size.

    python -m benchmarks.strict_report                   prints the table
    python -m benchmarks.strict_report --repeat 9        best of 9 (default 5)

The recorded pairs are shared data, skipped with a message if absent. Reading is timed for files only; "answer" is the
response of api/strict: the report with its weaknesses and tables as JSON.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from benchmarks.figures import table
from benchmarks.inputs import DATA
from tb_perfcompare.comparison.strict.processes import all_pairs
from tb_perfcompare.comparison.strict.report import strict_report
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.render.strict.report import strict_markdown
from tb_perfcompare.render.strict.tables import strict_csv
from tb_perfcompare.render.strict.wire import strict_dict
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.sources.perf_data.csv_tables import read_perf_data
from tb_perfcompare.workspace.jobs.strict_jobs import strict_answer
from tb_perfcompare.workspace.jobs.strict_sides import sides_of_tables

CASES = ("SGLang/gpu_instability", "SGLang/cpu_frequency_reduction", "vLLM/gpu_instability")
SIZES = ((290, 15), (2_000, 20), (10_000, 20))
"""(triplets, cycles per side) of generated tables."""

T = TypeVar("T")


def drawn(triplets: int, cycles: int, seed: int) -> CycleTable:
    """Generates a table with ten counters per function; shares and counters from continuous distributions."""
    random = np.random.default_rng(seed)
    strings = StringTable()
    functions = np.array([strings.intern(f"kernel_{n:05d}") for n in range((triplets + 9) // 10)], np.int32)
    metrics = np.array([strings.intern(f"counter_{n}") for n in range(10)], np.int32)
    device = strings.intern("GPU 0")
    places = np.arange(triplets)
    count = triplets * cycles
    return CycleTable(
        "drawn", strings, np.repeat(np.arange(1, cycles + 1), triplets), np.full(count, 1),
        np.tile(functions[places // 10], cycles), np.tile(metrics[places % 10], cycles),
        np.full(count, device, np.int32), random.gamma(4.0, 0.5, count), random.gamma(9.0, 5.0, count),
        np.repeat(random.normal(7.5e5, 1e4, cycles), triplets),
    )  # fmt: skip


def best(repeat: int, work: Callable[[], T]) -> tuple[float, T]:
    """Returns (shortest time in seconds of `repeat` runs, last result)."""
    shortest = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def timed(name: str, normal: CycleTable, abnormal: CycleTable, repeat: int, read_s: float | None = None) -> list[str]:
    """Times comparing two tables and rendering the report; returns the row of the table."""
    pair = all_pairs(normal.pids(), abnormal.pids())[0]
    sides = normal.of_pid(pair.normal), abnormal.of_pid(pair.abnormal)
    compare_s, report = best(repeat, lambda: strict_report(*sides, pair.labels))
    csv_s, _ = best(repeat, lambda: strict_csv(report))
    markdown_s, _ = best(repeat, lambda: strict_markdown(report, name))
    both_sides = sides_of_tables(normal, abnormal, case=name)
    answer_s, _ = best(repeat, lambda: wire.encode(strict_dict(strict_answer(both_sides, None))))
    rows = len(sides[0]) + len(sides[1])
    times_s = (read_s, compare_s, csv_s, markdown_s, answer_s)
    times = ("-" if time_s is None else f"{time_s * 1000:.1f}" for time_s in times_s)
    return [name, f"{rows:,}", f"{len(report.triplets):,}", *times]


def recorded(repeat: int) -> Iterator[list[str]]:
    """Times the published cases; prints a message if they are absent."""
    folder = DATA / "latencyprism"
    if not folder.is_dir():
        print(f"no recorded pairs: {folder} (set TB_PERFCOMPARE_DATA)", file=sys.stderr)
        return
    for case in CASES:
        paths = [str(folder / case / f"{side}_perf_data" / "result_perf_data.csv") for side in ("normal", "abnormal")]
        read_s, tables = best(repeat, lambda paths=paths: [read_perf_data(path) for path in paths])
        yield timed(case, tables[0], tables[1], repeat, read_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="the best of so many runs counts")
    repeat = parser.parse_args().repeat
    rows = list(recorded(repeat))
    for triplets, cycles in SIZES:
        name = f"drawn, {triplets:,} triplets x ({cycles}+{cycles}) cycles"
        rows.append(timed(name, drawn(triplets, cycles, 1), drawn(triplets, cycles, 2), repeat))
    head = ("pair", "rows", "triplets", "read both (ms)", "compare (ms)", "csv (ms)", "md (ms)", "answer (ms)")
    print(table(head, rows))


if __name__ == "__main__":
    main()
