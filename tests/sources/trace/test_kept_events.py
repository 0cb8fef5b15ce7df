"""Events and members of a valid trace: which are kept, and as what values."""

from __future__ import annotations

from typing import Any

import pytest

from tb_perfcompare.model.events import Category
from tb_perfcompare.model.note import NoteCode
from tests.sources.layouts import encode, names_of, op, read, read_events, rows_of, without

pytestmark = pytest.mark.usefixtures("each_reader")


def test_an_operator_has_these_columns() -> None:
    event = op("aten::mm", 10.5, 2, tid="t", args={"External id": 3, "Input Dims": [[2, 3], []], "Seq": 9})
    row = rows_of(read_events(event).events)[0]
    assert row == {
        "category": Category.OPERATOR, "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": "t", "start_ns": 10500,
        "dur_ns": 2000, "external_id": 3, "correlation": None, "input_dims": [[2, 3], []], "sequence": 9,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cat", "category"),
    [("Kernel", Category.KERNEL), ("GPU_MEMCPY", Category.MEMCPY), ("acme_op", Category.OTHER), ("", Category.OTHER)],
)
def test_categories_match_in_any_case_and_are_kept_as_written(cat: str, category: Category) -> None:
    row = rows_of(read_events(op(cat=cat)).events)[0]
    assert (row["category"], row["cat"]) == (category, cat)


def test_memory_events_need_neither_duration_nor_category() -> None:
    memory = {"ph": "i", "name": "[memory]", "pid": 1, "tid": 2, "ts": 5, "args": {"Bytes": -64, "Total Reserved": 0.5}}
    recording = read_events(op(), memory, op())
    row = rows_of(recording.events)[1]
    assert (row["category"], row["dur_ns"], row["bytes"], row["total_reserved"]) == (Category.MEMORY, 0, -64, 0.5)
    assert recording.notes == ()


def test_an_operator_named_memory_is_an_operator() -> None:
    assert rows_of(read_events(op("[memory]")).events)[0]["category"] == Category.OPERATOR


def test_forward_backward_arrows_are_flows_and_launch_arrows_are_counted() -> None:
    arrows = [
        {"ph": phase, "cat": cat, "name": "x", "id": number, "pid": 1, "tid": 1, "ts": 1.5}
        for phase, cat, number in (
            ("s", "fwdbwd", 4), ("f", "Forward_Backward", 4), ("s", "ac2g", 5), ("t", "fwdbwd", 6),
        )
    ]  # fmt: skip
    recording = read_events(*arrows, op())
    flows = recording.flows
    assert (flows.is_start.tolist(), flows.flow_id.tolist()) == ([True, False], [4, 4])
    assert flows.start_ns.tolist() == [1500, 1500]
    assert recording.stats.skipped == {"s/ac2g": 1, "t/fwdbwd": 1}


