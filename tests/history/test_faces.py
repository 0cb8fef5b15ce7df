"""History on the command line and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run
from tests.history.series import FIRST_S, record_run
from tests.plugin.server import Server
from tests.workspace.waiting import becomes_true

pytestmark = pytest.mark.usefixtures("kept_workers")


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Server]]:
    made: list[Server] = []

    def start(logdir: Path) -> Server:
        made.append(Server(logdir))
        return made[-1]

    yield start
    for server in made:
        server.close()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Ten nights; from the sixth on the loader takes 500 µs longer."""
    sides = [write_run(tmp_path / "normal"), write_run(tmp_path / "slower", extra_us=500)]
    for day in range(10):
        record_run(tmp_path / "logs", sides[day >= 5], day=day, label=f"r{day}")
    return tmp_path / "logs"


def test_the_table_shows_where_the_level_changes(logdir: Path) -> None:
    found = tb_perfcompare("history", logdir)
    assert found.status == 0, found.err
    (changed,) = [line.split() for line in found.out.splitlines() if "slower" in line]
    assert changed[:2] == ["2026-02-05T04:00:00Z", "r5"]
    assert "no change found" in found.out and "same" not in found.out


def test_the_command_that_explains_the_change_compares_its_neighbors(logdir: Path) -> None:
    words = tb_perfcompare("history", logdir).out.partition("why the level changed at r5: tb-perfcompare ")[2].split()
    assert [".r4." in word for word in words[:2]] == [False, True] and ".r5." in words[2]
    assert tb_perfcompare(*words[:3], "--fail-if-slower", "3%").status == 1


def test_an_outlier_is_marked(tmp_path: Path) -> None:
    sides = [write_run(tmp_path / "normal"), write_run(tmp_path / "slower", extra_us=500)]
    for day in range(10):
        record_run(tmp_path / "logs", sides[day == 5], day=day, label=f"r{day}")
    lines = tb_perfcompare("history", tmp_path / "logs").out.splitlines()
    assert [line.split()[1] for line in lines if "outlier" in line] == ["r5"]


def test_http_and_the_command_give_the_same_history(logdir: Path, serve: Callable[[Path], Server]) -> None:
    by_command = json.loads(tb_perfcompare("history", logdir, "--series", "nightly", "--json").out)
    server = serve(logdir)
    assert server.json("api/history", series="nightly") == by_command
    history = by_command["history"]
    assert [(one["point"], one["verdict"]) for one in history["changes"]] == [(5, "slower")]
    assert [point["label"] for point in history["points"]] == [f"r{day}" for day in range(10)]
    assert server.json("api/history") == {**by_command, "history": None}
    assert by_command["series"] == [{"series": "nightly", "points": 10}]


def test_two_points_of_a_history_are_compared(logdir: Path, serve: Callable[[Path], Server]) -> None:
    server = serve(logdir)
    points = server.json("api/history", series="nightly")["history"]["points"]
    pair = {"baseline": points[0]["run"], "candidate": points[9]["run"]}
    assert server.json("api/comparison", stream="0", **pair)["headline"]["verdict"] == "slower"


def test_the_tab_is_active_on_a_logdir_of_points(logdir: Path, tmp_path: Path) -> None:
    assert TraceProbe(logdir_roots(str(logdir), None)).found()
    other = tmp_path / "training"
    other.mkdir()
    (other / f"events.out.tfevents.{FIRST_S}.host").write_bytes(b"training")
    assert not TraceProbe(logdir_roots(str(other), None)).found()


def test_an_unchanged_history_is_304_and_a_new_point_is_sent(
    logdir: Path, tmp_path: Path, serve: Callable[[Path], Server]
) -> None:
    server = serve(logdir)
    tag = server.get("api/history", series="nightly").headers["ETag"]
    assert server.get("api/history", series="nightly", headers={"If-None-Match": tag}).status_code == 304
    record_run(logdir, tmp_path / "normal", day=10)
    again: list[TestResponse] = []

    def is_sent() -> bool:  # a look that took long has a rest
        again.append(server.get("api/history", series="nightly", rescan="1", headers={"If-None-Match": tag}))
        return again[-1].status_code == 200

    assert becomes_true(is_sent)
    assert len(json.loads(again[-1].data)["history"]["points"]) == 11


def test_an_unknown_series_is_an_error_that_lists_them(logdir: Path, serve: Callable[[Path], Server]) -> None:
    answer = serve(logdir).get("api/history", series="other")
    assert answer.status_code == 404
    assert json.loads(answer.data)["error"]["hint"] == "there are: nightly"
    assert tb_perfcompare("history", logdir, "--series", "other").status == 2


def test_record_prints_the_file_with_its_time(tmp_path: Path) -> None:
    run = write_run(tmp_path / "normal")
    words = ("record", run, "--into", tmp_path / "logs", "--series", "s", "--label", "x")
    found = tb_perfcompare(*words, "--at", "2026-01-31T05:00+01:00")
    assert found.status == 0, found.err
    assert found.out.endswith(f"logs/s/events.out.tfevents.{FIRST_S}.x.perfcompare\n")
    assert tb_perfcompare(*words).status == 0
    assert len(list((tmp_path / "logs" / "s").iterdir())) == 2


@pytest.mark.parametrize("at", ["yesterday", "2026-13-01", "1960-01-01", "", "9999-01-01"])
def test_an_invalid_time_is_refused(at: str, tmp_path: Path) -> None:
    run = write_run(tmp_path / "normal")
    found = tb_perfcompare("record", run, "--into", tmp_path / "logs", "--series", "s", "--at", at)
    assert (found.status, found.out) == (2, "")
    assert "time" in found.err
