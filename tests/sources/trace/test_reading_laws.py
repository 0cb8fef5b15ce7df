"""A trace is read alike for any layout, packing, size of blocks and order of members."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.events import ARG_COLUMNS, ArgKind
from tb_perfcompare.sources.trace.scanners import python_scanner as scan
from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader, new_scanner
from tests.sources.layouts import LAYOUTS, ROOT, Json, encode, op, packed, read, rows_of
from tests.sources.naive import events_of, naive_flows, naive_rows

pytestmark = pytest.mark.usefixtures("each_reader")

TEXTS = st.one_of(
    st.sampled_from(["aten::mm", "[memory]", "}, {", '"', '\\"}', "a\\", "]}", "\n", "é", "\U0001f600", '}, {"ph": "']),
    st.text(max_size=8),
)
TIMES = st.one_of(
    st.integers(0, 2**40),
    st.integers(0, 2**40).map(lambda ns: ns / 1000),
    st.floats(0, 1e6),
    st.just(1712195495519689.1),
)
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=6,
)
ARGUMENTS = {
    key: {ArgKind.INT: st.integers(-(2**62), 2**62), ArgKind.FLOAT: st.floats(-1e9, 1e9), ArgKind.JSON: JSON_VALUES}[
        column.kind
    ]
    for column in ARG_COLUMNS
    for key in column.keys
}
ARGUMENTS |= {"External id": st.integers(0, 9), "external id": st.integers(0, 9), "correlation": st.integers(0, 99)}


@st.composite
def arguments(draw: st.DrawFn) -> Json:
    keys = draw(st.lists(st.sampled_from(sorted(ARGUMENTS)), unique=True, max_size=4))
    return {key: draw(ARGUMENTS[key]) for key in keys} | draw(st.dictionaries(TEXTS, JSON_VALUES, max_size=1))


@st.composite
def events(draw: st.DrawFn) -> Json:
    event: Json = {
        "ph": draw(st.sampled_from("XXXXisfMC")),
        "cat": draw(st.sampled_from(["cpu_op", "Kernel", "python_function", "fwdbwd", "ac2g", "new"])),
        "name": draw(TEXTS),
        "pid": draw(st.one_of(st.integers(0, 3), st.sampled_from(["0", "Spans"]))),
        "tid": draw(st.one_of(st.integers(0, 3), st.sampled_from(["0", "stream 7"]))),
        "ts": draw(TIMES),
        "dur": draw(TIMES),
        "id": draw(st.integers(0, 3)),
        "args": draw(st.one_of(st.none(), arguments())),
    }
    order = draw(st.permutations(list(event)))
    return {key: event[key] for key in order}


def read_events(content: bytes, **options: Any) -> tuple[list[Json], list[tuple[bool, int, int]], Json, Json]:
    recording = read(content, **options)
    assert recording.stats.complete
    flows = recording.flows
    arrows = list(zip(flows.is_start.tolist(), flows.flow_id.tolist(), flows.start_ns.tolist(), strict=True))
    labels = {"processes": recording.process_names, "threads": recording.thread_names}
    return rows_of(recording.events), arrows, dict(recording.properties), labels


@given(st.lists(events(), max_size=8), st.data())
def test_layout_packing_and_blocks_do_not_matter(drawn: list[Json], data: st.DataObject) -> None:
    drawn = [op(), *drawn]  # a trace without any usable event is refused
    plain = encode(drawn)
    expected = read_events(plain)
    assert expected[0] == naive_rows(events_of(plain))
    assert expected[1] == naive_flows(events_of(plain))
    for layout in LAYOUTS:
        content = encode(drawn, layout, ROOT, data.draw(st.sampled_from([0, 1, None])))
        if data.draw(st.booleans()):
            content = packed(content)
        decoded_bytes = data.draw(st.sampled_from([1, 100, 1000, 1 << 20]))
        with mock.patch.object(scan, "_DECODED_BYTES", decoded_bytes):
            assert read_events(content, block_bytes=data.draw(st.sampled_from([7, 100, 1000, 1 << 20]))) == expected


@given(st.lists(events(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_members_does_not_matter(drawn: list[Json], random: Any) -> None:
    def shuffled(value: Json) -> Json:
        keys = sorted(value)
        random.shuffle(keys)
        return {key: value[key] for key in keys}

    shuffled_events = [op(), *map(shuffled, drawn)]
    assert read_events(encode(shuffled_events)) == read_events(encode([op(), *drawn]))


@given(st.lists(events(), max_size=8), st.integers(0, 8))
def test_every_element_is_counted_once(drawn: list[Json], ranges: int) -> None:
    drawn = [event | {"cat": "cuda_profiler_range"} for event in drawn[:ranges]] + drawn[ranges:]
    recording = read(encode([op(), *drawn]))  # op(): a trace without any usable event is refused
    stats, flows = recording.stats, len(recording.flows)
    assert stats.events == 1 + len(drawn)
    assert stats.events == stats.kept + flows + sum(stats.dropped.values()) + sum(stats.skipped.values())


@given(st.lists(events(), min_size=1, max_size=6), st.data())
def test_a_scanner_can_be_fed_in_any_pieces(drawn: list[Json], data: st.DataObject) -> None:
    content = json.dumps(drawn).encode() + b', "more": 1}'
    scanner = new_scanner(active_reader())
    start, end, ended = 1, 1, False
    while not ended:
        end = min(end + data.draw(st.integers(1, 400)), len(content))
        fed = scanner.feed(content[:end], start, final=end == len(content))
        assert start <= fed.end <= end
        start, ended = fed.end, fed.ended
    assert content[start - 1 : start] == b"]"
    assert rows_of(scanner.finish()[0]) == naive_rows(events_of(json.dumps({"traceEvents": drawn}).encode()))
