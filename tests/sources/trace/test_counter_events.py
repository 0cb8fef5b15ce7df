"""Counter events (`ph` C) as samples with a device and a time."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import CounterSamples
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered
from tb_perfcompare.sources.trace.counter_samples import counter_samples
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner
from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader, new_scanner
from tests.sources.layouts import LAYOUTS, Json, encode, op, packed, read, read_events, without

pytestmark = pytest.mark.usefixtures("each_reader")

Row = tuple[str, str, int, int, float]


def counter(name: Any = "load", ts: Any = 10, /, *, pid: Any = 7, tid: Any = 7, **args: Any) -> Json:
    """A counter event with these numbers."""
    return {"ph": "C", "cat": "counters", "name": name, "pid": pid, "tid": tid, "ts": ts, "args": args}


def label(pid: Any, text: str) -> Json:
    return {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "ts": 0, "args": {"labels": text}}


def rows(samples: CounterSamples | None) -> list[Row]:
    """(name, series, device, time in ns, value) of every sample."""
    if samples is None:
        return []
    return [
        (samples.strings[name], samples.strings[series], device, time, value)
        for name, series, device, time, value in zip(
            samples.name.tolist(), samples.series.tolist(), samples.device.tolist(), samples.time_ns.tolist(),
            samples.value.tolist(), strict=True,
        )
    ]  # fmt: skip


def samples_of(*events: Any) -> list[Row]:
    return rows(read_events(*events).counters)


def test_every_number_is_a_sample() -> None:
    event = counter("memory", 10.5, used=3, free=1.25, text="4", flag=True, none=None, many=[1])
    assert samples_of(event) == [("memory", "free", -1, 10_500, 1.25), ("memory", "used", -1, 10_500, 3.0)]


def test_a_trace_without_counters_has_none() -> None:
    assert read_events(op(), op()).counters is None


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"value": 2}, [("value", 2.0)]),
        ({"value": {"used": 2, "free": 3}}, [("free", 3.0), ("used", 2.0)]),
        ({"args": {"value": 2}}, [("value", 2.0)]),
        ({"args": '{"value": 2, "other": "3"}'}, [("value", 2.0)]),
        ({"args": {"value": 2, "own": 1}, "own": 5}, [("own", 5.0), ("value", 2.0)]),
        ({"args": {"args": {"value": 2}}}, []),
        ({"args": "2"}, []),
        ({"args": '"2"'}, []),
        ({"value": "{broken"}, []),
    ],
)
def test_nested_numbers_are_samples(args: Json, found: list[tuple[str, float]]) -> None:
    assert [(series, value) for _, series, _, _, value in samples_of(counter(**args))] == found


@pytest.mark.parametrize(
    ("event", "device"),
    [
        (counter("clock", mhz=1), -1),
        (counter("GPU 1 Utilization", mhz=1), 1),
        (counter("MLU 12 Power", mhz=1), 12),
        (counter("gpu_3_clock", mhz=1), 3),
        (counter("GPU 0.5 share", mhz=1), -1),
        (counter("AGPU 2", mhz=1), -1),
        (counter("clock", mhz=1, device=2), 2),
        (counter("clock", mhz=1, device="2"), 2),
        (counter("GPU 1 clock", mhz=1, device=2), 2),
        (counter("GPU 1 clock", mhz=1, **{"Device Id": -1}), -1),
        (counter("clock", mhz=1, device=2**40), -1),
        (counter("clock", mhz=1, tid="device:4"), 4),
        (counter("clock", mhz=1, pid=0), 0),
        (counter("clock", mhz=1, pid=5), 5),
        (counter("clock", mhz=1, pid="5"), -1),
        (counter("clock", mhz=1, pid=3), -1),
        (counter("clock", mhz=1, pid=8), 6),
    ],
)
def test_the_device_comes_from_the_event_its_name_or_its_process(event: Json, device: int) -> None:
    """Process 0 is labeled GPU 0, process 8 GPU 6; process 5 has device work."""
    kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 5, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 5}}
    found = samples_of(label(0, "GPU 0"), label(7, "CPU"), label(3, "CPU"), label(8, "GPU 6"), kernel, event)
    assert [row[2] for row in found] == [device]


def test_device_numbers_and_ids_are_not_series() -> None:
    event = counter("clock", mhz=1, device=0, correlation=3, **{"External id": 4, "Device Type": 1, "Ev Idx": 9})
    assert [row[1] for row in samples_of(event)] == ["mhz"]


def test_counters_of_one_name_in_several_processes_are_numbered() -> None:
    found = samples_of(
        *(counter("load", ts, pid=pid, x=pid) for ts in (1, 2) for pid in (20, 3)), counter("other", x=1)
    )
    assert [(name, value) for name, _, _, _, value in found] == [
        ("load #1", 3), ("load #2", 20), ("load #1", 3), ("load #2", 20), ("other", 1)
    ]  # fmt: skip


def test_counters_are_split_by_id_unless_every_event_has_its_own() -> None:
    two = [counter("load", ts, x=ts) | {"id": f"0x{ts % 2}"} for ts in range(4)]
    assert [name for name, *_ in samples_of(*two)] == ["load #1", "load #2", "load #1", "load #2"]
    every = [counter("load", ts, x=ts) | {"id": ts} for ts in range(1000)]
    assert {name for name, *_ in samples_of(*every)} == {"load"}


def test_times_are_exact_in_the_clock_of_the_events() -> None:
    text = (
        b'[{"ph":"C","name":"a","pid":1,"tid":1,"ts":1712195495519689.047,"args":{"x":1}},' + json.dumps(op()).encode()
    )
    recording = read(b'{"baseTimeNanoseconds":7,"traceEvents":' + text + b"]}")
    assert rows(recording.counters) == [("a", "x", -1, 1_712_195_495_519_689_047, 1.0)]


def test_kept_dropped_and_skipped_counters_are_counted() -> None:
    text = (
        b'{"traceEvents":[%s,'
        b'{"ph":"C","name":"no numbers","ts":1,"args":{"x":"1"}},{"ph":"C","cat":"c","name":"no args","ts":1},'
        b'{"ph":"C","name":"no value","ts":1,"args":{"x":null}},{"ph":"C","name":"huge","ts":1,"args":{"x":1e999}},'
        b'{"ph":"C","name":"nan","ts":1,"args":{"x":NaN}},{"ph":"C","ts":1,"args":{"x":1}},'
        b'{"ph":"C","name":"no time","args":{"x":1}},{"ph":"C","name":"kept","ts":1.0005,"args":{"x":1,"y":1e999}}]}'
    )
    recording = read(text % json.dumps(op()).encode())
    stats = recording.stats
    assert [name for name, *_ in rows(recording.counters)] == ["kept"]
    assert (stats.events, stats.kept) == (9, 2)
    assert stats.dropped == {"counter value": 3, "name": 1, "ts": 1}
    assert stats.skipped == {"C/": 1, "C/c": 1}
    notes = {note.code: note.message for note in recording.notes}
    assert notes[NoteCode.DROPPED_EVENTS] == "5 of 9 events dropped: counter value (3), name (1), ts (1)"
    assert notes[NoteCode.REPAIRED] == "repaired: bare words (1), counter values beyond a double (1)"
    assert notes[NoteCode.CLOCK_RESOLUTION].startswith("1 times")


def test_a_trace_with_only_counters_is_readable() -> None:
    assert read_events(counter(x=1)).stats.kept == 1


def test_counters_do_not_change_the_events() -> None:
    plain, counted = read_events(op("a"), op("b")), read_events(counter(x=1), op("a"), counter(y=1), op("b"))
    assert counted.events.strings.texts == plain.events.strings.texts
    assert counted.events.name.tolist() == plain.events.name.tolist()


@pytest.mark.parametrize(
    "damage", [b'{"ph":"C","name":"a","ts":5,"args":{"x":1', b'{"ph":"C","na', b'{"ph":"C" "x" 4}']
)
def test_a_damaged_counter_is_dropped_alone(damage: bytes) -> None:
    whole = [json.dumps(counter("a", ts, x=ts)).encode() for ts in range(8)]
    recording = read(b'{"traceEvents":[' + b",\n".join([*whole[:4], damage, *whole[4:]]) + b"]}")
    assert [row[4] for row in rows(recording.counters)] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert recording.stats.dropped == {"damaged": 1}


def test_a_truncated_file_gives_the_counters_before_its_end() -> None:
    content = encode([op(), *(counter("a", ts, x=ts) for ts in range(50)), op()], "compact")
    recording = read(content[: len(content) // 2])
    found = [row[4] for row in rows(recording.counters)]
    assert found == list(range(len(found))) and 10 < len(found) < 40
    assert not recording.stats.complete


def test_members_of_other_types_are_repaired_as_in_any_event() -> None:
    found = read_events(counter("a", 1, pid=[1], x=1), counter("a", 2, x=2) | {"cat": 3}, counter(5, 3, x=3))
    assert [row[4] for row in rows(found.counters)] == [1, 2]
    assert found.stats.dropped == {"name": 1}


# -- laws -----------------------------------------------------------------------------------------------------------

NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e12, 1e12))
VALUES = st.one_of(NUMBERS, st.none(), st.booleans(), st.sampled_from(["1", "GPU"]), st.lists(NUMBERS, max_size=2))


@st.composite
def counters(draw: st.DrawFn) -> Json:
    name = draw(st.sampled_from(["load", "GPU 0 clock", "GPU 1 clock", "é", None]))
    time = draw(st.one_of(st.integers(0, 50), st.integers(0, 50_000).map(lambda ns: ns / 1000), st.none()))
    keys = st.sampled_from(["value", "x", "y", "device"])
    args = draw(st.dictionaries(keys, VALUES, max_size=3))
    if draw(st.booleans()):
        args = {"args": args}
    return counter(name, time, pid=draw(st.sampled_from([0, 3, "3"])), **args)


def naive(events: list[Json]) -> list[Row]:
    """The sorted samples by a plain loop; every process is the host, counters of several processes are numbered."""
    found: list[tuple[str, str, int, int, float, Any]] = []
    for event in events:
        args = event["args"].get("args", event["args"])
        given = args.get("device")
        if isinstance(given, bool) or not isinstance(given, int | float | str) or not str(given).lstrip("-").isdigit():
            given = (
                int(given) if isinstance(given, float) and given.is_integer() and given < 2**31 else None
            )
        for key, value in args.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if key != "device" and is_number and event["name"] is not None and event["ts"] is not None:
                by_name = int(event["name"][4]) if event["name"].startswith("GPU") else -1
                device = by_name if given is None else max(int(given), -1)
                found.append((event["name"], key, device, round(event["ts"] * 1000), float(value), event["pid"]))
    places: dict[tuple[str, str, int], set[Any]] = {}
    for name, key, device, _, _, pid in found:
        places.setdefault((name, key, device), set()).add(pid)
    out = []
    for name, key, device, time, value, pid in found:
        members = sorted(places[name, key, device], key=lambda place: (isinstance(place, str), place))
        shown = f"{name} #{members.index(pid) + 1}" if len(members) > 1 else name
        out.append((shown, key, device, time, value))
    return sorted(out, key=lambda row: (row[3], row[0], row[1], row[2], row[4]))


@given(st.lists(counters(), max_size=8), st.data())
def test_samples_equal_the_naive_loop_in_any_layout_and_order(drawn: list[Json], data: st.DataObject) -> None:
    expected = naive(drawn)
    shuffled = data.draw(st.permutations(drawn))
    content = encode([op(), *shuffled, op()], data.draw(st.sampled_from(LAYOUTS)))
    recording = read(content, block_bytes=data.draw(st.sampled_from([7, 100, 1 << 20])))
    assert rows(recording.counters) == expected
    stats = recording.stats
    assert stats.events == stats.kept + sum(stats.dropped.values()) + sum(stats.skipped.values())
    assert rows(read(packed(content)).counters) == expected


# -- scanners -------------------------------------------------------------------------------------------------------


def scanned(text: bytes, pieces: int) -> tuple[EventTable, Gathered]:
    """The columns of the array in `text`, fed `pieces` bytes at a time."""
    scanner: PythonScanner = new_scanner(active_reader())
    start, end, ended = 1, 1, False
    while not ended and end < len(text):
        end = min(end + pieces, len(text))
        fed = scanner.feed(text[:end], start, final=end == len(text))
        start, ended = fed.end, fed.ended
    return scanner.finish()


@pytest.mark.parametrize("pieces", [40, 300, 1 << 20])
def test_a_scanner_gives_counters_in_file_order_with_counts(pieces: int) -> None:
    drawn = random.Random(4)
    events = [
        counter(f"c{drawn.randrange(3)}", drawn.randrange(10**6) / 1000, pid=drawn.randrange(2), x=i, y=i / 7)
        if i % 3
        else op(f"o{i}")
        for i in range(60)
    ]
    events += [counter("none"), without(counter("no time", x=1), "ts"), counter("bent", 1, pid=[], x=-1)]
    table, columns = scanned(json.dumps(events).encode(), pieces)
    own = columns.counters
    assert (columns.counts.seen, len(table), own.seen, own.kept) == (63, 20, 43, 41)
    assert (dict(own.counts.skipped), dict(own.counts.dropped)) == ({"C/counters": 1}, {"ts": 1})
    assert (columns.counts.skipped, columns.counts.dropped) == ({}, {})
    assert own.value[::2].tolist() == [i for i in range(60) if i % 3] + [-1]
    assert {table.strings[i] for i in table.name.tolist()} == {f"o{i}" for i in range(0, 60, 3)}
    found = counter_samples(own, columns.process_labels, table)
    assert rows(found) == samples_of(*events)


def test_a_scanner_repairs_and_drops_damaged_counters() -> None:
    text = (
        b'[{"ph":"C","name":"a","ts":1,"args":{"x":NaN,"y":1}}, {"ph":"C","name":7,"ts":1,"args":{"x":1}}, '
        b'{"ph":"C",,,}, '
        b'{"ph":"C","name":"\xff","ts":1e1,"tid":"device:2","args":{"args":"{\\"x\\":2.5}"}}, {"args":{"x":3},"ts":2.5,'
        b'"name":"late","ph":"C"}]}'
    )
    table, columns = scanned(text, 1 << 20)
    own = columns.counters
    assert rows(counter_samples(own, {}, table)) == [
        ("a", "y", -1, 1000, 1.0), ("late", "x", -1, 2500, 3.0), ("\ufffd", "x", 2, 10_000, 2.5)
    ]  # fmt: skip
    assert (columns.counts.seen, own.seen, own.kept, dict(own.counts.dropped)) == (5, 4, 3, {"name": 1})
    assert columns.counts.dropped == {"damaged": 1}
    assert columns.counts.repaired == {"bare words": 1, "members of another type": 1, "bytes that are not UTF-8": 1}
