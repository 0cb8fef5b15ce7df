"""A writer that replaces, appends to, cuts, overwrites or renames a trace while it is read: no answer is a mixture, and
none is kept for a file that holds something else."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.errors import InputChanged, InputError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.storage.blocks import BLOCK_BYTES
from tb_perfcompare.workspace.disk_cache.disk_store import KNOWN
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import drawn_trace
from tests.thorough import THOROUGH

BLOCKS = 2
Act = Callable[[Path, bytes], object]


def text_of(extra_us: float) -> bytes:
    """A trace of BLOCKS blocks and a little: marks as long as a block stand between its events."""
    text = drawn_trace(extra_us=extra_us).encode()
    mark = b'{"ph": "i", "name": "mark", "args": {"text": "' + b"x" * BLOCK_BYTES + b'"}},'
    return text.replace(b"},", b"}," + mark, BLOCKS)


def stored(text: bytes, packed: bool) -> bytes:
    return gzip.compress(text, 0, mtime=0) if packed else text  # not compressed: as many blocks to read


def replace_by_rename(path: Path, other: bytes) -> None:
    """As rsync does, with the time of the source, which may be that of the old file."""
    before = path.stat()
    beside = path.with_name(".being_copied")
    beside.write_bytes(other)
    os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
    beside.replace(path)


def overwrite(path: Path, other: bytes) -> None:
    """In place, and the time is set back: size and time are as before."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.write(other)
        file.truncate()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def append(path: Path, other: bytes) -> None:
    with open(path, "ab") as file:
        file.write(other)


