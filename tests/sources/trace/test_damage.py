"""Damaged files: what is read, which notes are given, and what is refused."""

from __future__ import annotations

import json
import random

import pytest

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.sources.trace.scanners import python_scanner as scan
from tests.sources.layouts import LAYOUTS, encode, names_of, op, packed, read, rows_of
from tests.thorough import THOROUGH

pytestmark = pytest.mark.usefixtures("each_reader")

EVENTS = [op(f"event {number}", 1000 + number, args={"Seq": number, "grid": [number, 1, 1]}) for number in range(9)]


def with_text(event: str, layout: str = "native") -> bytes:
    """A trace with this text as the middle event."""
    marked = encode([EVENTS[0], EVENTS[1], "MARK", EVENTS[2], EVENTS[3]], layout)
    return marked.replace(b'"MARK"', event.encode("latin-1"))


def codes(recording: TraceRecording) -> list[NoteCode]:
    return [note.code for note in recording.notes]


# -- repaired -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("word", ["NaN", "-Infinity", "inf", "N/A", "-5.-12", "1.#IND", "007"])
def test_bare_words_become_null(word: str, layout: str) -> None:
    text = json.dumps(op("odd", args={"Seq": 7, "blocks per SM": "WORD", "stream": 3})).replace('"WORD"', word)
    recording = read(with_text(text, layout))
    assert names_of(recording) == ["event 0", "event 1", "odd", "event 2", "event 3"]
    odd = rows_of(recording.events)[2]
    assert (odd["sequence"], odd["stream"], odd.get("blocks_per_sm")) == (7, 3, None)
    assert codes(recording) == [NoteCode.REPAIRED]
    assert "bare words (1)" in recording.notes[0].message


@pytest.mark.parametrize(
    ("name", "repaired", "repair"),
    [
        ("a\tb\x01", "a\tb\x01", "control characters (2)"),
        ("C:\\x\\d", "C:\\x\\d", "invalid escapes (2)"),
        ("\\u12", "\\u12", "invalid escapes (1)"),
        ("\\ud800 \\ud83d\\ude00", "\ufffd \U0001f600", "lone surrogates (1)"),
        ("caf\xe9", "caf\ufffd", "bytes that are not UTF-8 (1)"),
        ("NaN, and: [Infinity]", "NaN, and: [Infinity]", ""),
    ],
)
def test_invalid_strings_are_repaired(name: str, repaired: str, repair: str) -> None:
    text = '{"ph":"X","cat":"x","name":"NAME","pid":1,"tid":1,"ts":1,"dur":1}'
    recording = read(with_text(text.replace("NAME", name)))
    assert names_of(recording)[2] == repaired
    assert len(recording.events) == 5
    assert [repair in note.message for note in recording.notes] == ([True] if repair else [])


def test_the_name_of_a_thread_may_hold_bytes_that_are_not_utf8() -> None:
    recording = read(with_text('{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"caf\xe9"}}'))
    assert "caf\ufffd" in recording.thread_names.values()
    assert [note.message for note in recording.notes] == ["repaired: bytes that are not UTF-8 (1)"]


def test_a_bare_word_in_a_damaged_event_does_not_change_its_strings() -> None:
    text = '{"ph":"X","cat":"x","name":"a: NaN, b","pid":1,"tid":1,"ts":1,"dur":1,"args":{"Seq":NaN}}'
    assert names_of(read(with_text(text)))[2] == "a: NaN, b"


def test_trailing_commas_are_repaired() -> None:
    content = encode(EVENTS, "compact").replace(b"1, 1]}}", b"1, 1,],},}").replace(b"}}]", b"}},]")
    recording = read(content)
    assert rows_of(recording.events) == rows_of(read(encode(EVENTS)).events)
    assert codes(recording) == [NoteCode.REPAIRED]


def test_a_missing_comma_between_events_is_repaired() -> None:
    recording = read(encode(EVENTS).replace(b"},\n  {", b"}\n  {", 1))
    assert len(recording.events) == 9


def test_a_byte_order_mark_is_no_damage() -> None:
    recording = read(b"\xef\xbb\xbf" + encode(EVENTS))
    assert (len(recording.events), codes(recording)) == (9, [])


@pytest.mark.parametrize("blanks", [b"\n\n", b"\0" * 4096])
def test_blanks_after_the_trace_are_no_damage(blanks: bytes) -> None:
    assert codes(read(encode(EVENTS) + blanks)) == []


@pytest.mark.parametrize("second", [encode(EVENTS).lstrip(), b'{"traceEvents": [', b"x"])
def test_a_second_document_is_not_read_and_noted(second: bytes) -> None:
    first = encode(EVENTS)
    recording = read(first + b"\n" + second)
    assert (len(recording.events), recording.stats.complete) == (9, True)
    assert f"at byte {len(first) + 1:,}" in recording.notes[0].message


