"""Hostile files: each is read or refused within bounds of memory and time, measured in another process.

Sizes exceed the bounds for quadratic work, and for memory proportional to the unpacked size.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tb_perfcompare.errors import CorruptInput, InputError
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.answers import lines as answer_lines
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.sources.saved.columnar import packed, unpacked
from tb_perfcompare.sources.saved.event_file import read_point
from tb_perfcompare.sources.storage import blocks
from tb_perfcompare.sources.trace import document
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.baselines.saving import save
from tests.drawn_runs import drawn_trace, write_run
from tests.fuzz.readers import seeds
from tests.fuzz.readers.law import bounded
from tests.sources.layouts import names_of, read

EVENT = b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}'
MB = 1 << 20

MAX_CPU_S = 20
"""Each file takes a second; quadratic work takes minutes."""

_READING = """
import os, resource, sys
from tb_perfcompare.errors import InputError
from tb_perfcompare.sources import registry
for line in sys.stdin:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("end", flush=True)
        continue
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
    try:
        found = registry.read(line.strip())
        message = type(found).__name__ + ": " + "; ".join(note.message for note in found.notes)
    except InputError as error:
        message = type(error).__name__ + ": " + str(error)
    more_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most
    print(more_kb // 1024, len(message), message[:3000], flush=True)
    os._exit(0)
"""
"""Reads each file in a fork with a limit of CPU time, after importing once."""

Reader = Callable[[Path, int], str]


@pytest.fixture(scope="module")
def read_bounded() -> Iterator[Reader]:
    """(file, most MB) -> type of the recording or error, and its notes or message."""
    if not hasattr(os, "fork"):
        pytest.skip("no fork")
    command = [sys.executable, "-c", _READING, str(MAX_CPU_S)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        paths, answers = reader.stdin, reader.stdout

        def read_file(path: Path, most_mb: int) -> str:
            print(path, file=paths, flush=True)
            line = answers.readline()
            assert line != "end\n", f"crashed, or took more than {MAX_CPU_S} s of CPU time"
            assert answers.readline() == "end\n"
            more_mb, length, message = line.split(" ", 2)
            assert int(more_mb) < most_mb, message
            assert int(length) < 2000, "the message is too long"
            return message

        yield read_file
        paths.close()


def trace_of(*elements: bytes) -> bytes:
    return b'{"traceEvents":[' + b",".join(elements) + b"]}"


def pack(path: Path, *parts: tuple[bytes, int]) -> Path:
    """A gzip file of repeated parts, one member per repetition."""
    with path.open("wb") as file:
        for part, times in parts:
            content = gzip.compress(part, 9)
            for _ in range(times):
                file.write(content)
    return path


# -- gzip bombs -----------------------------------------------------------------------------------------------------

BOMBS: dict[str, tuple[str, tuple[tuple[bytes, int], ...], str]] = {
    "white space": ("w.pt.trace.json.gz", ((b" " * MB, 300),), "not JSON"),
    "one string": ("w.pt.trace.json.gz", ((b'{"traceEvents":[{"name":"', 1), (b"x" * MB, 80)), "more than 300 times"),
    "one member": ("w.pt.trace.json.gz", ((b'{"a":"', 1), (b"x" * MB, 80)), "more than 300 times"),
    "a table's line": ("x_perf_data.csv.gz", ((b"a" * MB, 80),), "a line of more than 4 MiB"),
    "a table's columns": ("x_perf_data.csv.gz", ((b"a," * 9000 + b"\n", 1),), "9,001 columns"),
    "a listing's line": ("k.txt.gz", ((b"Kernel Latency Tensor DRAM\n", 1), (b"a" * MB, 80)), "no launch"),
    "an export's line": ("l.csv.gz", ((b'"ID","Kernel Name"\n"1","', 1), (b"x" * MB, 80)), "no launch"),
    "answers": ("a.jsonl.gz", ((b'{"steps":{"columns":[', 1), (b"[]," * (MB // 3), 300)), "more than 32 MiB"),
}  # fmt: skip


@pytest.mark.parametrize("case", BOMBS)
def test_a_gzip_bomb_is_refused(case: str, tmp_path: Path, read_bounded: Reader) -> None:
    name, parts, expected = BOMBS[case]
    assert expected in read_bounded(pack(tmp_path / name, *parts), 350)


def test_events_before_the_bomb_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "FREE_BYTES", 100_000)
    path = pack(tmp_path / "w.pt.trace.json.gz", (b'{"traceEvents":[' + EVENT + b" " * 5 * MB, 1))
    for compiled in ("native", "python"):
        monkeypatch.setenv("TB_PERFCOMPARE_READER", compiled)
        recording = read_trace(path)
        assert names_of(recording) == ["a"]
        (note,) = recording.notes
        assert (note.code, "expand more than 300 times" in note.message) == (NoteCode.TRUNCATED, True)
        assert recording.file.bytes == path.stat().st_size, "the digest is of the whole file"


def test_a_trace_that_compresses_well_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.pt.trace.json.gz"
    path.write_bytes(gzip.compress(drawn_trace(steps=1000).encode(), 9))
    assert read_trace(path).stats.complete


@pytest.mark.parametrize(
    ("claimed", "expected"), [(1_153_433_600, "would unpack to 1,153,433,600 bytes"), (1000, "is a damaged baseline")]
)
def test_a_baseline_with_a_large_or_mislabeled_member_is_refused(
    claimed: int, expected: str, tmp_path: Path, read_bounded: Reader
) -> None:
    good, bad = save(tmp_path, write_run(tmp_path / "run", steps=3)), tmp_path / "bad.baseline"
    with zipfile.ZipFile(good) as whole, zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("baseline.json", whole.read("baseline.json"))
        archive.writestr("1", bytes(40_000_003))
    sizes = [struct.pack("<L", size) for size in (40_000_003, claimed)]
    bad.write_bytes(bad.read_bytes().replace(*sizes))
    assert expected in read_bounded(bad, 100)


def test_a_columnar_array_larger_than_its_data_is_refused() -> None:
    content = packed(seeds.a_summary())
    head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    for shape in ([1 << 40], [1 << 20, 1 << 20], [-1], [1 << 70], [0, 1 << 41]):
        head["arrays"][0][1] = shape
        text = json.dumps(head).encode()
        with pytest.raises(ValueError, match=r"array|integer"):
            unpacked(len(text).to_bytes(8, "little") + text.ljust(-(-len(text) // 8) * 8), Summary)


@pytest.mark.parametrize("kind", ["<f1", "<i3", "|O8", ">i8", "<U4", "<c8", ""])
def test_a_columnar_array_of_an_unknown_type_is_refused(kind: str) -> None:
    text = json.dumps({"value": {}, "arrays": [[kind, [1]]]}).encode()
    with pytest.raises(ValueError, match="an array of"):
        unpacked(len(text).to_bytes(8, "little") + text.ljust(200), Summary)


# -- long, deep, many, invalid --------------------------------------------------------------------------------------

TRACES: dict[str, tuple[Callable[[], bytes], int, str]] = {
    "a string of 40 MB": (lambda: trace_of(EVENT, b'{"ph":"X","name":"' + b"x" * (40 * MB) + b'"}'), 300, "dropped"),
    "an unterminated string": (
        lambda: b'{"traceEvents":[' + EVENT + b',{"name":"' + b"x" * (40 * MB), 300, "ends inside"),
    "an event of 100,000 events": (
        lambda: trace_of(EVENT, b'{"ph":"X","name":"b","args":{"a":[' + b",".join([EVENT] * 100_000) + b"]}}"),
        250, "dropped"),
    "brackets 4,000,000 deep": (lambda: trace_of(EVENT, b'{"a":' + b"[" * 4 * MB + b"]" * 4 * MB + b"}"), 200, "deep"),
    "event borders without events": (lambda: b'{"traceEvents":[' + b'}{"a"' * 50_000, 150, "damaged"),
    "100,000 lists of events": (
        lambda: b"{" + b",".join([b'"traceEvents":[' + EVENT + b"]"] * 100_000) + b"}", 100, "not JSON from byte"),
    "100,000 other members": (
        lambda: b"{" + b"".join(b'"k%d":1,' % number for number in range(100_000)) + b'"traceEvents":[' + EVENT + b"]}",
        100, "too many"),
    "long names of members": (
        lambda: b"{" + b",".join(b'"%d%s":[1 2]' % (number, b"k" * 5000) for number in range(500))
        + b',"traceEvents":[' + EVENT + b"]}", 100, "and 480 others"),
    "100,000 names, processes and categories": (
        lambda: trace_of(*(b'{"ph":"X","cat":"c%d","name":"n%d","pid":%d,"tid":%d,"ts":%d,"dur":1}' % ((number,) * 5)
                           for number in range(100_000))), 150, ""),
    "numbers of a million digits": (
        lambda: trace_of(EVENT, b'{"ph":"X","name":"b","pid":1,"tid":1,"ts":0.%s,"dur":1%s,"args":{"stream":0.%s,'
                         b'"External id":1.%s}}' % ((b"1" * MB,) * 4)), 100, "dropped"),
    "a million bare words": (
        lambda: trace_of(EVENT, b'{"a":[' + b",".join([b"NaN"] * MB) + b"]}"), 150, "damaged"),
    "bare words in unterminated events": (
        lambda: trace_of(EVENT, b'{"a":[{"b":NaN},' * 10_000), 100, "damaged ("),
    "three million bad escapes": (lambda: trace_of(EVENT, b'{"name":"' + b"\\qx" * 3 * MB + b'"}'), 250, "damaged"),
    "100,000 equal keys": (
        lambda: trace_of(EVENT, b'{"ph":"X","name":"b",' + b'"args":{"stream":1},' * 100_000 + b'"ts":1,"dur":1}'),
        100, "TraceRecording"),
}  # fmt: skip
"""Case -> (content, most MB, part of the message)."""


@pytest.mark.parametrize("case", TRACES)
def test_a_hostile_trace_is_read_within_bounds(case: str, tmp_path: Path, read_bounded: Reader) -> None:
    make, most_mb, expected = TRACES[case]
    path = tmp_path / "w.pt.trace.json"
    path.write_bytes(make())
    assert expected in read_bounded(path, most_mb)


OTHERS: dict[str, tuple[str, Callable[[], bytes], int, str]] = {
    "lines that are not answers": (
        "a.jsonl", lambda: b'{"steps":{"columns":[]}}\n' + b"1\n" * 200_000, 150, "nothing that"),
    "long advice": (
        "a.jsonl", lambda: json.dumps({"steps": {"columns": [{"name": "Step"}, {"name": "Other"}], "rows": [["1", 1]]},
                                       "recommendations": "<li>" * MB + "<" * MB}).encode(), 150, "AnswersRecording"),
    "a long ncu message": ("l.csv", lambda: b'"ID","Kernel Name"\n==ERROR== ' + b"w" * 4 * MB + b"\n", 100, "ncu says"),
    "150,000 devices": (
        "l.csv", lambda: b'"ID","Kernel Name","Device","gpu__time_duration.sum"\n"","","","ns"\n'
        + b"".join(b'"%d","k","dev%d","1"\n' % (number, number) for number in range(150_000)), 200, "150000 devices"),
    "a column whose name has 100,000 letters": (
        "l.csv", lambda: b'"ID","Kernel Name","' + b"x" * 100_000 + b'"\n"","","ns"\n"1","k","1"\n', 60,
        "no durations"),
    "a damaged header": ("l.csv", lambda: b'"ID","x Kernel Name"\n"1","k"\n', 50, "are damaged"),
    "a million empty lines": ("k.txt", lambda: b"Kernel Latency Tensor DRAM\n" + b"\n" * MB, 60, "line 1048577"),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_a_hostile_file_of_another_format_is_read_within_bounds(
    case: str, tmp_path: Path, read_bounded: Reader
) -> None:
    name, make, most_mb, expected = OTHERS[case]
    (tmp_path / name).write_bytes(make())
    assert expected in read_bounded(tmp_path / name, most_mb)


def test_the_last_of_duplicate_event_lists_is_used() -> None:
    events = [EVENT.replace(b'"a"', b'"%d"' % number) for number in range(document._MAX_LISTS)]
    lists = [b'"traceEvents":[' + event + b"]" for event in events]
    assert names_of(read(b"{" + b",".join(lists) + b"}")) == [str(document._MAX_LISTS - 1)]


def test_messages_are_shortened() -> None:
    long = "x" * 1_000_000
    assert len(Note(NoteCode.REPAIRED, f"begins {long} ends").message) < 2100
    assert Note(NoteCode.REPAIRED, f"begins {long} ends").message.endswith("x ends")
    assert len(str(CorruptInput("a.json", long, place=long, hint="copy it"))) < 4100


def test_root_members_are_bounded_in_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_MEMBERS_BYTES", 25)
    recording = read(b'{"a":"0123456789","b":"0123456789","c":"0123456789","a":1,"d":3,"traceEvents":[' + EVENT + b"]}")
    assert recording.properties == {"b": "0123456789", "a": 1, "d": 3}
    assert "'c' left out" in recording.notes[0].message


def test_of_many_invalid_answers_the_first_have_notes_and_the_others_are_counted() -> None:
    run = answer_lines.split_runs(b'{"steps":{"columns":[]}}\n' + b"1\n" * 1000, "a.jsonl")[0]
    notes = run.all_notes("a.jsonl")
    assert (len(notes), notes[0].message[:17]) == (21, "line 2: a number ")
    assert notes[-1].message == "980 more lines cannot be used: left out; save those answers again"


# -- other kinds of files, and files that change while they are read ------------------------------------------------

NAMES = ("w.1.pt.trace.json", "a.jsonl", "k.txt", "l.csv", "x_perf_data.csv", "main.baseline",
         "tfevents.1.perfcompare")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_directory_with_the_name_of_a_file_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InputError) as refused:
        registry.read(str(tmp_path / name))
    assert name in str(refused.value) and refused.value.hint
    assert [run.name for run in find_runs(str(tmp_path)).runs] == []


@pytest.mark.parametrize("name", NAMES)
def test_an_unreadable_file_is_an_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(trace_of(EVENT))
    path.chmod(0)
    if os.access(path, os.R_OK):
        path.unlink()
        path.symlink_to("/proc/self/mem")  # can be opened, but not read
        if not path.exists():
            pytest.skip("this user can read every file")
    with pytest.raises(InputError) as refused:
        registry.read(str(path))
    assert name in str(refused.value) and refused.value.hint
    find_runs(str(tmp_path))


def test_circular_links_are_followed_once(tmp_path: Path) -> None:
    write_run(tmp_path / "a" / "run", steps=1)
    for number in range(30):
        (tmp_path / "a" / f"up{number}").symlink_to(tmp_path)
        (tmp_path / "a" / "run" / f"over{number}").symlink_to(tmp_path / "a")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    index = find_runs(str(tmp_path))
    assert [run.name for run in index.runs] == ["a/run"]
    assert len(index.problems) <= 60


class Changing(io.FileIO):
    """A file that changes after half of it was read."""

    def __init__(self, path: Path, change: Callable[[], object]) -> None:
        super().__init__(path)
        self._change, self._half = change, path.stat().st_size // 2

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(min(size or -1, self._half) if size and size > 0 else self._half)
        if self.tell() >= self._half and self._change is not None:
            change, self._change = self._change, lambda: None
            change()
        return data


CHANGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, 100),
    "emptied": lambda path: os.truncate(path, 0),
    "removed": lambda path: path.unlink(),
    "replaced": lambda path: path.write_bytes(b"x" * path.stat().st_size),
    "extended": lambda path: path.write_bytes(path.read_bytes() * 2),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("packing", ["plain", "gzip"])
def test_a_trace_that_changes_while_it_is_read_gives_complete_events(change: str, packing: str, tmp_path: Path) -> None:
    content = drawn_trace(steps=400).encode()
    path = tmp_path / "w.1.pt.trace.json"
    path.write_bytes(gzip.compress(content, 1) if packing == "gzip" else content)
    whole = len(read_trace(path).events)
    with Changing(path, lambda: CHANGES[change](path)) as file:
        recording = read_trace(file, name=path.name, block_bytes=4096)
    if change == "removed":  # an open file stays readable
        assert len(recording.events) == whole
    elif change != "extended":
        assert 0 < len(recording.events) < whole
        assert NoteCode.TRUNCATED in [note.code for note in recording.notes]


@pytest.fixture
def every_format(tmp_path: Path) -> dict[str, bytes]:
    """A file of each format, by name."""
    return {
        "w.1.pt.trace.json": seeds.traces()[0], "w.2.pt.trace.json.gz": seeds.traces()[-1],
        "a.jsonl": seeds.answers()[0], "k.txt": seeds.listings()[0], "l.csv": seeds.exports()[0],
        "x_perf_data.csv": seeds.tables()[0], "main.baseline": seeds.baselines()[0],
        "tfevents.1.perfcompare": seeds.points()[0],
    }  # fmt: skip


def test_files_that_change_at_any_time_are_read_or_refused_by_name(
    every_format: dict[str, bytes], tmp_path: Path
) -> None:
    ended = threading.Event()

    def change_files() -> None:
        number = 0
        while not ended.is_set():
            for name, content in every_format.items():
                number += 1
                path = tmp_path / name
                if number % 3 == 0:
                    path.unlink(missing_ok=True)
                else:
                    path.write_bytes(content[: len(content) * (number % 5) // 4])

    changes = threading.Thread(target=change_files)
    changes.start()
    try:
        outcomes, rounds = set(), 0
        while rounds < 20 or (outcomes < {"read", "refused"} and rounds < 1000):
            find_runs(str(tmp_path))
            outcomes |= {outcome_of(tmp_path / name) for name in every_format}
            rounds += 1
    finally:
        ended.set()
        changes.join()
    assert {"read", "refused"} <= outcomes


def outcome_of(path: Path) -> str:
    try:
        registry.read(str(path))
        if path.name.endswith(".perfcompare"):
            read_point(str(path))
    except InputError as error:
        assert path.name in str(error)
        return "refused"
    return "read"


def test_a_pipe_without_a_writer_does_not_block(tmp_path: Path) -> None:
    for name in NAMES:
        os.mkfifo(tmp_path / name)
    with bounded(6):
        assert find_runs(str(tmp_path)).runs == ()


def test_a_cut_file_of_any_format_is_read_or_refused_by_name(every_format: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in every_format.items():
        for cut in sorted({0, 1, 7, len(content) // 3, len(content) // 2, len(content) - 1}):
            path = tmp_path / name
            path.write_bytes(content[:cut])
            outcome_of(path)


HEADER = b"cycle,pid,beta_pct,function_name,metric_name,device,mu_pct,anchor_dur_us\n"


def test_a_table_of_100000_functions_is_read_within_bounds(tmp_path: Path, read_bounded: Reader) -> None:
    path = tmp_path / "x_perf_data.csv"
    path.write_bytes(HEADER + b"".join(b"%d,1,1,f%d,m,d,1,1\n" % (row, row) for row in range(100_000)))
    assert read_bounded(path, 150).startswith("CycleRecording")


@pytest.mark.parametrize("number", ["1_000", "1e999", "٣", "0x10", "9" * 400, "--1"])
def test_an_invalid_number_in_a_table_is_an_error_with_its_place(number: str, tmp_path: Path) -> None:
    path = tmp_path / "x_perf_data.csv"
    path.write_bytes(HEADER + f"1,1,{number},f,m,d,1,1\n".encode())
    with pytest.raises(CorruptInput, match="line 2, column beta_pct"):
        registry.read(str(path))
