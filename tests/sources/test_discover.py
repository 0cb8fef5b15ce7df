"""Runs, workers and spans found by file names, and by content where names say nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.sources.discover import find_runs, parse_source
from tb_perfcompare.sources.run_entries import RunEntry
from tb_perfcompare.sources.storage.filesystem import FileStat, LocalFileSystem
from tb_perfcompare.sources.worker_names import rank_of
from tests.drawn_runs import drawn_trace


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"")
    return root


def files_of(run: RunEntry) -> dict[str, dict[str, str]]:
    """worker -> span label -> file name"""
    return {worker.name: {span.label: span.file.name for span in worker.spans} for worker in run.workers}


def test_spans_are_numbered_by_their_numeric_stamps(tmp_path: Path) -> None:
    make(tmp_path, "w.1000.pt.trace.json", "w.999.pt.trace.json.gz", "w.pt.trace.json", "w.20.pt.trace.json")
    (run,) = find_runs(str(tmp_path)).runs
    assert files_of(run) == {
        "w": {
            "default": "w.pt.trace.json", "1": "w.20.pt.trace.json", "2": "w.999.pt.trace.json.gz",
            "3": "w.1000.pt.trace.json",
        }
    }  # fmt: skip
    assert [span.stamp for span in run.workers[0].spans] == ["", "20", "999", "1000"]


@pytest.mark.parametrize(
    ("name", "worker", "stamp"),
    [
        ("worker0.1623143089861.pt.trace.json.gz", "worker0", "1623143089861"),
        ("host_1.pt.trace.json", "host_1", ""),
        ("rank-0.Jul_15_10_52_41.1074.pt.trace.json.gz", "rank-0.Jul_15_10_52_41", "1074"),
        ("a.b.c.pt.trace.json", "a.b.c", ""),
        (".pt.trace.json", "", ""),
    ],
)
def test_a_file_name_gives_worker_and_stamp(name: str, worker: str, stamp: str, tmp_path: Path) -> None:
    make(tmp_path, name)
    (run,) = find_runs(str(tmp_path)).runs
    assert (run.workers[0].name, run.workers[0].spans[0].stamp) == (worker, stamp)


@pytest.mark.parametrize("name", ["trace.json.gz", "w.pt.trace.json.bz2", "w.pt.trace.jsonl", "wXptXtraceXjson"])
def test_other_names_are_not_traces(name: str, tmp_path: Path) -> None:
    assert find_runs(str(make(tmp_path, name))).runs == ()


def test_runs_are_named_by_their_path_and_sorted_by_code_points(tmp_path: Path) -> None:
    make(tmp_path / "logs", *(f"{run}w.pt.trace.json" for run in ("", "b/", "a/", "a/deep/er/", "B/", "é/")))
    assert [run.name for run in find_runs(str(tmp_path / "logs")).runs] == ["B", "a", "a/deep/er", "b", "logs", "é"]


def test_a_directory_named_like_a_trace_is_skipped(tmp_path: Path) -> None:
    make(tmp_path, "w.pt.trace.json/inner.pt.trace.json", "run/v.pt.trace.json")
    assert [run.name for run in find_runs(str(tmp_path)).runs] == ["run"]


def test_the_newest_of_two_files_with_one_stamp_is_read(tmp_path: Path) -> None:
    make(tmp_path, "w.5.pt.trace.json", "w.5.pt.trace.json.gz", "w.6.pt.trace.json")
    os.utime(tmp_path / "w.5.pt.trace.json", ns=(0, 0))
    (run,) = find_runs(str(tmp_path)).runs
    assert files_of(run) == {"w": {"1": "w.5.pt.trace.json.gz", "2": "w.6.pt.trace.json"}}
    assert [file.name for file in run.workers[0].spans[0].files] == ["w.5.pt.trace.json.gz", "w.5.pt.trace.json"]
    (note,) = run.problems
    assert note.where == "w.5.pt.trace.json"
    assert "w.5.pt.trace.json.gz is the same span and newer" in note.message


def test_links_and_cycles_of_links_are_followed_once(tmp_path: Path) -> None:
    make(tmp_path / "logs", "real/w.pt.trace.json")
    make(tmp_path / "elsewhere", "w.pt.trace.json")
    (tmp_path / "logs" / "alias").symlink_to(tmp_path / "logs" / "real", target_is_directory=True)
    (tmp_path / "logs" / "real" / "up").symlink_to(tmp_path / "logs", target_is_directory=True)
    (tmp_path / "logs" / "other").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    index = find_runs(str(tmp_path / "logs"))
    assert [run.name for run in index.runs] == ["other", "real"]
    assert {note.where: note.message for note in index.problems} == {
        "alias": "the same directory as real, listed there only",
        "real/up": "the same directory as ., listed there only",
    }


def test_a_trace_that_is_a_broken_link_is_a_problem(tmp_path: Path) -> None:
    make(tmp_path, "w.pt.trace.json")
    (tmp_path / "v.pt.trace.json").symlink_to(tmp_path / "nowhere")
    (run,) = find_runs(str(tmp_path)).runs
    assert [worker.name for worker in run.workers] == ["w"]
    assert [(note.code, note.where) for note in run.problems] == [(NoteCode.FILE_FAILED, "v.pt.trace.json")]


class _Locked(LocalFileSystem):
    def entries(self, path: str) -> list[FileStat]:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return super().entries(path)


def test_a_directory_that_cannot_be_listed_is_a_problem(tmp_path: Path) -> None:
    make(tmp_path, "locked/w.pt.trace.json", "run/w.pt.trace.json")
    index = find_runs(str(tmp_path), _Locked())
    assert [run.name for run in index.runs] == ["run"]
    assert [(note.where, note.message) for note in index.problems] == [
        ("locked", "cannot be listed: Permission denied")
    ]
    with pytest.raises(InputError, match="Permission denied; check its permissions"):
        find_runs(str(tmp_path / "locked"), _Locked())


def test_a_missing_log_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="check the path"):
        find_runs(str(tmp_path / "nothing"))
    with pytest.raises(InputError, match="not a directory"):
        find_runs(str(make(tmp_path, "file") / "file"))


@pytest.mark.parametrize(
    ("worker", "rank"),
    [
        ("rank-3", 3), ("rank_12", 12), ("rank7", 7), ("worker0", 0), ("host-a_4", 4), ("rank-0.Jul_15_10_52_41", 0),
        ("gpu-node-17_25286", None), ("trainer", None), ("", None),
    ],
)  # fmt: skip
def test_a_worker_name_gives_the_rank(worker: str, rank: int | None) -> None:
    assert rank_of(worker) == rank


# -- one source -----------------------------------------------------------------------------------------------------


def test_a_run_folder_is_a_source(tmp_path: Path) -> None:
    make(tmp_path / "run", "w.1.pt.trace.json", "deeper/v.pt.trace.json")
    run = parse_source(str(tmp_path / "run") + "/")
    assert (run.name, files_of(run)) == ("run", {"w": {"1": "w.1.pt.trace.json"}})


@pytest.mark.parametrize(
    ("name", "worker", "label"),
    [
        ("worker3.77.pt.trace.json.gz", "worker3", "1"),
        ("worker3.pt.trace.json", "worker3", "default"),
        ("control.json.gz", "control", "default"),
        ("a.b.json", "a.b", "default"),
    ],
)
def test_a_file_is_a_source(name: str, worker: str, label: str, tmp_path: Path) -> None:
    run = parse_source(str(make(tmp_path, name) / name))
    assert (run.name, files_of(run)) == (name, {worker: {label: name}})
    assert run.workers[0].spans[0].file.path == str(tmp_path / name)


def test_a_folder_of_runs_is_an_error_that_lists_them(tmp_path: Path) -> None:
    make(tmp_path, *(f"run{number:02}/w.pt.trace.json" for number in range(12)))
    with pytest.raises(SelectionError) as refused:
        parse_source(str(tmp_path))
    assert "run00, run01" in refused.value.message
    assert "and 2 more" in refused.value.message
    assert refused.value.hint == f"give one of them, e.g. {tmp_path}/run00"


def test_a_source_without_traces_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"trace files are named .* saved answers in .jsonl"):
        parse_source(str(tmp_path))
    with pytest.raises(InputError, match=r"give one file by name, e.g. .*/control.json.gz"):
        parse_source(str(make(tmp_path, "control.json.gz", "notes.md")))
    with pytest.raises(InputError, match=r"must end in .json or .json.gz"):
        parse_source(str(tmp_path / "notes.md"))
    with pytest.raises(InputError, match="check the path"):
        parse_source(str(tmp_path / "nothing"))


def test_runs_are_found_with_one_listing_per_directory_and_without_opening_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(250):
        folder = tmp_path / f"group{run % 10}" / f"run{run}"
        folder.mkdir(parents=True)
        for worker in range(8):
            os.close(os.open(folder / f"worker{worker}.1700000000000.pt.trace.json.gz", os.O_CREAT))
    listed: list[str] = []
    entries = LocalFileSystem.entries
    monkeypatch.setattr(LocalFileSystem, "entries", lambda fs, path: (listed.append(path), entries(fs, path))[1])
    monkeypatch.setattr(LocalFileSystem, "open", None)
    index = find_runs(str(tmp_path))
    assert len(index.runs) == 250
    assert sum(len(run.workers) for run in index.runs) == 2000
    assert sorted(listed) == sorted({str(tmp_path), *(str(path) for path in tmp_path.rglob("*") if path.is_dir())})


# -- traces with other names ----------------------------------------------------------------------------------------


def write_traces(folder: Path, *names: str) -> Path:
    """Writes traces with these names."""
    for name in names:
        drawn_trace(steps=2).write(folder / name)
    return folder


def test_files_with_other_names_are_recognized_by_content(tmp_path: Path) -> None:
    write_traces(tmp_path / "two", "before.json", "after.json.gz")
    write_traces(tmp_path / "one", "rank3.json.gz")
    (tmp_path / "two" / "settings.json").write_text('{"model": "bert"}')
    index = find_runs(str(tmp_path))
    assert {run.name: files_of(run) for run in index.runs} == {
        "one": {"rank3": {"default": "rank3.json.gz"}},
        "two/after.json.gz": {"after": {"default": "after.json.gz"}},
        "two/before.json": {"before": {"default": "before.json"}},
    }
    assert index.problems == ()


def test_a_folder_with_one_such_file_is_a_source(tmp_path: Path) -> None:
    run = parse_source(str(write_traces(tmp_path / "one", "rank3.json.gz")))
    assert (run.name, files_of(run), run.workers[0].rank) == ("one", {"rank3": {"default": "rank3.json.gz"}}, 3)
    with pytest.raises(SelectionError, match=r"holds runs: a\.json, b\.json"):
        parse_source(str(write_traces(tmp_path / "two", "a.json", "b.json")))


def test_files_that_differ_only_in_rank_are_workers_of_a_run(tmp_path: Path) -> None:
    """Names of torchtitan and SGLang; each session and stage of a server is a run."""
    write_traces(tmp_path / "titan" / "iteration_10", "rank0_trace.json", "rank1_trace.json")
    sessions = (f"1754000001.5-TP-{rank}{stage}.trace.json" for rank in (0, 1) for stage in ("", "-DECODE"))
    write_traces(tmp_path / "server", *sessions, "1754000009.1-TP-0.trace.json")
    found = {run.name: files_of(run) for run in find_runs(str(tmp_path)).runs}
    first, ranks = "1754000001.5", (0, 1)
    alone = "1754000009.1-TP-0.trace"
    assert found == {
        f"server/{first}": {f"TP-{n}": {"default": f"{first}-TP-{n}.trace.json"} for n in ranks},
        f"server/{first}-DECODE": {f"TP-{n}": {"default": f"{first}-TP-{n}-DECODE.trace.json"} for n in ranks},
        f"server/{alone}.json": {alone: {"default": f"{alone}.json"}},
        "titan/iteration_10": {f"rank{n}": {"default": f"rank{n}_trace.json"} for n in ranks},
    }
    for name, workers in found.items():
        assert files_of(parse_source(str(tmp_path / name))) == workers


def test_files_of_a_folder_that_differ_only_in_a_count_are_one_source(tmp_path: Path) -> None:
    """Names of manually exported recordings; in a log directory each is a run."""
    run = parse_source(str(write_traces(tmp_path / "manual", "trace_0.json", "trace_1.json")))
    assert files_of(run) == {f"trace_{n}": {"default": f"trace_{n}.json"} for n in (0, 1)}
    assert len(find_runs(str(tmp_path / "manual")).runs) == 2
    for names in (("bs8.json", "bs16.json"), ("before1.json", "after1.json")):
        with pytest.raises(SelectionError, match="holds runs"):
            parse_source(str(write_traces(tmp_path / names[0], *names)))


def test_sizes_of_a_job_are_not_ranks(tmp_path: Path) -> None:
    names = [f"scaling/{name}.json" for name in ("llama_rank0", "llama_rank8", "llama_tp1", "llama_tp2")]
    write_traces(tmp_path, *names)
    assert [run.name for run in find_runs(str(tmp_path)).runs] == names


def test_traces_with_other_names_next_to_a_trace_have_a_note(tmp_path: Path) -> None:
    write_traces(tmp_path, "w.pt.trace.json", *(f"step{number:02}.json" for number in range(17)))
    (tmp_path / "settings.json").write_text('{"model": "bert"}')
    (run,) = find_runs(str(tmp_path)).runs
    (note,) = run.problems
    assert (note.code, note.where) == (NoteCode.OTHER_TRACES, "")
    assert note.message.startswith("17 traces are skipped because of their names: step00.json, step01.json, ")
    assert " and 7 more; only files named <worker>[.<number>].pt.trace.json[.gz] are read" in note.message