def test_metadata_names_processes_and_threads() -> None:
    def metadata(name: str, pid: Any, tid: Any, /, **args: str) -> dict[str, Any]:
        return {"ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args}

    recording = read_events(
        metadata("process_labels", 0, 0, labels="GPU 0"),
        metadata("process_name", "Spans", 0, name="first"),
        metadata("process_name", "Spans", 0, name="last"),
        metadata("thread_name", 0, "7", name="stream 7"),
        {"ph": "M", "name": "process_sort_index", "pid": 0, "args": {"sort_index": 1}},
        {"ph": "M", "name": "thread_name", "pid": 0},
    )
    assert recording.process_labels == {0: "GPU 0"}
    assert recording.process_names == {"Spans": "last"}
    assert recording.thread_names == {(0, "7"): "stream 7"}
    assert recording.stats.skipped == {"M/": 6}


def test_a_thread_id_as_number_and_as_text_are_two_lanes() -> None:
    lanes = read_events(op(tid=1), op(tid="1"), op(tid=1), op(tid=1.0)).events
    assert (lanes.lanes.tid, lanes.lane.tolist()) == ((1, "1"), [0, 1, 0, 0])


def test_the_preferred_spelling_of_an_argument_is_used() -> None:
    recording = read_events(
        op(args={"external id": 1, "External id": 2, "Bytes": 3, "bytes": 4}),
        op(args={"External id": 5, "bytes": "6"}),
        op(args={"Input Dims": None, "Input dims": [[1]]}),
        op(args={"theoretical occupancy %": 50, "tasktopo node": 2}),
    )
    rows = rows_of(recording.events)
    assert [row["external_id"] for row in rows] == [1, 5, None, None]
    assert [row.get("bytes") for row in rows] == [3, 6, None, None]
    assert rows[2]["input_dims"] == [[1]]
    assert (rows[3]["occupancy"], rows[3]["tasktopo_node"]) == (50, 2)
    assert recording.events.args["bytes"].rows.tolist() == [0, 1]


def test_arguments_of_other_types_are_absent() -> None:
    recording = read_events(
        op(args={"device": None, "bytes": "N/A", "stream": "7", "blocks per SM": [1], "grid": None, "Seq": 1.5}),
        op(args={"device": 0, "bytes": 8, "stream": True, "blocks per SM": 2, "grid": [1, 2, 3], "Seq": 2.0}),
    )
    rows = [{key: row[key] for key in row.keys() - {"name", "start_ns"}} for row in rows_of(recording.events)]
    assert {key: rows[0].get(key) for key in ("device", "bytes", "stream", "blocks_per_sm", "grid")} == {
        "device": None, "bytes": None, "stream": 7, "blocks_per_sm": None, "grid": None,
    }  # fmt: skip
    assert (rows[1]["device"], rows[1]["bytes"], rows[1]["blocks_per_sm"], rows[1]["grid"]) == (0, 8, 2.0, [1, 2, 3])
    assert ("sequence" in rows[0], rows[1]["sequence"], "stream" in rows[1]) == (False, 2, False)
    assert recording.notes == ()


def test_equal_json_arguments_are_one_string_for_any_white_space() -> None:
    events = read(b'{"traceEvents": [%s, %s]}' % (_with_dims(b"[[1,2],[]]"), _with_dims(b"[ [1,\n 2] , [ ] ]"))).events
    dims = events.args["input_dims"].values.tolist()
    assert dims[0] == dims[1]
    assert events.strings[dims[0]] == "[[1,2],[]]"


def _with_dims(dims: bytes) -> bytes:
    return b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"Input Dims":%s}}' % dims


def test_missing_null_and_empty_arguments_are_alike() -> None:
    recording = read_events(op(), op(args=None), op(args={}))
    assert len(recording.events) == 3
    assert dict(recording.events.args) == {}
    assert recording.notes == ()


def test_other_root_members_are_properties() -> None:
    root = {"deviceProperties": [{"name": "A100"}, 3], "distributedInfo": {"rank": 1}, "baseTimeNanoseconds": 10**18}
    recording = read(encode([op()], root=root))
    assert recording.properties == root
    assert recording.device_properties == [{"name": "A100"}, {}]


@pytest.mark.parametrize("layout", ["native", "indent=2", "compact"])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_trace_events_can_be_at_any_position_of_the_root(layout: str, place: int) -> None:
    root = {"a": 'the text "traceEvents": [ is no list', "b": [{"traceEvents": [1]}], "c": {"x": "}]"}}
    recording = read(encode([op("m"), op("n")], layout, root, place))
    assert names_of(recording) == ["m", "n"]
    assert recording.properties == root
    assert recording.stats.complete


def test_a_list_at_the_root_is_the_events() -> None:
    recording = read(b'[{"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1}]\n')
    assert names_of(recording) == ["a"]
    assert recording.stats.complete


def test_an_empty_list_is_an_empty_recording() -> None:
    recording = read(encode([]))
    assert (len(recording.events), recording.stats.complete, recording.notes) == (0, True, ())