def cut(path: Path, other: bytes) -> None:
    os.truncate(path, path.stat().st_size * 2 // 3)


def rename_away(path: Path, other: bytes) -> None:
    path.rename(path.with_name("away"))


def rename_to_and_fro(path: Path, other: bytes) -> None:
    """Another file stands there for a moment."""
    away = path.with_name("away")
    path.rename(away)
    path.write_bytes(other)
    path.unlink()
    away.rename(path)


ACTS: tuple[Act, ...] = (replace_by_rename, overwrite, append, cut, rename_away, rename_to_and_fro)


class Writer:
    """Acts when the reading of a file has come to its n-th block; `again` in each reading of it, not only the first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.act: Callable[[], object] | None = None
        self.block, self.again = 0, False
        read = registry.read

        def watched(*arguments: Any, report: Callable[[Progress], None], **how: Any) -> registry.Recording:
            seen = 0

            def told(progress: Progress) -> None:
                nonlocal seen
                if seen == self.block and self.act is not None:
                    act, self.act = self.act, self.act if self.again else None
                    act()
                seen += 1
                report(progress)

            return read(*arguments, report=told, **how)

        monkeypatch.setattr(registry, "read", watched)

    def at(self, block: int, act: Callable[[], object], *, again: bool = False) -> None:
        self.block, self.act, self.again = block, act, again


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Writer:
    return Writer(monkeypatch)


def opened(folder: Path) -> Workspace:
    """As a server that has just been started, over the user's cache; reads in this process."""
    return Workspace(cache=SummaryCache(folder / "cache"), in_process_bytes=1 << 40)


class Truth:
    """What is said of a file that nobody writes, by its content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[bytes, int | str] = {}

    def __call__(self, path: Path) -> int | str:
        if not path.exists():
            return "input"
        content = path.read_bytes()
        if content not in self._known:
            copy = self._folder / path.name
            copy.write_bytes(content)
            self._known[content] = step_time(copy, self._folder / f"cache {len(self._known)}")
        return self._known[content]


def step_time(path: Path, folder: Path) -> int | str:
    """What is said of the file: its time, or the code of the error."""
    workspace = opened(folder)
    try:
        return int(workspace.load(side_from_path(str(path), None, None)).steps.total_ns.sum())
    except InputError as error:
        return error.code
    finally:
        workspace.close()


def delta_us(first: Path, second: Path, folder: Path) -> int:
    workspace = opened(folder)
    try:
        sides = (side_from_path(str(path), None, None) for path in (first, second))
        found = workspace.compare(ComparisonRequest(*sides)).headline.delta
        assert found is not None
        return round(found)
    finally:
        workspace.close()


@pytest.mark.parametrize(
    ("act", "packed"),
    [
        pytest.param(act, packed, id=f"{act.__name__}, {'gzip' if packed else 'plain'}")
        for number, act in enumerate(ACTS)
        for packed in ((False, True) if THOROUGH else (number % 2 == 1,))
    ],
)
def test_what_is_said_is_true_of_some_state_and_what_is_kept_of_its_own(
    act: Act, packed: bool, tmp_path: Path, writer: Writer
) -> None:
    old, new = (stored(text_of(extra_us), packed) for extra_us in (0, 500))
    name = f"worker0.1.pt.trace.json{'.gz' if packed else ''}"
    (tmp_path / "apart").mkdir()
    truth = Truth(tmp_path / "apart")
    for block in range(BLOCKS + 2):
        folder = tmp_path / str(block)
        folder.mkdir()
        path = folder / name
        path.write_bytes(old)
        before = truth(path)
        writer.at(block, lambda path=path: act(path, new))
        told = step_time(path, folder)
        assert told in (before, truth(path), "changed", "input"), block
        assert step_time(path, folder) == truth(path), block
        path.write_bytes(old)
        assert step_time(path, folder) == before, block


@pytest.mark.parametrize("act", [replace_by_rename, overwrite], ids=lambda act: act.__name__)
def test_a_comparison_is_kept_for_the_files_that_were_compared(act: Act, tmp_path: Path, writer: Writer) -> None:
    first, second = (tmp_path / side / "worker0.1.pt.trace.json" for side in ("first", "second"))
    for path in (first, second):
        path.parent.mkdir()
        path.write_bytes(text_of(0))
    writer.at(2, lambda: act(first, text_of(500)))
    assert delta_us(first, second, tmp_path) in (0, -500)
    assert delta_us(first, second, tmp_path) == -500
    act(first, text_of(0))
    assert delta_us(first, second, tmp_path) == 0


def test_a_file_that_never_rests_is_said_to_be_changing(tmp_path: Path, writer: Writer) -> None:
    path = tmp_path / "worker0.1.pt.trace.json"
    path.write_bytes(text_of(0))
    writer.at(1, lambda: append(path, b" "), again=True)
    with pytest.raises(InputChanged, match=r"worker0\.1\.pt\.trace\.json: changed while it was read; ask again"):
        opened(tmp_path).load(side_from_path(str(path), None, None))
    assert not list(tmp_path.glob("cache/*"))


def summaries(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if path.suffix != KNOWN]


def test_a_counters_file_that_changes_with_its_table(tmp_path: Path, writer: Writer) -> None:
    table, counters = tmp_path / "a_perf_data.csv", tmp_path / "a_counters_data.csv"
    header = "cycle,pid,beta_pct,function_name,metric_name,device,mu_pct,anchor_dur_us\n"
    rows = [f"{cycle},1,50.0,gemm,gpu_frequency,GPU 0,100.0,1000\n" for cycle in range(9000)]
    table.write_text(header + "".join(rows))
    counters.write_text("counter_name,timestamp,value\ngpu_frequency,1,1500\n")
    workspace, side = opened(tmp_path), side_from_path(str(table), None, None)
    counters.write_text("counter_name,timestamp,value\ngpu_frequency,1,15000\n")
    writer.at(1, lambda: counters.write_text("counter_name,timestamp,value\ngpu_frequency,1,700\n"))
    workspace.load(side)
    (kept,) = summaries(tmp_path / "cache")
    assert opened(tmp_path).load(side_from_path(str(table), None, None))
    assert summaries(tmp_path / "cache") == [kept]  # that of the table with the counters as they are now
