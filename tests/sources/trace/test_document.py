"""The root of a file around its events, for any size of blocks."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.sources.layouts import encode, op

pytestmark = pytest.mark.usefixtures("each_reader")

_ROOT: dict[str, Any] = {
    "text": 'of "quotes", [brackets] and {braces} \\',
    "list": ["plain", 'a "quote"', "\\", "]", "}", [], {}, [["deep"], {"key": ["}"]}]],
    "escapes": ['"' * 40, "\\" * 41, ['\\"'] * 3],
    "many": [f"package=={number}" for number in range(600)],
    "object": {"a]": "[", "b": {"c": "}", "d": [1, 2.5, None, True]}},
    "number": 7,
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("block_bytes", [1, 7, 64, 4096, 1 << 20])
def test_root_members_are_complete_for_any_size_of_blocks(indent: int | None, block_bytes: int) -> None:
    content = json.dumps({**_ROOT, "traceEvents": [op("one", 1)], "after": _ROOT}, indent=indent).encode()
    properties = dict(read_trace(io.BytesIO(content), block_bytes=block_bytes).properties)
    assert properties == {**_ROOT, "after": _ROOT}


@pytest.mark.parametrize("block_bytes", [40_000, 70_000, 100_001])
@pytest.mark.parametrize("name_bytes", [10, 1_000, 20_000, 50_000])
def test_events_across_blocks_are_read_once(block_bytes: int, name_bytes: int) -> None:
    events = [op(f"{number:04}" + "x" * (name_bytes if number % 9 == 0 else 9), number) for number in range(400)]
    recording = read_trace(io.BytesIO(encode(events)), block_bytes=block_bytes)
    assert [recording.events.strings[code] for code in recording.events.name] == [event["name"] for event in events]
    assert recording.stats.complete and not recording.notes


def test_repeated_numbers_and_their_prefixes_are_read_exactly() -> None:
    written = [
        7, 7, 70, 7, 7.0, 7, 777777, 777777, 7777777, 7777777, 77777777, 77777777, 7.5, 7, -7, -7, 7, 1e2, 7, 0, 0,
    ]  # fmt: skip
    events = [op(f"e{row}", row, args={"stream": value, "blocks per SM": value}) for row, value in enumerate(written)]
    found = read_trace(io.BytesIO(encode(events))).events
    whole = [value for value in written if value != 7.5]
    for name, rows, values in (
        ("stream", [row for row, value in enumerate(written) if value != 7.5], whole),
        ("blocks_per_sm", [*range(len(written))], written),
    ):
        assert found.args[name].rows.tolist() == rows
        assert found.args[name].values.tolist() == values
