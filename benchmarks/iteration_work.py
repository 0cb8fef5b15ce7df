"""Work to measure: finding iterations and comparing them by kind, and reading, in one process."""

from __future__ import annotations

from typing import Any

from benchmarks.sample import Work, cpu_seconds


def kinds() -> Work:
    """Times reading two files into summaries, the part of it that finds iterations, and comparing the kinds."""
    from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
    from tb_perfcompare.analysis.summarize import summarize, without_unread
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
            recording = without_unread(read_trace(path, want_hash=False))
            summaries.append(summarize(recording, Origin(path, "run", "worker0", "1")))
            reading += cpu_seconds() - start
            timeline = interpret(recording.events, find_vendor(recording)[0])
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