def test_damage_in_other_root_members_is_repaired() -> None:
    content = encode(EVENTS, root={"a": "MARK", "b": 1}).replace(b'"MARK"', b'[NaN, "\x01", 1,]')
    recording = read(content)
    assert recording.properties == {"a": [None, "\x01", 1], "b": 1}
    assert (len(recording.events), recording.stats.complete) == (9, True)


def test_events_after_a_damaged_root_are_read() -> None:
    recording = read(encode(EVENTS).replace(b'"with_stack"', b"with_stack"))
    assert len(recording.events) == 9
    assert not recording.stats.complete


def test_gzip_data_in_several_members_are_read_under_any_name() -> None:
    content = encode(EVENTS)
    recording = read(packed(content[:500]) + packed(content[500:]) + b"\0" * 10)
    assert (len(recording.events), recording.stats.complete, recording.notes) == (9, True, ())


# -- dropped --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "text",
    ['{"ph":"X" "name":"x"}', "{'ph':'X'}", '{"ph":"X","name":"x","args":{"a":[1}', '{"ph":"X","name":"x', "{{", "}"],
)
def test_a_broken_event_is_dropped_alone(text: str, layout: str) -> None:
    recording = read(with_text(text, layout))
    assert names_of(recording) == ["event 0", "event 1", "event 2", "event 3"]
    assert recording.stats.complete


def test_an_event_without_a_numeric_time_is_dropped() -> None:
    text = '{"ph":"X","cat":"x","name":"a","pid":1,"tid":1,"ts":NaN,"dur":1}'
    recording = read(with_text(text))
    assert recording.stats.dropped == {"ts": 1}
    assert codes(recording) == [NoteCode.REPAIRED, NoteCode.DROPPED_EVENTS]


def test_a_deeply_nested_event_is_dropped() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    recording = read(with_text(f'{{"ph":"X","name":"a","ts":1,"dur":1,"args":{{"grid":{deep}}}}}'))
    assert (len(recording.events), recording.stats.dropped) == (4, {"nested too deeply": 1})


def test_a_deeply_nested_root_member_is_left_out() -> None:
    content = encode(EVENTS, root={"a": "MARK", "b": 1}).replace(b'"MARK"', b"[" * 100_000 + b"]" * 100_000)
    recording = read(content)
    assert (len(recording.events), recording.properties) == (9, {"b": 1})
    assert codes(recording) == [NoteCode.REPAIRED]


@pytest.mark.parametrize("decoded_bytes", [100, 5000, 100_000, 1 << 20])
def test_objects_like_events_inside_events_are_not_events(decoded_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_DECODED_BYTES", decoded_bytes)
    inner = [{"ph": "X", "name": "inner", "ts": 1, "dur": 1}] * 200
    events = [op(f"event {number}", number, args={"inner": inner}) for number in range(9)]
    content = encode(events, "compact")
    assert names_of(read(content, block_bytes=30_000)) == [f"event {number}" for number in range(9)]
    damaged = content.replace(b'"event 4", "pid": 7', b'"event 4", "pid": ?')
    names = names_of(read(damaged, block_bytes=30_000))
    assert [name for name in names if name != "inner"] == [f"event {number}" for number in range(9) if number != 4]


def test_a_huge_string_is_read() -> None:
    recording = read(encode([EVENTS[0], op("x" * 5_000_000), EVENTS[1]]), block_bytes=1 << 16)
    assert [len(name) for name in names_of(recording)] == [7, 5_000_000, 7]


def test_a_root_member_beyond_the_size_limit_is_left_out() -> None:
    recording = read(encode(EVENTS, root={"stackFrames": "x" * 9_000_000, "b": 1}, events_at=1))
    assert (len(recording.events), recording.properties, recording.stats.complete) == (9, {"b": 1}, True)
    assert "stackFrames" in recording.notes[0].message


@pytest.mark.parametrize("layout", ["native", "indent=2", "compact"])
def test_a_damaged_byte_drops_at_most_its_event(layout: str) -> None:
    content = encode(EVENTS, layout)
    middle = content.index(b"event 4")
    start, end = content.rindex(b"{", 0, middle), content.rindex(b"}", 0, content.index(b"event 5"))
    expected = {f"event {number}" for number in range(9) if number != 4}
    draw = random.Random(layout)
    for at in range(start, end, 1 if THOROUGH else 3):
        damaged = bytearray(content)
        damaged[at] = draw.choice(b'"{}[],:\\x0\x00\xff ')
        assert expected <= set(names_of(read(bytes(damaged)))), damaged[at - 20 : at + 20]


# -- cut short ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "events_at"), [("native", 0), ("native", None), ("indent=2", 0), ("indent=4", None), ("compact", None)]
)
def test_a_file_cut_anywhere_gives_the_complete_events_before_the_cut(layout: str, events_at: int | None) -> None:
    content = encode(EVENTS[:2], layout, events_at=events_at)
    first = content.index(b'"traceEvents": [') + len(b'"traceEvents": [')
    ends = [_end_of_event(content, f"event {number}") for number in range(2)]
    borders = {at + by for at in (first, *ends) for by in (-1, 0, 1)}
    every = 1 if THOROUGH else 9
    for cut in sorted({*range(len(layout) % every, len(content.rstrip()), every), *borders} - {len(content.rstrip())}):
        if cut < first:
            with pytest.raises(CorruptInput):
                read(content[:cut])
        else:
            recording = read(content[:cut])
            assert names_of(recording) == [f"event {number}" for number, end in enumerate(ends) if end <= cut]
            assert (recording.stats.complete, codes(recording)) == (False, [NoteCode.TRUNCATED])


