"""Which of the files that a process wrote become its capture."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tb_perfcompare.experiment.traces import move_traces, other_files


def wrote(directory: Path, **sizes: int) -> str:
    directory.mkdir()
    for name, size in sizes.items():
        (directory / f"{name.replace('_', '.')}.pt.trace.json").write_text("x" * size, "utf-8")
    return str(directory)


def test_the_last_whole_trace_of_each_worker_is_taken(tmp_path: Path) -> None:
    written = wrote(tmp_path / "written", rank1_100=90, rank1_101=100, rank1_102=10, rank0_100=100, rank0_101=80)
    moved = move_traces(written, str(tmp_path / "run"), 3)
    assert [Path(path).name for path in moved] == ["worker0.3.pt.trace.json", "worker1.3.pt.trace.json"]
    assert [Path(path).stat().st_size for path in moved] == [80, 100]


def test_workers_without_a_rank_are_numbered(tmp_path: Path) -> None:
    written = wrote(tmp_path / "written", host_4711_5=1, host2_4712_5=1)
    assert len(move_traces(written, str(tmp_path / "run"), 1)) == 2
    assert sorted(path.name for path in (tmp_path / "run").iterdir())[0] == "worker0.1.pt.trace.json"


def test_the_rank_is_in_the_trace_where_the_name_has_none(tmp_path: Path) -> None:
    (tmp_path / "written").mkdir()
    for process, rank in ((998, 1), (1002, 0)):
        text = f'{{"schemaVersion": 1, "distributedInfo": {{"backend": "gloo", "rank": {rank}}}}}'
        with gzip.open(tmp_path / "written" / f"host_{process}.pt.trace.json.gz", "wt") as file:
            file.write(text)
    for path in move_traces(str(tmp_path / "written"), str(tmp_path / "run"), 1):
        with gzip.open(path, "rt") as file:
            assert json.load(file)["distributedInfo"]["rank"] == int(Path(path).name[len("worker")])


def test_the_programs_own_profiler_replaces_the_launchers(tmp_path: Path) -> None:
    """Two files of one process are not two ranks."""
    written = wrote(tmp_path / "written", worker0=1, host_4711_5=20)
    (tmp_path / "written" / "facts.json").write_text("{}", "utf-8")
    (taken,) = move_traces(written, str(tmp_path / "run"), 1)
    assert Path(taken).stat().st_size == 20


def test_files_of_other_names_are_named(tmp_path: Path) -> None:
    (tmp_path / "trace.json").touch()
    assert move_traces(str(tmp_path), str(tmp_path / "run"), 1) == []
    assert other_files(str(tmp_path)) == ["trace.json"]
