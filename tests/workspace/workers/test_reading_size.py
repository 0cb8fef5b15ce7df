"""Memory that a file is expected to need: by its events, which are counted in a few places, else by its size."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import pytest

from tb_perfcompare.workspace.inputs.sides import CaptureFile
from tb_perfcompare.workspace.workers import reading_size
from tb_perfcompare.workspace.workers.reading_size import packed_bytes, reading_bytes

MB = 2**20
PROCESS = 64 * MB
EACH = 200


@pytest.fixture(autouse=True)
def every_file_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_size, "_NOT_LOOKED_AT", 0)


def events(count: int, padding: int) -> bytes:
    """Lines of one event each. Arguments make them longer, and differ."""
    rare = random.Random(count)
    lines = (
        json.dumps({"ph": "X", "ts": at, "dur": 1, "name": "op", "args": {"x": f"{rare.getrandbits(4 * padding):x}"}})
        for at in range(count)
    )
    return ('{"traceEvents":[\n' + ",\n".join(lines) + "]}").encode()


def stored(path: Path | str, size: int) -> CaptureFile:
    name = os.path.basename(path)
    return CaptureFile(
        path=str(path), shown=name, name=name, bytes=size, mtime_ns=0, run="r", worker="w", span="", rank=None,
        source="r",
    )  # fmt: skip


def expected(path: Path | str, size: int | None = None) -> int:
    return reading_bytes(stored(path, os.path.getsize(path) if size is None else size))


@pytest.mark.parametrize(("name", "packed"), [("a.json", 1_000), ("a.json.gz", 16_000), ("a.csv", 16_000)])
def test_an_uncompressed_trace_counts_as_its_gzip_file_would(name: str, packed: int) -> None:
    assert packed_bytes(stored(name, 16_000)) == packed


@pytest.mark.parametrize("padding", [10, 100, 1000])
def test_it_is_what_the_events_take(tmp_path: Path, padding: int) -> None:
    text = events(10_000, padding)
    (tmp_path / "plain.json").write_bytes(text)
    for name in ("packed.json.gz", "packed.json"):
        (tmp_path / name).write_bytes(gzip.compress(text))
    for name in ("plain.json", "packed.json.gz", "packed.json"):
        need = expected(tmp_path / name) - PROCESS
        assert 10_000 * EACH <= need < 1.15 * 10_000 * EACH


def test_the_densest_place_counts_for_the_whole_file(tmp_path: Path) -> None:
    sparse, dense = events(500, 1000), events(5_000, 10)
    for name, text in (("begins.json", dense + sparse), ("ends.json", sparse + dense)):
        (tmp_path / name).write_bytes(text)
        assert expected(tmp_path / name) - PROCESS > 0.9 * len(text) / len(dense) * 5_000 * EACH


@pytest.mark.parametrize("gigabytes", [0.5, 3.9, 4.1, 5.3, 40.0])
def test_more_than_four_gigabytes_of_text_are_told_by_how_well_the_beginning_is_packed(gigabytes: float) -> None:
    text = events(20_000, 60)
    packed = gzip.compress(text)
    head = packed[: 64 * 1024]
    all_text = int(gigabytes * 1e9)
    stored = round(all_text * len(packed) / len(text))
    tail = (all_text % 2**32).to_bytes(4, "little")
    assert reading_size._unpacked(head, tail, stored)[1] == all_text


def test_a_file_of_several_parts_tells_only_the_last_ones_size_and_gets_enough(tmp_path: Path) -> None:
    parts = [events(3_000, 60) for _ in range(6)]
    (tmp_path / "parts.json.gz").write_bytes(b"".join(map(gzip.compress, parts)))
    assert 18_000 * EACH < expected(tmp_path / "parts.json.gz") - PROCESS < 3 * 18_000 * EACH


def test_what_cannot_be_counted_is_expected_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(b"cycle,device\n" * 20_000)
    (tmp_path / "damaged.json.gz").write_bytes(b"\x1f\x8b" + b"no gzip stream" * 10_000)
    (tmp_path / "short.json").write_bytes(b'{"ph": "X"}')
    os.mkfifo(tmp_path / "pipe.json")
    assert expected(tmp_path / "table.csv") == PROCESS + 2 * 13 * 20_000
    assert expected(tmp_path / "damaged.json.gz") == PROCESS + 16 * (2 + 14 * 10_000)
    assert expected(tmp_path / "short.json") == PROCESS + 2 * 11
    for name in ("pipe.json", "gone.json"):
        assert expected(tmp_path / name, size=MB) == PROCESS + 2 * MB


def test_files_of_other_machines_are_not_opened_and_of_small_ones_only_packed_ones_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert expected("s3://bucket/big.json", size=10**9) == PROCESS + 2 * 10**9
    monkeypatch.setattr(reading_size, "_NOT_LOOKED_AT", 12 * MB)
    text = events(10_000, 10)
    for name, stored in (("plain.json", text), ("packed.json", gzip.compress(text))):
        (tmp_path / name).write_bytes(stored)
    assert expected(tmp_path / "plain.json") == PROCESS + 2 * len(text)
    assert expected(tmp_path / "packed.json") - PROCESS >= 10_000 * EACH


def test_a_small_file_that_becomes_large_is_told_by_its_end(tmp_path: Path) -> None:
    """Of one part, which tells its size however badly its beginning was packed (not how dense the rest is: that is seen
    while it is read), and of several, where the last one is the densest."""
    different, same = events(2_000, 1000), b',{"ph":"X","ts":1,"dur":1,"name":"op"}' * 400_000
    (tmp_path / "one.json.gz").write_bytes(gzip.compress(different + same))
    (tmp_path / "last.json.gz").write_bytes(gzip.compress(different) + gzip.compress(same[: len(same) // 20]))
    assert expected(tmp_path / "one.json.gz") - PROCESS > 0.9 * len(different + same) / len(different) * 2_000 * EACH
    assert expected(tmp_path / "last.json.gz") > PROCESS + 20_000 * EACH


def test_no_more_is_believed_than_is_ever_read(tmp_path: Path) -> None:
    packed = gzip.compress(events(10_000, 100))
    (tmp_path / "lies.json.gz").write_bytes(packed[:-4] + b"\xff" * 4)
    assert expected(tmp_path / "lies.json.gz") < PROCESS + 300 * len(packed) * EACH / 100
