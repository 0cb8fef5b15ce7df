"""Work of this package to measure (sample.py). Each function imports what it needs and returns the work to time."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sample import Work, cpu_seconds


def inflate() -> Work:
    """Only inflates the file, by zlib in a separate thread."""
    import zlib

    from tb_perfcompare.sources.storage.blocks import Blocks

    def work(path: str) -> dict[str, Any]:
        with open(path, "rb") as file, Blocks(file, library=zlib) as blocks:
            return {"bytes": sum(map(len, blocks))}

    return work


def read() -> Work:
    """Reads a file into columns, with all cores or the first few. With "digest" the columns are hashed afterwards,
    untimed."""
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    with contextlib.suppress(ImportError):  # it needs the compiled module
        importlib.import_module("tb_perfcompare.sources.trace.scanners.parallel_scanner")

    def work(path: str, digest: str = "", cores: str = "") -> dict[str, Any]:
        if cores and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
        recording = read_trace(path, want_hash=False)
        stats = recording.stats
        result = {"events": stats.events, "kept": stats.kept, "bytes": stats.raw_bytes, "reader": stats.reader,
                 "complete": stats.complete}  # fmt: skip
        return {**result, "after": lambda: {"digest": column_digest(recording.events)}} if digest else result

    return work


def column_digest(events: Any) -> str:
    """Hash of all columns of an EventTable, with names instead of their numbers, as readers may number names
    differently."""
    texts = list(events.strings)
    named = np.array([int.from_bytes(hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
                      for t in texts] or [0], dtype=np.uint64)  # fmt: skip
    lanes = [repr(lane) for lane in zip(events.lanes.pid, events.lanes.tid, strict=True)]
    lane_of = np.array([int.from_bytes(hashlib.blake2b(lane.encode(), digest_size=8).digest(), "big") for lane in lanes]
                       or [0], dtype=np.uint64)  # fmt: skip
    total = hashlib.sha256()
    for column in (events.category, named[events.raw_category], named[events.name], lane_of[events.lane],
                   events.start_ns, events.dur_ns, events.external_id, events.correlation):  # fmt: skip
        total.update(np.ascontiguousarray(column).tobytes())
    for name in sorted(events.args):
        column = events.args[name]
        is_text = column.values.dtype == np.int32
        values = named[column.values] if is_text else column.values
        total.update(name.encode() + column.rows.tobytes() + np.ascontiguousarray(values).tobytes())
    return total.hexdigest()


def tables() -> Work:
    """Reads a file and builds all tables that the tab compares. Afterwards, untimed, sums up the trace's kernels by
    name."""
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.model.recordings.recording import Origin
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    def work(path: str) -> dict[str, Any]:
        recording = read_trace(path, want_hash=False).without_unread()
        summary = summarize(recording, Origin(path, "run", "worker0", "1"))
        return {"events": recording.stats.events, "bytes": recording.stats.raw_bytes, "tables": sorted(summary.groups),
                "steps": len(summary.steps), "after": functools.partial(kernels_read, recording)}  # fmt: skip

    return work


def modeled() -> Work:
    """Builds all tables of a file; times without reading the modeled work of operators (FLOPs, bytes) and the rest."""
    from tb_perfcompare.analysis import summarize
    from tb_perfcompare.model.recordings.recording import Origin
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    spent: list[float] = []
    work_tables = summarize.work_tables  # type: ignore[attr-defined]

    def timed(*arguments: Any) -> Any:
        start = cpu_seconds()
        result = work_tables(*arguments)
        spent.append(cpu_seconds() - start)
        return result

    def work(path: str) -> dict[str, Any]:
        recording = read_trace(path, want_hash=False)
        summarize.work_tables = timed  # type: ignore[attr-defined]
        start = cpu_seconds()
        summary = summarize.summarize(recording, Origin(path, "run", "worker0", "1"))
        tables = cpu_seconds() - start - sum(spent)
        shapes = "operators_by_shape" in summary.groups
        return {"events": recording.stats.events, "tables": tables, "work": sum(spent), "shapes": shapes}

    return work


def named_tables() -> Work:
    """Reads a file and builds only tables that other tools show as well: operators, kernels, every step's time by
    category and device utilization; no call trees, modules, memory or causes."""
    from tb_perfcompare.analysis.attribution.entities import find_shares
    from tb_perfcompare.analysis.entities.device_metrics import device_metrics
    from tb_perfcompare.analysis.entities.device_work import device_tables
    from tb_perfcompare.analysis.entities.operators import operator_tables
    from tb_perfcompare.analysis.trace.event_steps import event_steps
    from tb_perfcompare.analysis.trace.interpretation import interpret
    from tb_perfcompare.analysis.trace.steps import step_windows
    from tb_perfcompare.analysis.trace.vendor import find_vendor
    from tb_perfcompare.model.summary.categories import StepCategory
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    def work(path: str) -> dict[str, Any]:
        recording = read_trace(path, want_hash=False)
        timeline = interpret(recording.events, find_vendor(recording))
        both = step_windows(timeline)
        windows = both["device"]
        steps = len(windows.label)
        step = event_steps(timeline, both, "device").step
        tables = {**operator_tables(timeline, step, steps), **device_tables(timeline, step, steps)}
        _, role, shares = find_shares(timeline, windows)
        cell = role[shares.claim].astype(np.int64) * steps + shares.step
        owned = np.bincount(cell, weights=shares.time_ns, minlength=len(StepCategory) * steps)
        busy = device_metrics(timeline, int(windows.start_ns[0]), int(windows.end_ns[-1]))
        return {"events": recording.stats.events, "bytes": recording.stats.raw_bytes, "tables": sorted(tables),
                "owned_us": float(owned.sum()) / 1000, "figures": len(busy), "steps": steps,
                "after": functools.partial(kernels_read, recording)}  # fmt: skip

    return work


def kernels_read(recording: Any) -> dict[str, Any]:
    """Returns calls and microseconds of the trace's kernels by name."""
    from tb_perfcompare.model.events import Category

    events = recording.events
    rows = np.flatnonzero(events.category == Category.KERNEL)
    codes, group = np.unique(events.name[rows], return_inverse=True)
    calls = np.bincount(group)
    totals = np.zeros(len(codes), dtype=np.int64)
    np.add.at(totals, group, events.dur_ns[rows])
    names = [events.strings[int(code)] for code in codes]
    return {"kernels": {name: [int(n), float(t) / 1000] for name, n, t in zip(names, calls, totals, strict=True)}}


