"""A saved baseline in a log directory is a run of the tab, which shows and compares it without its traces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tests.baselines.saving import save
from tests.drawn_runs import write_run
from tests.plugin.server import Server


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    save(tmp_path / "logs", write_run(tmp_path / "elsewhere" / "normal", spans=2), "main")
    save(tmp_path / "logs", write_run(tmp_path / "elsewhere" / "abnormal", extra_us=500), "branch", steps=(1, 6))
    return tmp_path / "logs"


def test_the_tab_is_shown_for_them(logdir: Path, tmp_path: Path) -> None:
    assert TraceProbe(logdir_roots(str(logdir), None)).found()
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.baseline").write_bytes(b"PK\x03\x04 some other archive" + b" " * 40)
    assert not TraceProbe(logdir_roots(str(other), None)).found()


def test_they_are_runs_with_their_workers_and_spans(logdir: Path, serve: Callable[..., Server]) -> None:
    runs = {run["run"]: run for run in serve(logdir).json("api/runs")["runs"]}
    assert list(runs) == ["branch.baseline", "main.baseline"]
    assert runs["main.baseline"]["format"] == "baseline"
    (worker,) = runs["main.baseline"]["workers"]
    assert [span["span"] for span in worker["spans"]] == ["1", "2"]


def test_they_are_compared_and_shown(logdir: Path, serve: Callable[..., Server]) -> None:
    server = serve(logdir)
    pair = {"baseline": "main.baseline", "candidate": "branch.baseline"}
    answer = server.json("api/comparison", stream="0", **pair)
    assert answer["headline"]["verdict"] == "slower"
    assert answer["candidate"]["steps"]["admitted"] == 6  # as it was saved
    assert answer["baseline"]["span"] == "1, 2"
    narrower = server.json("api/comparison", stream="0", baseline_span="2", **pair)
    assert narrower["baseline"]["span"] == "2"
    view = server.json("api/view", run="main.baseline", view="kernels")
    assert view["table"]["rows"][0][0] == "gemm_128x128"


def test_a_damaged_one_is_a_problem_without_a_path(logdir: Path, serve: Callable[..., Server]) -> None:
    broken = logdir / "main.baseline"
    broken.write_bytes(broken.read_bytes()[:500])
    listed = serve(logdir).json("api/runs")
    assert [run["run"] for run in listed["runs"]] == ["branch.baseline"]
    (problem,) = listed["problems"]
    assert problem["path"] == "main.baseline"
    assert "damaged" in problem["message"] and str(logdir) not in problem["message"]


def test_one_that_is_damaged_inside_is_said_by_its_name(logdir: Path, serve: Callable[..., Server]) -> None:
    path = logdir / "branch.baseline"
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(20) + whole[middle + 20 :])
    answer = serve(logdir).get("api/view", run="branch.baseline")
    assert answer.status_code == 422
    assert "branch.baseline" in answer.text and "damaged" in answer.text
    assert str(logdir) not in answer.text
