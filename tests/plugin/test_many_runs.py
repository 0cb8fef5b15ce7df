"""A log directory with 800 runs of 8 workers: listed directory by directory, and nothing of it is read until it is
asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import main
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tb_perfcompare.sources.storage.filesystem import LocalFileSystem
from tb_perfcompare.workspace.listing import index
from tb_perfcompare.workspace.listing.index import Index, Root
from tests.drawn_runs import write_run
from tests.growth import LARGER, grows_no_faster
from tests.plugin.server import Server

RUNS, WORKERS = 800, 8


def write_runs(folder: Path, runs: int) -> Path:
    """Files of 100 bytes that are no traces at all."""
    for number in range(runs):
        run = folder / "group" / f"run_{number:04d}"
        run.mkdir(parents=True)
        for worker in range(WORKERS):
            (run / f"worker{worker}.1700000000000.pt.trace.json.gz").write_bytes(b"no trace" * 12)
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("many"), RUNS)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each directory was listed; on a slow machine a listing is not outdated before it is used."""
    monkeypatch.setattr(index, "_KEPT_S", 600)
    found: Counter[str] = Counter()
    whole = LocalFileSystem.entries
    monkeypatch.setattr(LocalFileSystem, "entries", lambda fs, path: (found.update([path]), whole(fs, path))[1])
    return found


@pytest.fixture
def nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object, path: str) -> None:
        raise AssertionError(f"{path} was opened")

    monkeypatch.setattr(LocalFileSystem, "open", refuse)


@pytest.mark.usefixtures("nothing_is_opened")
def test_the_tab_has_all_of_them_in_small_answers(
    many: Path, serve: Callable[..., Server], listed: Counter[str]
) -> None:
    server = serve(many)
    assert server.plugin.is_active()
    offset, runs, pages = "0", dict[str, int](), 0
    while offset:
        answer = server.get("api/runs", offset=offset)
        assert len(answer.data) <= MAX_BYTES
        for run in answer.json["runs"]:
            runs[run["run"]] = runs.get(run["run"], 0) + len(run["workers"])
        offset, pages = str(answer.json.get("next_offset", "")), pages + 1
    assert len(listed) == RUNS + 2
    assert max(listed.values()) <= 1 + pages  # at most once for each answer
    assert (len(runs), set(runs.values())) == (RUNS, {WORKERS})
    assert 1 < pages < 5
    tag = server.get("api/runs").headers["ETag"]
    assert server.get("api/runs", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.usefixtures("nothing_is_opened")
def test_so_has_the_command_line(many: Path, capsys: pytest.CaptureFixture[str], listed: Counter[str]) -> None:
    assert main(["runs", "--names-only", str(many)]) == 0
    assert main(["pairs", str(many)]) == 0
    assert set(listed.values()) == {2}  # once for each command
    assert len(capsys.readouterr().out.splitlines()) > RUNS * WORKERS


def test_listing_takes_as_long_as_there_are_runs(many: Path, tmp_path: Path) -> None:
    few = write_runs(tmp_path, RUNS // LARGER)
    assert grows_no_faster(lambda: Index([Root(str(few))]).listing(), lambda: Index([Root(str(many))]).listing())


def test_one_of_them_is_read_alone_when_it_is_asked_for(
    many: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(many / "asked for")
    opened: list[str] = []
    whole = LocalFileSystem.open
    monkeypatch.setattr(LocalFileSystem, "open", lambda fs, path: (opened.append(path), whole(fs, path))[1])
    monkeypatch.setattr("tb_perfcompare.workspace.loading.Loader.is_small", lambda *_: True)  # here, where it is seen
    server = serve(many)
    assert server.json("api/view", run="asked for")["side"]["run"] == "asked for"
    assert set(opened) == {str(path) for path in (*run.iterdir(), many / "manifest.json")}


def test_files_that_are_no_runs_are_looked_into_once(
    tmp_path: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1_500):
        (tmp_path / f"table{number}.csv").write_text("a,b\n1,2\n")
    server = serve(tmp_path)
    server.get("api/runs")
    monkeypatch.setattr("tb_perfcompare.sources.content_detection.read_head", None)  # a second look would fail
    assert server.get("api/runs", rescan="1").status_code == 200