def compare() -> Work:
    """Compares two files in one process, up to the JSON of the tab's first response."""
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.comparison.engine import compare_summaries
    from tb_perfcompare.comparison.result.options import CompareOptions
    from tb_perfcompare.model.recordings.recording import Origin
    from tb_perfcompare.render.wire.pages import comparison_answer
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    def work(baseline: str, candidate: str) -> dict[str, Any]:
        sides, events = [], 0
        for path in (baseline, candidate):
            recording = read_trace(path, want_hash=True).without_unread()
            events += recording.stats.events
            sides.append(summarize(recording, Origin(path, Path(path).parent.name, "worker0", "1")))
            del recording
        answer = comparison_answer(compare_summaries(sides[0], sides[1], CompareOptions()))
        means = [float(side.steps.total_ns.mean()) / 1000 for side in sides]
        return {"events": events, "step_us": means, "answer_bytes": len(answer)}

    return work


def served() -> Work:
    """Compares two files as a server does, by worker processes in parallel, whose CPU time is included."""
    from tb_perfcompare.model.progress import silent
    from tb_perfcompare.workspace.inputs.run_files import side_from_path
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.queries.table_pages import first_response
    from tb_perfcompare.workspace.sharing.single_flight import wait_for
    from tb_perfcompare.workspace.workspace import Workspace

    def work(*paths: str) -> dict[str, Any]:
        cpu, wall = cpu_seconds(), time.perf_counter()
        workspace = Workspace()
        baseline, candidate = (side_from_path(path, None, None) for path in paths)
        answer = wait_for(first_response(workspace, ComparisonRequest(baseline, candidate)), silent).result()
        seconds = time.perf_counter() - wall
        workspace.close()  # CPU time of children counts only after they have ended
        return {"answer_bytes": len(answer), "seconds": seconds, "cpu_seconds": cpu_seconds() - cpu}

    return work