def _end_of_event(content: bytes, name: str) -> int:
    start = content.rindex(b"{", 0, content.index(name.encode()))
    for end in range(start, len(content) + 1):
        try:
            json.loads(content[start:end])
        except ValueError:
            continue
        return end
    raise AssertionError(name)


def test_a_cut_gzip_file_gives_the_events_before_the_cut() -> None:
    events = [op(f"event {number}", number, args={"x": random.Random(number).random()}) for number in range(300)]
    content = packed(encode(events))
    recovered = [len(read(content[:cut]).events) for cut in (len(content) // 2, len(content) - 9, len(content) - 1)]
    assert 100 < recovered[0] < 200
    assert recovered[1:] == [300, 300]


def test_damaged_gzip_data_give_the_events_before_the_damage() -> None:
    events = [op(f"event {number}", number, args={"x": random.Random(number).random()}) for number in range(3000)]
    content = bytearray(packed(encode(events)))
    content[len(content) // 2 : len(content) // 2 + 64] = b"\xff" * 64
    recording = read(bytes(content))
    assert names_of(recording)[:1000] == [f"event {number}" for number in range(1000)]
    assert NoteCode.TRUNCATED in codes(recording)
    assert "gzip data damaged" in next(n.message for n in recording.notes if n.code is NoteCode.TRUNCATED)


def test_a_wrong_gzip_checksum_drops_nothing() -> None:
    content = bytearray(packed(encode(EVENTS)))
    content[-8] ^= 1
    recording = read(bytes(content))
    assert (len(recording.events), recording.stats.complete, codes(recording)) == (9, True, [NoteCode.REPAIRED])


# -- refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "byte 0: the file is empty; copy or record it again"),
        (b" \n", "nothing but white space"),
        (b"hello", "byte 0: not JSON"),
        (b"  <html>", "byte 2: not JSON"),
        (b"version https://git-lfs.github.com/spec/v1\n", "not JSON but a Git LFS pointer; fetch the file"),
        (b"PK\x03\x04abc", "byte 0: not JSON but a zip archive; unpack it"),
        (encode(EVENTS).decode().encode("utf-16"), "not JSON but UTF-16; save it as UTF-8"),
        (encode(EVENTS).decode().strip().encode("utf-16-le"), "not JSON but UTF-16; save it as UTF-8"),
        (packed(packed(encode(EVENTS))), "not JSON but gzip within gzip; unpack it once"),
        (b"\n<!DOCTYPE html>", "not JSON but a web page; download the file itself"),
        (b'{"a": 1}', "root object: traceEvents is missing"),
        (b'{"nodes": []}', "this is an execution trace"),
        (b'{"a": 1', "byte 7: the file ends before traceEvents"),
        (b'{"traceEvents": {"a": 1}}', "traceEvents: not a list"),
        (b'{"traceEvents": [1, 2]}', "no usable event among 2: not an object (2)"),
        (b'{"traceEvents": [{"ph": "X"}]}', "no usable event among 1: name (1)"),
        (packed(b"")[:12], "the gzip data end early"),
        (b"\x1f\x8b\x08\0", "the gzip data end early"),
        (b"\x1f\x8b\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "gzip data damaged"),
        (b'"traceEvents"', "byte 0: not JSON"),
    ],
)
def test_files_without_events_are_refused_with_place_and_remedy(content: bytes, message: str) -> None:
    with pytest.raises(CorruptInput) as refused:
        read(content)
    assert message in str(refused.value)
    assert str(refused.value).startswith("worker0.pt.trace.json: ")
    assert refused.value.place
    assert refused.value.hint
