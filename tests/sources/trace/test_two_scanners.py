"""The compiled scanner gives the columns of the Python scanner for any bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.sources.trace.document import read_document
from tb_perfcompare.sources.trace.scanners import python_scanner as scan
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner
from tb_perfcompare.sources.trace.scanners.scanner_choice import NATIVE, PYTHON
from tests.shared_data import SHARED, needs_shared
from tests.sources.layouts import LAYOUTS, encode, op, without
from tests.sources.odd_traces import NUMBERS, damaged, traces
from tests.sources.scanners import READERS, needs_native, read_with, scanner_factory
from tests.sources.trace.test_real_traces import FILES
from tests.thorough import THOROUGH

pytestmark = needs_native

BLOCKS = st.sampled_from([7, 100, 1000, 1 << 20])
DECODED = st.sampled_from([100, 1000, 1 << 20])


def assert_same(content: bytes, block_bytes: int = 1 << 20, decoded_bytes: int = 1 << 20, **options: Any) -> None:
    with mock.patch.object(scan, "_DECODED_BYTES", decoded_bytes):
        (a, expected), (b, found) = (read_with(reader, content, block_bytes, **options) for reader in (PYTHON, NATIVE))
    assert found == expected
    assert (a.state, a.members, a.damaged_at) == (b.state, b.members, b.damaged_at)


@pytest.fixture
def python_blocks() -> Iterator[list[bytes]]:
    """Blocks that the Python scanner reads."""
    read = list[bytes]()
    of_python = PythonScanner._block

    def block(self: PythonScanner, data: bytes, start: int, cut: int) -> Any:
        read.append(data[start:cut])
        return of_python(self, data, start, cut)

    with mock.patch.object(PythonScanner, "_block", block):
        yield read


@given(traces(), BLOCKS, DECODED)
def test_valid_traces_are_read_alike(content: bytes, block_bytes: int, decoded_bytes: int) -> None:
    assert_same(content, block_bytes, decoded_bytes)


@given(damaged(), BLOCKS, DECODED)
def test_damaged_traces_are_read_alike(content: bytes, block_bytes: int, decoded_bytes: int) -> None:
    assert_same(content, block_bytes, decoded_bytes)


@given(st.lists(NUMBERS, min_size=2, max_size=8))
def test_numbers_in_any_notation_are_read_alike(texts: list[str]) -> None:
    args = '{"stream":NUMBER,"blocks per SM":NUMBER,"grid":NUMBER}'
    event = '{"ph":"X","cat":"c","name":"n","pid":1,"tid":1,"ts":NUMBER,"dur":NUMBER,"args":' + args + "}"
    events = ",".join(event.replace("NUMBER", text) for text in texts)
    assert_same(f'{{"traceEvents":[{events}]}}'.encode())


BEGINNING = None if THOROUGH else 5_000_000
"""Bytes of a real trace that both scanners read; all in thorough runs."""


@needs_shared
@pytest.mark.parametrize("name", FILES.values(), ids=FILES.keys())
def test_real_traces_are_read_alike_by_compiled_code(name: str, python_blocks: list[bytes]) -> None:
    content = gzip.decompress((SHARED / name).read_bytes())
    read_with(NATIVE, content)
    assert python_blocks == []
    assert_same(content[:BEGINNING])


@needs_shared
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_cut_real_trace_is_read_alike(share: float) -> None:
    content = gzip.decompress((SHARED / FILES["ROCm"]).read_bytes())
    assert_same(content[: int(len(content) * share)], 1 << 18, 1 << 16)


# -- division of work -----------------------------------------------------------------------------------------------


def ordinary(n: int) -> dict[str, Any]:
    args = {"External id": n, "grid": [n, 1, 1], "note": {"a": [None]}}
    return op(f"event {n}", 1000 + n / 7, tid="7" if n % 2 else 7, args=args)


ORDINARY: list[Any] = [
    *map(ordinary, range(50)),
    {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
    {"ph": "C", "name": "load", "pid": 7, "ts": 5, "args": {"x": 1.5}},
    {"ph": "s", "cat": "fwdbwd", "id": 3, "pid": 7, "tid": 7, "ts": 3},
    {"ph": "i", "name": "[memory]", "pid": 7, "tid": 7, "ts": 4, "args": {"Bytes": "64"}},
    without(op(), "ts"),
    op(pid=[]),
    3,
    op("last"),
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_valid_blocks_are_read_by_compiled_code(layout: str, python_blocks: list[bytes]) -> None:
    content = encode(ORDINARY, layout)
    _, found = read_with(NATIVE, content)
    assert python_blocks == []
    assert found is not None and found["name"][-1] == "last" and found["process_names"] == {7: "python"}
    assert_same(content)


ODD = pytest.mark.parametrize(
    "odd",
    [
        '{"ph":"X" "name":"x"}',
        '{"ph":"X","name":"caf\xe9","pid":1,"tid":1,"ts":1,"dur":1}',
        '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1e-999999,"dur":1}',
        '{"ph":"X","name":"a","pid":1e3,"tid":1,"ts":1,"dur":1}',
        '{"ph":"X","ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}',
        '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"grid":' + "[" * 70 + "]" * 70 + "}}",
    ],
)


@ODD
def test_a_damaged_event_is_repaired_alone(odd: str, python_blocks: list[bytes]) -> None:
    events = [json.dumps(op(f"event {n}", n, args={"grid": [n]})) for n in range(40)]
    events[20] = odd
    content = ('{"traceEvents": [' + ", ".join(events) + "]}").encode("latin-1")
    with mock.patch.object(scan, "_DECODED_BYTES", 1000):
        read_with(NATIVE, content)
    assert python_blocks == []
    assert_same(content, decoded_bytes=1000)


@ODD
def test_blocks_with_many_damaged_events_are_read_by_python(odd: str, python_blocks: list[bytes]) -> None:
    events = [odd if n % 3 else json.dumps(op(f"event {n}", n)) for n in range(3000)]
    content = ('{"traceEvents": [' + ", ".join(events) + "]}").encode("latin-1")
    read_with(NATIVE, content)
    read = sum(block.count(odd.encode("latin-1")) for block in python_blocks)
    assert read > 1900
    assert len(python_blocks) < 10
    assert_same(content)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "between",
    [
        pytest.param(', 0, "a", [1, {"b": []}], null, ', id="elements of other types"),
        pytest.param(', {"ph": "X" "ts"}, 0, ', id="another type after damage"),
        pytest.param(', 0, {"ph": "X" "ts"}, ', id="another type before damage"),
        pytest.param(', 0{"ph": "X"}, ', id="another type without a comma"),
        pytest.param(",, ", id="two commas"),
        pytest.param(" ", id="no comma"),
        pytest.param("}, ", id="a brace too many"),
        pytest.param("], ", id="a bracket too many"),
        pytest.param(', {"ph": "X", "s": "\xe9"}, {"ph": }, ', id="bytes that are not UTF-8 and damage"),
    ],
)
def test_events_do_not_depend_on_the_size_of_blocks(reader: str, between: str) -> None:
    events = [json.dumps(op(f"event {n}", n)) for n in range(30)]
    content = ('{"traceEvents": [' + ", ".join(events[:15]) + between + ", ".join(events[15:]) + "]}").encode("latin-1")
    found = []
    for decoded_bytes in (100, 1000, 1 << 20):
        for block_bytes in (50, 500, 1 << 20):
            with mock.patch.object(scan, "_DECODED_BYTES", decoded_bytes):
                document, columns = read_with(reader, content, block_bytes)
            found.append((document.state, columns))
    assert all(result == found[0] for result in found)
    assert found[0][1] is not None and len(found[0][1]["name"]) >= 30


def test_a_text_has_one_string_in_any_notation() -> None:
    events = [
        op("ab"), op("a\u0062"), op("[1,2]", args={"grid": [1, 2]}), op("[3]", cat="[3]"), op("", cat=""),
        without(op("last"), "cat"),
    ]  # fmt: skip
    content = json.dumps({"traceEvents": events}).replace("\\\\u", "\\u").encode()
    document = read_document([content], scanner_factory(NATIVE), lambda events: None)
    assert document.scanner is not None
    texts = document.scanner.finish()[0].strings.texts
    assert sorted(texts) == sorted({"ab", "[1,2]", "[3]", "", "last", "cpu_op"})


def test_events_of_both_scanners_are_in_file_order() -> None:
    events = [
        json.dumps(op(f"event {n}", n, tid=n % 5, args={"grid": [n % 7], "stream": n, "bytes": n})) for n in range(90)
    ]
    flows = [json.dumps({"ph": "s", "cat": "fwdbwd", "id": n, "pid": 1, "tid": 1, "ts": n}) for n in range(90)]
    for at in (0, 30, 31, 60, 89):
        events[at] = events[at].replace('"event', '"\xe9vent')
    inner = ", ".join(text for pair in zip(events, flows, strict=True) for text in pair)
    content = f'{{"traceEvents": [{inner}]}}'.encode("latin-1")
    for decoded_bytes in (200, 1000, 5000):
        assert_same(content, decoded_bytes=decoded_bytes)
        with mock.patch.object(scan, "_DECODED_BYTES", decoded_bytes):
            _, found = read_with(NATIVE, content)
        assert found is not None
        assert found["start_ns"] == [1000 * n for n in range(90)]
        assert found["args"]["stream"][2:] == (list(range(90)), list(range(90)))
        assert found["flows"][1] == list(range(90))