def test_the_last_of_duplicate_keys_is_used() -> None:
    twice = b'{"a":1,"traceEvents":[%s],"a":2,"traceEvents":[%s,%s]}'
    event = b'{"ph":"X","cat":"x","name":"old","name":"new","pid":1,"tid":1,"ts":1,"dur":1,"args":{"Seq":1,"Seq":2}}'
    recording = read(twice % (event, event, event))
    assert recording.properties == {"a": 2}
    assert names_of(recording) == ["new", "new"]
    assert recording.events.args["sequence"].values.tolist() == [2, 2]


def test_every_element_is_kept_dropped_or_skipped() -> None:
    events = [op(), op(ts=None), {"ph": "C", "name": "counter"}, 3, {"ph": "s", "cat": "fwdbwd", "id": 1, "ts": 1}, {}]
    stats = read_events(*events).stats
    assert (stats.events, stats.kept) == (6, 1)
    assert stats.dropped == {"ts": 1, "not an object": 1}
    assert stats.skipped == {"C/": 1, "/": 1}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (without(op(), "name"), "name"),
        (op(None), "name"),
        (without(op(), "ts"), "ts"),
        (op(ts="noon"), "ts"),
        (op(ts=10**19), "ts"),
        (without(op(), "dur"), "dur"),
        (op(dur=None), "dur"),
        ({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1}, "ts"),
        ({"ph": "s", "cat": "fwdbwd", "id": "x", "ts": 1}, "flow id"),
        ("text", "not an object"),
        (None, "not an object"),
    ],
)
def test_events_without_required_members_are_dropped_by_reason(event: Any, reason: str) -> None:
    recording = read_events(op("before"), event, op("after"))
    assert names_of(recording) == ["before", "after"]
    assert recording.stats.dropped == {reason: 1}
    assert [note.code for note in recording.notes] == [NoteCode.DROPPED_EVENTS]


@pytest.mark.parametrize(
    ("event", "member", "repair"),
    [
        (without(op(), "cat"), ("cat", ""), "missing cat"),
        (op(cat=3), ("cat", ""), "members of another type"),
        (without(op(), "tid"), ("tid", ""), "missing pid or tid"),
        (op(pid=[1]), ("pid", ""), "members of another type"),
        (op(args=[1]), ("external_id", None), "members of another type"),
        (op(args="N/A"), ("external_id", None), "members of another type"),
    ],
)
def test_events_with_missing_or_odd_members_are_kept_with_a_note(
    event: Any, member: tuple[str, Any], repair: str
) -> None:
    recording = read_events(op(), event, op())
    assert len(recording.events) == 3
    assert rows_of(recording.events)[1][member[0]] == member[1]
    assert f"{repair} (1)" in recording.notes[0].message
    assert recording.notes[0].code is NoteCode.REPAIRED


def test_negative_durations_are_zero_with_a_note() -> None:
    recording = read_events(op(dur=-5), op(dur=-0.5), op(dur=5))
    assert recording.events.dur_ns.tolist() == [0, 0, 5000]
    assert [note.code for note in recording.notes] == [NoteCode.NEGATIVE_DURATION]
    assert "2 durations" in recording.notes[0].message


def test_times_finer_than_a_nanosecond_have_a_note() -> None:
    recording = read(b'{"traceEvents":[{"ph":"X","cat":"x","name":"a","pid":1,"tid":1,"ts":1.0005,"dur":1.0}]}')
    assert recording.events.start_ns.tolist() == [1000]
    assert [note.code for note in recording.notes] == [NoteCode.CLOCK_RESOLUTION]


def test_columns_have_documented_types_and_are_read_only() -> None:
    events = read_events(op(args={"stream": 1, "blocks per SM": 1.5, "grid": [1]})).events
    types = {name: (str(column.rows.dtype), str(column.values.dtype)) for name, column in events.args.items()}
    assert types == {"stream": ("int32", "int64"), "blocks_per_sm": ("int32", "float64"), "grid": ("int32", "int32")}
    with pytest.raises(ValueError, match="read-only"):
        events.start_ns[0] = 1
