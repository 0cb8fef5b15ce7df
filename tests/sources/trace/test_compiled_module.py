"""The compiled scanner module: built from the current sources, and safe against invalid calls."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE, NATIVE, WHY_NOT_NATIVE
from tests.machine.native_tools import native_tools, why_not_buildable
from tests.sources.scanners import needs_native

EVENT = b'{"ph":"X","cat":"c","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"stream":7,"note":[[1,2],{"a":null}]}}'
SPEC: tuple[Any, ...] = ((b"stream",), b"i", b"[memory]", (b"fwdbwd",), (), (b"M",), (b"",), 1)


def new_scan(*spec: Any) -> Any:
    from tb_perfcompare.sources.native import _scanner

    return _scanner.Scan(*(spec or SPEC))


def plain(finished: Any) -> Any:
    """Finished columns as bytes."""
    from tb_perfcompare.sources.native import _scanner

    if isinstance(finished, dict):
        return {key: plain(value) for key, value in finished.items()}
    if isinstance(finished, list):
        return [plain(value) for value in finished]
    return np.asarray(finished).tobytes() if isinstance(finished, _scanner.Column) else finished


def test_the_scanner_is_built_where_there_is_a_compiler() -> None:
    missing = why_not_buildable()
    if missing and NATIVE not in AVAILABLE:
        pytest.skip(f"the compiled reader is not built: {missing}")
    assert NATIVE in AVAILABLE, f"pip install -e . did not build it: {WHY_NOT_NATIVE}"


@needs_native
def test_the_scanner_is_built_from_the_current_sources() -> None:
    from tb_perfcompare.sources.native import _scanner

    found = native_tools().SCANNER.source_hash()
    assert found == _scanner.SOURCE_HASH, "built from other sources: pip install -e . again"


@needs_native
def test_a_block_is_scanned_up_to_damage() -> None:
    taken = new_scan()
    assert taken.take(EVENT + b"," + EVENT[:-1], 0, 2 * len(EVENT)) == -1 - len(EVENT + b",")
    assert taken.counts == (1, 1, 0, 0)
    assert taken.take(b"7 " + EVENT, 0, 2 + len(EVENT)) == -1
    assert taken.counts == (1, 1, 0, 0)
    both = b"xx" + EVENT + b" ,\n" + EVENT + b"] ]"
    assert taken.take(both, 2, len(both)) == len(both) - 3
    assert taken.counts == (3, 3, 0, 0)
    taken.settle(False)
    assert taken.counts == (1, 1, 0, 0)
    found = taken.finish()
    assert (plain(found)["start_ns"], found["seen"]) == ((1000).to_bytes(8, sys.byteorder), 1)


@needs_native
def test_other_elements_are_handed_over_once() -> None:
    scan = new_scan()
    label = b'{"ph": "M", "name": "x"}'
    assert scan.take(label + b"," + EVENT + b", " + label, 0, 2 * len(label) + len(EVENT) + 3) > 0
    assert scan.handed() == b"[" + label + b"," + label + b"]"
    assert scan.take(EVENT, 0, len(EVENT)) > 0
    assert scan.handed() == b""


@needs_native
@pytest.mark.parametrize(
    "spec",
    [
        (), ([], *SPEC[1:]), (("stream",), *SPEC[1:]), (SPEC[0], b"ii", *SPEC[2:]), (SPEC[0], b"x", *SPEC[2:]),
        ((b"k",) * 200, b"i" * 200, *SPEC[2:]), (*SPEC[:6], (), 1),
    ],
)  # fmt: skip
def test_an_invalid_specification_is_refused(spec: tuple[Any, ...]) -> None:
    from tb_perfcompare.sources.native import _scanner

    with pytest.raises((TypeError, ValueError)):
        _scanner.Scan(*spec)


@needs_native
@pytest.mark.parametrize("call", [(EVENT, -1, 5), (EVENT, 5, 4), (EVENT, 0, len(EVENT) + 1), ("text", 0, 1), (EVENT,)])
def test_positions_outside_the_data_are_refused(call: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError)):
        new_scan().take(*call)


@needs_native
def test_a_finished_scan_refuses_every_call() -> None:
    scan = new_scan()
    scan.finish()
    take, settle, counts = lambda: scan.take(EVENT, 0, 1), lambda: scan.settle(True), lambda: scan.counts
    for call in (take, scan.finish, scan.handed, settle, counts):
        with pytest.raises(RuntimeError, match="over"):
            call()


@needs_native
def test_scanning_releases_the_gil_and_refuses_concurrent_calls() -> None:
    scan, block = new_scan(), b",".join([EVENT] * 200_000)
    started = threading.Event()

    def work() -> None:
        started.set()
        scan.take(block, 0, len(block))

    before = sys.getswitchinterval()
    sys.setswitchinterval(60)  # no preemption: other threads run only when the GIL is released
    try:
        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        turns = refusals = 0
        while thread.is_alive():
            turns += 1
            try:
                scan.handed()
            except RuntimeError:
                refusals += 1
            time.sleep(0)
        thread.join()
    finally:
        sys.setswitchinterval(before)
    assert turns > 10
    assert refusals > 0, "a scan in use by another thread has to refuse"
    assert scan.counts[0] == 200_000


@needs_native
def test_plain_strings_does_not_read_beyond_its_buffers() -> None:
    from tb_perfcompare.sources.native import _scanner

    def ints(*values: int, size: int = 4) -> bytes:
        return b"".join(value.to_bytes(size, sys.byteorder, signed=True) for value in values)

    texts, ends = b'"a""b\\n"7', ints(3, 8, 9, size=8)
    assert _scanner.plain_strings(texts, ends, ints(0, 1, 2, size=8)) == (["a", None, None], [1, 2])
    for number in (-1, 3):
        with pytest.raises(ValueError):
            _scanner.plain_strings(texts, ends, ints(number, size=8))
    with pytest.raises(ValueError):
        _scanner.plain_strings(texts, ints(3, 80, size=8), ints(1, size=8))


@needs_native
def test_absorbed_scans_equal_a_scan_of_the_whole() -> None:
    scan, second_scan, third_scan = new_scan(), new_scan(), new_scan()
    flow = b'{"ph":"s","cat":"fwdbwd","id":7,"pid":1,"tid":1,"ts":1}'
    changed = EVENT.replace(b'"n"', b'"m"').replace(b'"ts":1', b'"ts":2')
    texts = EVENT + b"," + flow, changed + b"," + flow, EVENT, changed + b"," + flow
    for taker, text in zip((scan, second_scan, third_scan, second_scan), texts, strict=True):
        assert taker.take(text, 0, len(text)) == len(text)
        if taker is not scan:
            scan.absorb(taker)
    assert scan.counts == (7, 4, 3, 0)
    expected, whole = new_scan(), b",".join(texts)
    assert expected.take(whole, 0, len(whole)) == len(whole)
    assert plain(scan.finish()) == plain(expected.finish())


@needs_native
def test_only_a_matching_scan_is_absorbed() -> None:
    scan, other = new_scan(), new_scan()
    other.take(EVENT, 0, len(EVENT))
    scan.absorb(other)
    for taker, given, error in (
        (scan, scan, ValueError),
        (scan, 7, TypeError),
        (scan, new_scan((b"other",), b"f", *SPEC[2:]), ValueError),
        (scan, new_scan((b"a", b"b"), b"ii", *SPEC[2:]), ValueError),
        (new_scan(), other, ValueError),
        (other, new_scan(), ValueError),
    ):
        with pytest.raises(error):
            taker.absorb(given)
    assert scan.counts == (1, 1, 0, 0)


@needs_native
def test_a_column_outlives_its_dictionary() -> None:
    scan = new_scan()
    scan.take(EVENT, 0, len(EVENT))
    columns = scan.finish()
    starts, flows = (np.asarray(columns.pop(key)).view(np.int64) for key in ("start_ns", "flow_ns"))
    columns.clear()
    assert (starts.tolist(), flows.tolist(), starts.flags.writeable) == ([1000], [], False)


@needs_native
def test_columns_cannot_be_constructed() -> None:
    from tb_perfcompare.sources.native import _scanner

    with pytest.raises(TypeError):
        _scanner.Column()