def kinds() -> Work:
    """Times reading two files into summaries, the part of it that finds iterations, and comparing the kinds."""
    from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.analysis.trace.interpretation import interpret
    from tb_perfcompare.analysis.trace.vendor import find_vendor
    from tb_perfcompare.comparison.judged import headline_of_steps, strata_of_sides
    from tb_perfcompare.comparison.kinds.table import iteration_kinds_table, kinds_split
    from tb_perfcompare.comparison.result.options import CompareOptions
    from tb_perfcompare.model.recordings.recording import Origin
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    options = CompareOptions()

    def work(*paths: str) -> dict[str, Any]:
        summaries, finding, reading = [], 0.0, 0.0
        for path in paths:
            start = cpu_seconds()
            recording = read_trace(path, want_hash=False).without_unread()
            summaries.append(summarize(recording, Origin(path, "run", "worker0", "1")))
            reading += cpu_seconds() - start
            timeline = interpret(recording.events, find_vendor(recording))
            start = cpu_seconds()
            trace_steps(timeline)
            finding += cpu_seconds() - start
        start = cpu_seconds()
        a, b = summaries
        split = kinds_split(a, b)
        headline = headline_of_steps(a, b, options, strata_of_sides(split, a, b, options))
        table = iteration_kinds_table(a, b, split, options.alpha)
        comparing = cpu_seconds() - start
        return {
            "events": recording.stats.events, "steps": len(summaries[0].steps), "reading": reading, "finding": finding,
            "comparing": comparing, "kinds": 0 if table is None else len(table.rows), "verdict": headline.verdict.value,
        }  # fmt: skip

    return work


def aggregate() -> Work:
    """Builds tables of generated events: "core" (nesting, launches, operators, kernels) or all; or, as the base, sorts
    as many random integers ("sort")."""
    from benchmarks.drawn_events import drawn_recording
    from tb_perfcompare.analysis.entities.device_work import device_tables
    from tb_perfcompare.analysis.entities.operators import operator_tables
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.analysis.trace.event_steps import event_steps
    from tb_perfcompare.analysis.trace.interpretation import interpret
    from tb_perfcompare.analysis.trace.steps import step_windows
    from tb_perfcompare.analysis.trace.vendor import find_vendor
    from tb_perfcompare.model.recordings.recording import Origin, TraceRecording

    def core(recording: TraceRecording) -> None:
        timeline = interpret(recording.events, find_vendor(recording))
        both = step_windows(timeline)
        windows = both["device"]
        step = event_steps(timeline, both, "device").step
        operator_tables(timeline, step, len(windows.label))
        device_tables(timeline, step, len(windows.label))

    def work(events: str, what: str) -> dict[str, Any]:
        recording = drawn_recording(int(events))
        numbers = np.random.default_rng(2).integers(0, 1 << 62, len(recording.events))
        before, start = cpu_seconds(), time.perf_counter()
        if what == "sort":
            np.argsort(numbers, kind="stable")
        elif what == "core":
            core(recording)
        else:
            summarize(recording, Origin("drawn", "run"))
        return {"events": len(recording.events), "seconds": time.perf_counter() - start,
                "cpu_seconds": cpu_seconds() - before, "column_bytes": _column_bytes(recording.events)}  # fmt: skip

    return work


def _column_bytes(events: Any) -> int:
    dense = (events.category, events.raw_category, events.name, events.lane, events.start_ns, events.dur_ns,
             events.external_id, events.correlation)  # fmt: skip
    sparse = (array for column in events.args.values() for array in (column.rows, column.values))
    return sum(int(array.nbytes) for array in (*dense, *sparse))
