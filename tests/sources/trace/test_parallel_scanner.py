"""Several threads give what one thread gives, down to the order of texts, for any bytes."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.sources.trace.document import Document, read_document
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner
from tb_perfcompare.sources.trace.scanners.scan_threads import MAX_THREADS, THREADS, allowed_threads, available_cores
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared
from tests.sources.layouts import LAYOUTS, encode, op
from tests.sources.odd_traces import damaged, traces
from tests.sources.scanners import in_blocks, needs_native, plain
from tests.sources.trace.test_real_traces import FILES

pytestmark = needs_native

COUNT = 3
BLOCKS = st.sampled_from([50, 300, 2000])


@pytest.fixture(autouse=True, scope="module")
def threads() -> Iterator[None]:
    """Threads for all tests, and low thresholds so that small files use them."""
    from tb_perfcompare.sources.trace.scanners import parallel_scanner

    with (
        ThreadPoolExecutor(COUNT) as pool,
        mock.patch.object(parallel_scanner, "_ALONE_BYTES", 100),
        mock.patch.object(parallel_scanner, "_WORTH_A_THREAD", 200),
    ):
        _pool.append(pool)
        yield
        _pool.clear()


_pool: list[ThreadPoolExecutor] = []


def parallel() -> Any:
    from tb_perfcompare.sources.trace.scanners.parallel_scanner import ParallelScanner

    return ParallelScanner(_pool[0], COUNT)


def single_thread() -> Any:
    from tb_perfcompare.sources.trace.scanners.native_scanner import NativeScanner

    return NativeScanner()


def read(make: Any, content: bytes, block_bytes: int) -> tuple[Document, Any]:
    """(document, columns and texts of its last list of events)."""
    document = read_document(in_blocks(content, block_bytes), make, lambda events: None)
    if document.scanner is None:
        return document, None
    columns = document.scanner.finish()
    return document, (plain(*columns), list(columns[0].strings.texts))


def assert_same(content: bytes, block_bytes: int) -> Any:
    (a, expected), (b, found) = (read(make, content, block_bytes) for make in (single_thread, parallel))
    assert found == expected
    assert (a.state, a.members, a.damaged_at) == (b.state, b.members, b.damaged_at)
    return found


@given(traces(), BLOCKS)
def test_valid_traces_are_read_alike(content: bytes, block_bytes: int) -> None:
    assert_same(content, block_bytes)


@given(damaged(), BLOCKS)
def test_damaged_traces_are_read_alike(content: bytes, block_bytes: int) -> None:
    assert_same(content, block_bytes)


def events(count: int) -> list[Any]:
    return [
        op(f"event {n % 17}", n, tid=n % 5, args={"External id": n, "grid": [n % 7], "stream": "x" if n % 9 else n})
        for n in range(count)
    ]


OTHERS: list[Any] = [
    {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
    {"ph": "C", "name": "load", "pid": 7, "ts": 5, "args": {"x": 1.5}},
    {"ph": "s", "cat": "fwdbwd", "id": 3, "pid": 7, "tid": 7, "ts": 3},
    {"ph": "f", "cat": "async_npu", "id": 3, "pid": 7, "tid": 7, "ts": 3},
    {"ph": "s", "cat": "ac2g", "id": 3, "pid": 7, "tid": 7, "ts": 3},
    3,
]


@pytest.fixture
def scanned() -> Iterator[list[int]]:
    """Number of pieces that each call of a thread scanned."""
    from tb_perfcompare.sources.trace.scanners import parallel_scanner

    calls, take = list[int](), parallel_scanner._take

    def counted(scan: Any, pieces: Any) -> Any:
        calls.append(len(pieces))
        return take(scan, pieces)

    with mock.patch.object(parallel_scanner, "_take", counted):
        yield calls


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_scan_every_layout(layout: str, scanned: list[int]) -> None:
    content = encode([*events(300), *OTHERS, *events(100)], layout)
    found, _ = assert_same(content, 1500)
    assert len(scanned) > 20
    assert len(found["name"]) == 400 and found["process_names"] == {7: "python"}


def test_many_long_texts_keep_their_order(scanned: list[int]) -> None:
    long = "x" * 4000
    many = [op(f"{n % 1500} {long}", n, cat=f"kind {n % 3}") for n in range(2000)]
    assert_same(encode(many, next(iter(LAYOUTS))), 100_000)
    assert len(scanned) > 20


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(', {"ph": "X" "ts"}, ', id="damage"),
        pytest.param("], ", id="a bracket too many"),
        pytest.param(', {"ph":"X","name":"caf\xe9","pid":1,"tid":1,"ts":1,"dur":1}, ', id="not UTF-8"),
        pytest.param(
            ', {"ph":"X","name":"}, {\\"ph\\": ","pid":1,"tid":1,"ts":1,"dur":1}, ', id="an event border in a text"
        ),
        pytest.param(
            ', {"ph":"i","name":"n","args":{"a":[{"ph": 1}, {"ph": 2}, {"ph": 3}]}}, ', id="nested objects like events"
        ),
        pytest.param('], "other": [{"ph": "x"}, {"ph": "y"}], "traceEvents": [', id="two lists"),
    ],
)
@pytest.mark.parametrize("block_bytes", [60, 700, 5000])
def test_a_piece_that_does_not_divide_cleanly_is_read_by_one_thread(
    between: str, block_bytes: int, scanned: list[int]
) -> None:
    texts = [json.dumps(event) for event in events(240)]
    inner = ", ".join(texts[:120]) + between + ", ".join(texts[120:])
    content = ('{"traceEvents": [' + inner + '], "behind": {"x": [1]}}').encode("latin-1")
    found, _ = assert_same(content, block_bytes)
    assert len(found["name"]) >= 120
    assert len(scanned) > 3 or block_bytes == 5000


@needs_shared
@pytest.mark.parametrize("share", [1.0, 0.7])
def test_a_real_trace_is_read_alike(share: float) -> None:
    content = gzip.decompress((SHARED / FILES["ROCm"]).read_bytes())[: 6 << 20]
    assert_same(content[: int(len(content) * share)], 1 << 16)


def test_cancelling_ends_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    content = encode(events(4000), next(iter(LAYOUTS)))
    before = threading.active_count()

    def cancel(progress: Progress, /) -> None:
        if progress.events > 3000:
            raise Cancelled

    monkeypatch.setenv(THREADS, "3")
    with pytest.raises(Cancelled):
        read_trace(io.BytesIO(content), report=cancel, block_bytes=4000)
    assert threading.active_count() == before
    seen: list[int] = []
    whole = read_trace(io.BytesIO(content), report=lambda progress: seen.append(progress.events), block_bytes=4000)
    assert len(whole.events) == 4000
    assert seen == sorted(seen) and len(set(seen)) > 10


@pytest.mark.parametrize(("packed", "threads", "is_parallel"), [(False, 3, True), (True, 3, False), (False, 1, False)])
def test_threads_scan_large_unpacked_files(
    packed: bool, threads: int, is_parallel: bool, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = encode(events(4000), next(iter(LAYOUTS)))
    monkeypatch.setenv(THREADS, str(threads))
    read_trace(io.BytesIO(gzip.compress(content) if packed else content), block_bytes=4000)
    assert bool(scanned) is is_parallel


def test_the_number_of_threads_is_that_of_the_variable_or_of_the_cores() -> None:
    assert allowed_threads({THREADS: "3"}) == 3
    assert allowed_threads({}) == min(available_cores(), MAX_THREADS)
    for text in ("0", "x", "1.5", "1000"):
        with pytest.raises(PerfCompareError, match=THREADS):
            allowed_threads({THREADS: text})


def test_feed_takes_complete_events_and_sees_the_end() -> None:
    scanner: PythonScanner = parallel()
    data = b", ".join(json.dumps(event).encode() for event in events(50)) + b"]}"
    assert scanner.feed(data[:50], 0, False).end == 0
    fed = scanner.feed(data, 0, True)
    assert fed.ended and scanner.seen == 50


def test_rows_after_many_absorbed_rows_do_not_overflow() -> None:
    """In a new process, which an overflow would end."""
    code = """
from tb_perfcompare.sources.trace.scanners.native_scanner import new_scan
one, other = new_scan(), new_scan()
event = b'{"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":%d,"dur":1}'
def take(scan, first, count):
    data = b",".join(event % number for number in range(first, first + count))
    assert scan.take(data, 0, len(data)) == len(data)
take(one, 0, 1)
take(other, 1, 300)
one.absorb(other)
take(one, 301, 100_000)
import numpy as np
starts = np.asarray(one.finish()["start_ns"]).view(np.int64)
assert (starts == 1000 * np.arange(100_301)).all()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
