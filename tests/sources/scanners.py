"""The two scanners, and their columns as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pytest

from tb_perfcompare.model.events import ARG_COLUMNS, ArgKind, EventTable
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered
from tb_perfcompare.sources.trace.document import Document, read_document
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner
from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE, NATIVE, PYTHON, WHY_NOT_NATIVE, new_scanner

Plain: TypeAlias = dict[str, Any]

needs_native = pytest.mark.skipif(NATIVE not in AVAILABLE, reason=f"the compiled reader is not built: {WHY_NOT_NATIVE}")

READERS = (PYTHON, pytest.param(NATIVE, marks=needs_native))
"""For pytest.mark.parametrize."""

_KIND = {column.name: column.kind for column in ARG_COLUMNS}


def scanner_factory(reader: str, **options: Any) -> Callable[[], PythonScanner]:
    return lambda: new_scanner(reader, **options)


def in_blocks(content: bytes, size: int) -> Iterable[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


def read_with(reader: str, content: bytes, block_bytes: int = 1 << 20, **options: Any) -> tuple[Document, Plain | None]:
    """(document, columns of its last list of events or None)."""
    document = read_document(in_blocks(content, block_bytes), scanner_factory(reader, **options), lambda events: None)
    return document, plain(*document.scanner.finish()) if document.scanner is not None else None


def plain(events: EventTable, columns: Gathered) -> Plain:
    """Every column and count, with codes decoded because tables can be in any order."""
    counters, counts, lost = columns.counters, columns.counts, columns.counters.counts
    text, counter_text = events.strings.texts, counters.strings.texts
    args = {}
    for name, column in events.args.items():
        values = column.values.tolist()
        shown = [text[value] for value in values] if _KIND[name] is ArgKind.JSON else values
        args[name] = (str(column.rows.dtype), str(column.values.dtype), column.rows.tolist(), shown)
    return {
        "category": events.category.tolist(),
        "raw_category": [text[code] for code in events.raw_category.tolist()],
        "name": [text[code] for code in events.name.tolist()],
        "lane": events.lane.tolist(),
        "lanes": [(repr(pid), repr(tid)) for pid, tid in zip(events.lanes.pid, events.lanes.tid, strict=True)],
        "start_ns": events.start_ns.tolist(),
        "dur_ns": events.dur_ns.tolist(),
        "external_id": events.external_id.tolist(),
        "correlation": events.correlation.tolist(),
        "args": args,
        "flows": (columns.flows.is_start.tolist(), columns.flows.flow_id.tolist(), columns.flows.start_ns.tolist()),
        "process_labels": dict(columns.process_labels),
        "process_names": dict(columns.process_names),
        "thread_names": dict(columns.thread_names),
        "counts": (counts.seen, counts.negative, counts.finer),
        "dropped": dict(counts.dropped),
        "skipped": dict(counts.skipped),
        "repaired": dict(counts.repaired),
        "counters": (
            [counter_text[code] for code in counters.name.tolist()],
            [counter_text[code] for code in counters.series.tolist()],
            counters.place.tolist(),
            counters.device.tolist(),
            counters.time_ns.tolist(),
            counters.value.tolist(),
            counters.places,
        ),
        "ranges": (columns.ranges.name, columns.ranges.metrics, columns.ranges.values.tobytes()),
        "counter_counts": (counters.seen, counters.kept, lost.finer),
        "counter_losses": (dict(lost.dropped), dict(lost.skipped), dict(lost.repaired)),
    }
