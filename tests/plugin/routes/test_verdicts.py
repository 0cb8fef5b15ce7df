"""api/verdicts: several candidates against one baseline, one after the other."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from benchmarks.served import is_running
from build_support.wire_types import json_schema
from tb_perfcompare.plugin.plugin import MAX_PARAMETERS_OF_VERDICTS
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.candidates import MAX_CANDIDATES, VerdictsAnswerDict
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_garbage, write_run
from tests.plugin.server import PREFIX, Server
from tests.workspace import tasks
from tests.workspace.waiting import SOON_S, becomes_true

ASKED = {"baseline": "normal", "candidate_1": "slow", "candidate_2": "broken", "candidate_3": "alike"}


@pytest.fixture
def several(tmp_path: Path, serve: Callable[..., Server]) -> Server:
    """A baseline, a slow candidate, one like it, and one that cannot be read."""
    logs = tmp_path / "logs"
    write_run(logs / "normal")
    write_run(logs / "slow", extra_us=500)
    write_run(logs / "alike")
    write_garbage(logs / "broken")
    return serve(logs)


def test_each_candidate_is_a_row_in_the_order_asked_for(several: Server) -> None:
    rows = [line["row"] for line in several.lines("api/verdicts", **ASKED) if "row" in line]
    assert [(row["row"], row["candidate"]["run"]) for row in rows] == [(0, "slow"), (1, "broken"), (2, "alike")]
    assert [row["result"] and row["result"]["headline"]["verdict"] for row in rows] == ["slower", None, "same"]


def test_one_that_cannot_be_read_says_why_and_the_others_still_come(several: Server) -> None:
    found = several.json("api/verdicts", stream="0", **ASKED)
    jsonschema.validate(found, json.loads(json_schema("verdicts", VerdictsAnswerDict)))
    assert [row["error"] and row["error"]["code"] for row in found["rows"]] == [None, "corrupt", None]
    assert found["compared"] == 2
    named = several.json("api/verdicts", stream="0", **{**ASKED, "candidate_2": "gone"})
    assert named["rows"][1]["error"]["code"] == "selection"


def test_a_row_says_what_the_comparison_of_the_pair_says(several: Server) -> None:
    row = several.json("api/verdicts", stream="0", **ASKED)["rows"][0]
    pair = several.json("api/comparison", stream="0", baseline="normal", candidate="slow")
    assert row["result"]["headline"] == pair["headline"]
    assert row["result"]["cause"] == pair["findings"][0]
    assert row["result"]["checks"] == [check for check in pair["comparability"] if check["status"] != "ok"]


def test_a_row_has_the_parts_of_the_pair_and_its_largest_rows(several: Server) -> None:
    result = several.json("api/verdicts", stream="0", **ASKED)["rows"][0]["result"]
    pair = several.json("api/comparison", stream="0", baseline="normal", candidate="slow")
    unit = pair["ledger"]["denominator"] * 1000
    heads = [row for row in pair["ledger"]["rows"] if len(row["path"]) == 1]
    assert [tuple(part.values()) for part in result["parts"]] == [
        (row["path"][0], row["baseline"] / unit, row["candidate"] / unit) for row in heads
    ]
    table = pair["tables"][result["table"]]
    names = [column["name"] for column in table["columns"]]
    picked = [[row[names.index(name)] for name in ("name", "baseline_us", "candidate_us")] for row in table["rows"]]
    assert result["rows"] and sorted(map(str, result["rows"])) == sorted(
        str(dict(zip(("name", "baseline_us", "candidate_us"), row, strict=True))) for row in picked if row[1] or row[2]
    )


def test_the_last_line_has_p_adjusted_for_all_comparisons(several: Server) -> None:
    *_, last = several.lines("api/verdicts", **ASKED)
    assert last["result"] == several.json("api/verdicts", stream="0", **ASKED)
    slow, broken, alike = last["result"]["rows"]
    p = slow["result"]["headline"]["p"]
    assert slow["adjusted"] == {"p": pytest.approx(2 * p), "stands": True}
    assert broken["adjusted"] is None
    assert alike["adjusted"] == {"p": 1.0, "stands": None}


def test_progress_says_which_row_it_is_about(several: Server) -> None:
    rows = [line["progress"]["row"] for line in several.lines("api/verdicts", **ASKED) if "progress" in line]
    assert rows == sorted(rows) and set(rows) == {0, 1, 2}
    assert not any("progress" in line for line in several.lines("api/verdicts", baseline="normal", candidate_1="slow"))


def test_a_part_of_a_run_can_be_a_candidate(tmp_path: Path, serve: Callable[..., Server]) -> None:
    write_run(tmp_path / "run", spans=2)
    server = serve(tmp_path)
    asked = {"baseline": "run", "baseline_span": "1", "candidate_1": "run", "candidate_1_span": "2"}
    (row,) = server.json("api/verdicts", stream="0", **asked, candidate_1_steps="2-5")["rows"]
    assert row["candidate"] == {"run": "run", "worker": None, "span": "2", "steps": "2-5"}
    assert row["result"]["candidate"]["steps"]["admitted"] == 4


def test_an_unchanged_answer_is_not_sent_again_but_one_with_a_failure_is(several: Server) -> None:
    good = {"baseline": "normal", "candidate_1": "slow", "stream": "0"}
    tag = several.get("api/verdicts", **good).headers["ETag"]
    assert several.get("api/verdicts", headers={"If-None-Match": tag}, **good).status_code == 304
    assert "ETag" not in several.get("api/verdicts", stream="0", **ASKED).headers


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 400),
        ({"baseline": "normal"}, 400),
        ({"baseline": "normal", "candidate_2": "slow"}, 400),
        ({"baseline": "normal", "candidate_1": "slow", "candidate_1_steps": "x"}, 400),
        ({"baseline": "gone", "candidate_1": "slow"}, 404),
        ({"baseline": "normal", **{f"candidate_{n}": "slow" for n in range(1, MAX_CANDIDATES + 2)}}, 400),
    ],
)
def test_a_question_wrong_from_the_start_is_no_stream(several: Server, query: dict[str, str], status: int) -> None:
    answer = several.get("api/verdicts", **query)
    assert (answer.status_code, answer.content_type) == (status, "application/json")


def test_as_many_candidates_as_allowed_fit_into_a_question() -> None:
    of_a_side = 4
    others = ("step_window", "all_steps", "stream")
    assert (MAX_CANDIDATES + 1) * of_a_side + len(others) <= MAX_PARAMETERS_OF_VERDICTS


def test_a_browser_that_goes_away_stops_the_one_under_way_and_those_behind_it(several: Server, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    several.plugin._opening._workspace = Workspace([Root(str(logs))], workers=2, summarize=tasks.slow_summary)
    query = {"baseline": "normal", "candidate_1": "slow", "candidate_2": "alike"}
    environ = EnvironBuilder(path=f"{PREFIX}/api/verdicts", query_string=query).get_environ()
    answered, _, _ = run_wsgi_app(several.app, environ)
    marks = [logs / "normal.pid", logs / "slow.pid"]
    for _ in answered:
        if all(mark.exists() and mark.read_text() for mark in marks):
            break
    processes = [int(mark.read_text()) for mark in marks]
    answered.close()  # type: ignore[attr-defined]
    assert becomes_true(lambda: not any(is_running(process) for process in processes))
    assert not (logs / "alike.pid").exists()


def test_a_server_that_stops_says_so_instead_of_rows(several: Server, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    several.plugin._opening._workspace = Workspace([Root(str(logs))], workers=2, summarize=tasks.slow_summary)
    texts: list[dict[str, Any]] = []
    query = {"baseline": "normal", "candidate_1": "slow", "candidate_2": "alike"}
    asking = threading.Thread(target=lambda: texts.extend(several.lines("api/verdicts", **query)))
    asking.start()
    assert becomes_true(lambda: (logs / "slow.pid").exists())
    several.close()
    asking.join(SOON_S)
    assert texts[-1]["error"]["code"] == "cancelled"
    assert not any("row" in one for one in texts)
