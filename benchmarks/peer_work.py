"""Work of other tools ("peers") to measure (sample.py). Imports nothing of this package, so that a peer may have an
environment of its own."""

from __future__ import annotations

import gzip
import json
import logging
import tempfile
from typing import Any

from benchmarks.sample import Work


def _content(path: str) -> bytes:
    """Reads a file's uncompressed bytes."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else open(path, "rb") as file:
        return file.read()


def json_loads() -> Work:
    """Parses with the standard library, into Python objects."""

    def work(path: str) -> dict[str, Any]:
        return _event_count(json.loads(_content(path)))

    return work


def orjson_loads() -> Work:
    """Parses with orjson, the fastest parser into Python objects."""
    import orjson

    def work(path: str) -> dict[str, Any]:
        return _event_count(orjson.loads(_content(path)))

    return work


def simdjson_parse() -> Work:
    """Parses with simdjson, the fastest parser: builds its tape of the document, without Python objects."""
    import simdjson

    def work(path: str) -> dict[str, Any]:
        return {"events": len(simdjson.Parser().parse(_content(path))["traceEvents"])}

    return work


def _event_count(document: Any) -> dict[str, Any]:
    return {"events": len(document["traceEvents"])}


def torch_tb_profiler() -> Work:
    """Loads files with torch-tb-profiler into the profiles that its routes use, in one process."""
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.run_generator import RunGenerator

    logging.disable(logging.CRITICAL)

    def work(*paths: str) -> dict[str, Any]:
        profiles, steps, events = [], [], 0
        with tempfile.TemporaryDirectory() as cache:
            for path in paths:
                data = RunProfileData.parse("worker0", 1, path, cache)
                profiles.append(RunGenerator("worker0", 1, data).generate_run_profile())
                steps.append(float(data.avg_costs.costs[-1]))
                events += len(data.events)

        def rows() -> dict[str, Any]:
            last = profiles[-1]
            kernels = last.kernel_table["data"]["rows"] if last.has_kernel else []
            operators = last.operation_table_by_name
            listed = operators["data"] if isinstance(operators, dict) else operators
            tables = {
                "kernel_rows": {row[0]: row[1:4] for row in kernels},
                "operator_rows": {row["name"]: row for row in listed},
            }
            plain: dict[str, Any] = json.loads(json.dumps(tables, default=lambda number: number.item()))
            return plain

        return {"events": events, "step_us": steps, "after": rows}

    return work


def hta_load() -> Work:
    """Loads each trace with HolisticTraceAnalysis."""
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)

    def work(*paths: str) -> dict[str, Any]:
        return {"events": sum(len(TraceAnalysis(trace_files={0: path}).t.get_trace(0)) for path in paths)}

    return work


def tracelens_tree() -> Work:
    """Loads a trace with TraceLens and builds its tree, without the report."""
    from TraceLens import DataLoader, TraceToTree

    def work(path: str) -> dict[str, Any]:
        events = DataLoader.load_data(path)["traceEvents"]
        TraceToTree(events).build_tree(add_python_func=True)
        return {"events": len(events)}

    return work
