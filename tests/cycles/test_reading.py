"""Tables as files: recognized by the header, read through any store, errors with the place and the remedy."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from tb_perfcompare.errors import Cancelled, CorruptInput, InputError, UnrecognisedFormat
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.sources.perf_data.csv_tables import read_cycles
from tb_perfcompare.sources.recognition.format_sniffers import PERF_DATA_COLUMNS, looks_known, why_not_cycles
from tb_perfcompare.sources.registry import read, recognize
from tb_perfcompare.sources.storage.filesystem import FileStat
from tests.cycles.drawn import HEADER, cycle, gemm, host, write, write_counters


def small(path: Path) -> Path:
    return write(path, cycle(1, 100, gemm(20, gpu_frequency=141000), host(80)), cycle(2, 110, gemm(22), host(90)))


@pytest.mark.parametrize("name", ["job_perf_data.csv", "anything.csv", "cycles.txt", "noending"])
def test_the_header_decides_the_format_whatever_the_name(tmp_path: Path, name: str) -> None:
    path = small(tmp_path / name)
    assert recognize(str(path)) == CYCLES
    recording = read(str(path))
    assert len(recording.table) == 4


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (",".join(HEADER), ""),
        ("\ufeff" + ",".join(PERF_DATA_COLUMNS), ""),
        (",".join(f'"{name}"' for name in reversed(PERF_DATA_COLUMNS)), ""),
        (",".join(PERF_DATA_COLUMNS[:-1]), ""),  # the reader names the missing one
        ("counter_name,timestamp,value,hostname", "samples of counters; give the *_perf_data.csv next to it"),
        ("name,calls,total_us", "the first line does not name the columns cycle, pid"),
        ("", "the first line does not name"),
        ('"open', "the first line does not name"),
    ],
)
def test_recognition_by_the_first_line(head: str, says: str) -> None:
    reason = why_not_cycles("table.csv", f"{head}\n1,2\n".encode())
    assert reason.startswith(says) if says else reason == ""
    assert looks_known(head.encode()) == (not says)


def test_a_broken_file_with_the_name_of_a_table_is_read_as_one() -> None:
    assert why_not_cycles("job_decode_perf_data.csv", b"") == ""
    assert why_not_cycles("job_counters_data.csv", b"") != ""


@pytest.mark.parametrize("change", ["LF", "byte order mark", "gzip", "quoted commas"])
def test_other_spellings_of_a_table_read_the_same(tmp_path: Path, change: str) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    data = path.read_bytes()
    before = read_cycles(str(path)).table
    data = {
        "LF": data.replace(b"\r\n", b"\n"),
        "byte order mark": b"\xef\xbb\xbf" + data,
        "gzip": gzip.compress(data),
        "quoted commas": data.replace(b"gemm", b'"gemm<64, ""x"">"'),
    }[change]
    path.write_bytes(data)
    after = read_cycles(str(path)).table
    assert after.cycle.tolist() == before.cycle.tolist() == [1, 1, 2, 2]
    np.testing.assert_array_equal(after.cycle_us, before.cycle_us)
    np.testing.assert_array_equal(after.start_us, before.start_us)
    assert after.strings[after.function[0]] == ('gemm<64, "x">' if change == "quoted commas" else "gemm")


def test_columns_of_the_drawing(tmp_path: Path) -> None:
    table = read_cycles(str(small(tmp_path / "a_perf_data.csv"))).table
    assert table.kind is not None and [table.strings[code] for code in table.kind] == ["gpu_compute", "oncpu"] * 2
    assert table.host is not None and table.host.tolist() == [-1] * 4, "an empty host name is none"
    assert table.start_us is not None and table.start_us[2] - table.start_us[0] == 1e6
    assert table.sigma_pct is not None and np.isnan(table.sigma_pct[1])


def test_size_and_hash_are_of_the_stored_bytes(tmp_path: Path) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    path.write_bytes(gzip.compress(path.read_bytes()))
    data = path.read_bytes()
    facts = read_cycles(str(path), name="shown.csv").file
    assert (facts.path, facts.bytes, facts.sha256) == ("shown.csv", len(data), hashlib.sha256(data).hexdigest())
    assert read_cycles(str(path), want_hash=False).file.sha256 == ""


def test_a_counters_file_next_to_the_table_is_read(tmp_path: Path) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    assert read_cycles(str(path)).counters is None
    write_counters(tmp_path / "a_counters_data.csv", [("gpu_usage", 1.0, 5.0)])
    recording = read_cycles(str(path))
    assert recording.counters is not None and recording.counters.value.tolist() == [5.0]
    assert recording.notes == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("counter_name,timestamp\n", "line 1: has no column value"),
        ("counter_name,timestamp,value\na,1,x\n", "line 2, column value: 'x' is not a number"),
        ("", "is empty"),
    ],
)
def test_unusable_counters_are_a_note_and_the_table_is_read(tmp_path: Path, text: str, says: str) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    (tmp_path / "a_counters_data.csv").write_text(text)
    recording = read_cycles(str(path))
    assert recording.counters is None and len(recording.table) == 4
    (note,) = recording.notes
    assert (note.code, note.where) == (NoteCode.COUNTERS_UNUSABLE, "a_counters_data.csv")
    assert says in note.message


def _without(column: str) -> Callable[[Path], object]:
    return lambda path: write(path, cycle(1, 10, gemm(1)), header=[name for name in HEADER if name != column])


def _replaced(old: bytes, new: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes().replace(old, new, 1))


def _separated_by(mark: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes().replace(b",", mark))


@pytest.mark.parametrize("blank", [b"\r\n", b",,,,,,,,,,,,,,,,\r\n"])
def test_blank_lines_are_skipped_also_as_spreadsheets_write_them(tmp_path: Path, blank: bytes) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    whole = read_cycles(str(path)).table
    path.write_bytes(blank + path.read_bytes() + blank)
    assert len(read_cycles(str(path)).table) == len(whole)


@pytest.mark.parametrize(
    ("damage", "kind", "says"),
    [
        (_without("mu_pct"), UnrecognisedFormat, "line 1: has no column mu_pct; its first line must name the columns"),
        (_replaced(b"20.0000,", b"twenty,"), CorruptInput, "line 2, column beta_pct: 'twenty' is not a number; "),
        (_replaced(b"1,7,", b"1,,"), CorruptInput, "line 2, column pid: the cell is empty but must be a number"),
        (_replaced(b"gemm", b"ge,mm"), CorruptInput, "line 2: has 18 cells where the first line has 17"),
        (_replaced(b"gemm", b'"gemm'), CorruptInput, "is not valid CSV"),
        (_replaced(b"gemm", b"\xff\xfe"), CorruptInput, "is not UTF-8; convert it to UTF-8"),
        (lambda path: path.write_bytes(b""), CorruptInput, "is empty; record again"),
        (lambda path: write(path), CorruptInput, "has a header but no rows"),
        (
            lambda path: path.write_bytes(gzip.compress(path.read_bytes())[:-12]),
            CorruptInput,
            "the gzip data end early",
        ),
        (lambda path: path.unlink(), InputError, "cannot be opened: No such file"),
        (_replaced(b"20.0000,", b"nan,"), CorruptInput, "line 2, column beta_pct: 'nan' means no value but must"),
        (_replaced(b"20.0000,", b'"1,200.5",'), CorruptInput, "with a decimal point and without thousands separators"),
        (_replaced(b"cycle,", b"sep=,\r\ncycle,"), UnrecognisedFormat, "line 1: has 'sep=,' before the names of "),
        (_separated_by(b";"), UnrecognisedFormat, "line 1: separates its columns by ';'; write it with commas"),
        (_separated_by(b"\t"), UnrecognisedFormat, "line 1: separates its columns by '\\t'"),
        (
            lambda path: path.write_bytes(path.read_text().encode("utf-16-le")),
            UnrecognisedFormat,
            "line 1: is not UTF-8 but holds zero bytes",
        ),
        (lambda path: path.write_bytes(2 * path.read_bytes()), CorruptInput, "line 6: names the columns again; give"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-90]),
            CorruptInput,
            "cells where the first line has 17: the file ends here; copy it again, or remove its last line",
        ),
    ],
)
def test_a_damaged_table_is_an_error_with_its_place(
    tmp_path: Path, damage: Callable[[Path], object], kind: type[InputError], says: str
) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    damage(path)
    with pytest.raises(InputError) as caught:
        read_cycles(str(path), name="logs/a_perf_data.csv")
    assert type(caught.value) is kind
    assert str(caught.value).startswith("logs/a_perf_data.csv: ") and says in str(caught.value)
    assert caught.value.hint


def test_progress_counts_stored_bytes_and_can_cancel(tmp_path: Path) -> None:
    path = small(tmp_path / "a_perf_data.csv")
    seen: list[Progress] = []
    read_cycles(str(path), report=seen.append, name="a")
    assert (seen[-1].phase, seen[-1].path) == ("reading", "a")
    assert seen[-1].done_bytes == seen[-1].total_bytes == path.stat().st_size

    def refuse(progress: Progress, /) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_cycles(str(path), report=refuse)


class Shelf:
    """A store in memory: names and bytes."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def entries(self, path: str) -> list[FileStat]:
        return []

    def stat(self, path: str) -> FileStat:
        if path not in self._files:
            raise FileNotFoundError(2, os.strerror(2), path)
        identity: Hashable = path
        return FileStat(path, self.basename(path), False, len(self._files[path]), 0, identity)

    def open(self, path: str) -> BinaryIO:
        self.stat(path)
        return io.BytesIO(self._files[path])

    def absolute(self, path: str) -> str:
        return path

    def basename(self, path: str) -> str:
        return path.rpartition("/")[2]


def test_tables_are_read_from_any_store(tmp_path: Path) -> None:
    data = small(tmp_path / "a_perf_data.csv").read_bytes()
    counters = write_counters(tmp_path / "c", [("gpu_usage", 1.0, 5.0)]).read_bytes()
    shelf = Shelf({"s3://b/a_perf_data.csv": data, "s3://b/a_counters_data.csv": counters})
    recording = read("s3://b/a_perf_data.csv", fs=shelf)
    assert recording.file.path == "a_perf_data.csv"
    assert recording.counters is not None


def test_a_table_has_no_second_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no number 2; leave out #2"):
        read(str(small(tmp_path / "a_perf_data.csv")), part=2)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_with_other_separators_is_recognized_so_that_its_reader_reports_it(mark: str) -> None:
    header = mark.join(HEADER).encode()
    assert why_not_cycles("after.csv", b"\r\n" + header + b"\r\n") == ""
    assert why_not_cycles("after.csv", header.replace(b"cycle", b"round").replace(b"pct", b"share")) != ""
