"""Jobs with a folder or a file per rank or iteration, which are one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare.sources.discover import find_runs, parse_source
from tests.drawn_runs import drawn_trace

Layout = dict[str, dict[str, dict[str, str]]]


def layout(root: Path, *paths: str) -> Layout:
    """run -> worker -> span -> file of traces written to these paths; checks that each run is a source."""
    for path in paths:
        drawn_trace(steps=2).write(root / path)
    runs = find_runs(str(root)).runs
    found = {
        run.name: {worker.name: {span.label: span.file.name for span in worker.spans} for worker in run.workers}
        for run in runs
    }
    for run in runs:
        source = parse_source(run.path)
        assert [worker.name for worker in source.workers] == list(found[run.name])
        assert all(Path(span.file.path).is_file() for worker in run.workers for span in worker.spans)
    return found


def test_iterations_are_spans_and_ranks_are_workers(tmp_path: Path) -> None:
    """Folders of torchtitan."""
    paths = [f"old/traces/iteration_{n}/rank{rank}_trace.json" for n in (90, 100) for rank in (0, 1)]
    assert layout(tmp_path, *paths) == {
        "old/traces": {
            f"rank{rank}": {f"iteration_{n}": f"iteration_{n}/rank{rank}_trace.json" for n in (90, 100)}
            for rank in (0, 1)
        }
    }
    assert parse_source(str(tmp_path / "old")).path.endswith("traces")
    assert [worker.rank for worker in parse_source(str(tmp_path / "old")).workers] == [0, 1]


def test_a_folder_per_rank_is_a_worker(tmp_path: Path) -> None:
    assert layout(tmp_path, "new/rank_0/trace.json", "new/rank_1/host_77.5.pt.trace.json") == {
        "new": {"rank_0": {"default": "rank_0/trace.json"}, "rank_1": {"1": "rank_1/host_77.5.pt.trace.json"}}
    }


def test_folders_of_iterations_in_a_folder_per_rank_are_spans(tmp_path: Path) -> None:
    paths = [f"rank{rank}/step_{n}/trace.json" for rank in (0, 1) for n in (5, 10)]
    assert layout(tmp_path, *paths) == {
        tmp_path.name: {f"rank{r}": {f"step_{n}": f"rank{r}/step_{n}/trace.json" for n in (5, 10)} for r in (0, 1)}
    }


def test_a_file_per_iteration_is_a_span(tmp_path: Path) -> None:
    assert layout(tmp_path, "a/step_5.json", "a/step_10.json.gz", "b/fast_epoch1.json", "b/fast_epoch2.json") == {
        "a": {"trace": {"step_5": "step_5.json", "step_10": "step_10.json.gz"}},
        "b": {"fast": {"epoch1": "fast_epoch1.json", "epoch2": "fast_epoch2.json"}},
    }


def test_files_of_two_jobs_are_two_runs(tmp_path: Path) -> None:
    paths = [f"{job}_step_{n}_rank_{rank}.json" for job in ("old", "new") for n in (1, 2) for rank in (0, 1)]
    assert layout(tmp_path, *paths) == {
        job: {f"rank_{r}": {f"step_{n}": f"{job}_step_{n}_rank_{r}.json" for n in (1, 2)} for r in (0, 1)}
        for job in ("new", "old")
    }


@pytest.mark.parametrize(
    "names", [("rank_0", "rank_8"), ("iteration_10", "warmup"), ("bs_16", "bs_32"), ("0", "1")], ids=" ".join
)
def test_other_folders_are_separate_runs(names: tuple[str, ...], tmp_path: Path) -> None:
    assert list(layout(tmp_path, *(f"{name}/trace.json" for name in names))) == sorted(names)


def test_rank_folders_inside_a_run_are_separate_runs(tmp_path: Path) -> None:
    found = layout(tmp_path, "a/w.pt.trace.json", "a/rank_0/trace.json", "a/rank_1/trace.json")
    assert list(found) == ["a", "a/rank_0", "a/rank_1"]


def test_files_that_differ_in_a_number_are_ranks_if_their_traces_have_ranks(tmp_path: Path) -> None:
    """dynolog names files by process id."""
    for path, rank in {"job/p_7801": 1, "job/p_7802": 0, "sizes/trace_0": 0, "sizes/trace_1": 0}.items():
        trace = drawn_trace(steps=2)
        trace.properties["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 2}
        trace.write(tmp_path / f"{path}.json")
    assert layout(tmp_path, "alone/p_7801.json", "alone/p_7802.json") == {
        "alone/p_7801.json": {"p_7801": {"default": "p_7801.json"}},
        "alone/p_7802.json": {"p_7802": {"default": "p_7802.json"}},
        "job": {"rank0": {"default": "p_7802.json"}, "rank1": {"default": "p_7801.json"}},
        "sizes/trace_0.json": {"trace_0": {"default": "trace_0.json"}},
        "sizes/trace_1.json": {"trace_1": {"default": "trace_1.json"}},
    }
    assert [worker.name for worker in parse_source(str(tmp_path / "sizes")).workers] == ["trace_0", "trace_1"]


def test_two_files_of_one_iteration_are_separate_runs(tmp_path: Path) -> None:
    """They can be the same recording."""
    names = ["step_5.json", "step_5.json.gz", "step_6.json"]
    assert list(layout(tmp_path, *(f"a/{name}" for name in names))) == [f"a/{name}" for name in names]


def test_a_job_does_not_take_the_name_of_another_run(tmp_path: Path) -> None:
    paths = ["step_1/w.pt.trace.json", "step_1/epoch_1/trace.json", "step_1/epoch_2/trace.json"]
    assert list(layout(tmp_path, *paths)) == ["step_1", "step_1/epoch_1", "step_1/epoch_2"]
