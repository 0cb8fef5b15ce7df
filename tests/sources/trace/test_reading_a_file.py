"""Reading files: recorded facts, progress, cancelling, threads, recognition, memory."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.errors import Cancelled, InputError, UnrecognisedFormat
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.sources.registry import read, recognize
from tb_perfcompare.sources.storage.filesystem import FileStat, LocalFileSystem
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.sources.layouts import encode, op, packed

pytestmark = pytest.mark.usefixtures("each_reader")

CONTENT = encode([op(f"event {number}", number) for number in range(2000)])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "worker0.pt.trace.json.gz"
    path.write_bytes(packed(CONTENT))
    return path


def test_size_and_digest_are_of_the_stored_bytes(trace: Path) -> None:
    recording = read_trace(trace)
    stored = trace.read_bytes()
    assert recording.file.path == "worker0.pt.trace.json.gz"
    assert recording.file.bytes == len(stored)
    assert recording.file.sha256 == hashlib.sha256(stored).hexdigest()
    assert recording.stats.raw_bytes == len(CONTENT)


def test_the_digest_covers_the_bytes_after_damage(trace: Path) -> None:
    stored = packed(CONTENT) + b"no gzip" * 200_000
    trace.write_bytes(stored)
    assert read_trace(trace).file.sha256 == hashlib.sha256(stored).hexdigest()


def test_the_digest_is_optional_and_the_name_can_be_given(trace: Path) -> None:
    recording = read_trace(str(trace), want_hash=False, name="run/worker0")
    assert (recording.file.sha256, recording.file.path) == ("", "run/worker0")


def test_a_file_object_stays_open(trace: Path) -> None:
    with trace.open("rb") as file:
        assert len(read_trace(file).events) == 2000
        assert not file.closed


def test_progress_is_reported_for_every_block(trace: Path) -> None:
    reports: list[Progress] = []
    read_trace(trace, report=reports.append, block_bytes=20_000)
    assert len(reports) >= len(CONTENT) // 20_000
    assert {(progress.phase, progress.path) for progress in reports} == {("reading", str(trace))}
    assert [p.events for p in reports] == sorted(p.events for p in reports)
    assert reports[-1].done_bytes == reports[-1].total_bytes == trace.stat().st_size


def test_cancelling_leaves_no_thread_and_the_garbage_collector_on(trace: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.events:
            raise Cancelled

    before = threading.active_count()
    with pytest.raises(Cancelled):
        read_trace(trace, report=stop, block_bytes=5_000)
    assert threading.active_count() == before
    assert gc.isenabled()


def test_errors_leave_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    for content in (b"", b"{", packed(b"{}")[:-4], CONTENT[:-9]):
        path = tmp_path / "a.json"
        path.write_bytes(content)
        with contextlib.suppress(InputError):
            read_trace(path, block_bytes=100)
        assert threading.active_count() == before


def test_a_disabled_garbage_collector_stays_off(trace: Path) -> None:
    gc.disable()
    try:
        read_trace(trace)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_files_can_be_read_concurrently(trace: Path) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(read_trace(trace).events))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2000] * 4
    assert gc.isenabled()


class FailingFile(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 10_000:
            raise OSError(5, "Input/output error")
        return super().read(min(size or 4096, 4096))


def test_a_read_error_is_an_input_error() -> None:
    class Disk(LocalFileSystem):
        def stat(self, path: str) -> FileStat:
            return FileStat(path, path, False, len(CONTENT))

        def open(self, path: str) -> io.BytesIO:
            return FailingFile(CONTENT)

    with pytest.raises(InputError, match="Input/output error"):
        read_trace("a.json", fs=Disk(), block_bytes=4096)


@pytest.mark.parametrize("reader", [read_trace, read, recognize])
def test_a_missing_file_is_an_error(reader: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file") as refused:
        reader(str(tmp_path / "nothing.json"))
    assert refused.value.hint == "check the path"


# -- recognition ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("w.pt.trace.json", CONTENT),
        ("anything", CONTENT),
        ("anything.gz", packed(CONTENT)),
        ("late.json", b'{"meta": "%s", "traceEvents": []}' % (b"x" * 100_000)),
        ("list", b'[{"ph": "X"}]'),
        ("cut.json.gz", packed(CONTENT)[:5000]),
        ("w.pt.trace.json", b""),
    ],
)
def test_traces_are_recognized_by_content_or_name(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert recognize(str(path)) == "torch_profiler_trace"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "torch.profiler trace: empty"),
        (b"Kernel | Latency", "torch.profiler trace: not JSON"),
        (b"[1, 2]", "torch.profiler trace: a list, but not of events"),
        (b"[[1.5, 2.5], [[0, 8], [0, 9]]]", "torch.profiler trace: a memory timeline"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "torch.profiler trace: a Git LFS pointer; fetch"),
        (b'{"overview": 1}', "torch.profiler trace: no traceEvents in its first 15 bytes"),
    ],
)
def test_other_files_are_not_recognized_with_a_reason(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UnrecognisedFormat) as refused:
        recognize(str(path))
    assert reason in str(refused.value)


# -- cost -----------------------------------------------------------------------------------------------------------


@cache
def of_forty_mib() -> bytes:
    padding = {"Seq": 1, "padding": "x" * 2000}
    return packed(encode([op(f"event {n % 50}", n, args=padding) for n in range(20_000)]))


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux only")
def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    path = tmp_path / "worker0.pt.trace.json.gz"
    path.write_bytes(of_forty_mib())
    code = (
        "import resource, sys; from tb_perfcompare.sources.trace.torch_profiler import read_trace; "
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10; before = peak(); "
        "stats = read_trace(sys.argv[1]).stats; print(stats.kept, stats.raw_bytes >> 20, peak() - before)"
    )
    answer = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    kept, raw_mib, grown_mib = map(int, answer.stdout.split())
    assert (kept, raw_mib) == (20_000, 40)
    assert grown_mib < 32
