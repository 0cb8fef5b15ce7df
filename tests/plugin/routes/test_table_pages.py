"""api/table, and the pages of the other routes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.drawn_runs import write_run
from tests.plugin.server import PAIR, Server


def test_a_page_continues_the_comparison(lasting: Server) -> None:
    whole = lasting.json("api/comparison", stream="0", **PAIR)
    steps = whole["tables"]["steps"]
    page = lasting.json("api/table", table="steps", offset="3", limit="4", tag=whole["tag"], **PAIR)
    assert page["rows"] == steps["rows"][3:7]
    assert (page["offset"], page["next_offset"], page["total_rows"], page["matching_rows"]) == (3, 7, 16, 16)
    assert page["columns"] == [column["name"] for column in steps["columns"]]


def test_rows_are_chosen_and_ordered(lasting: Server) -> None:
    asked = {"table": "steps", "filter": "baseline", "sort": "total_us:desc,step:asc", "columns": "step,total_us"}
    page = lasting.json("api/table", **asked, **PAIR)
    assert page["matching_rows"] == 8
    assert [row[1] for row in page["rows"]] == [1001.0] * 4 + [1000.0] * 4


def test_the_ledger_is_a_table_too(lasting: Server) -> None:
    page = lasting.json("api/table", table="ledger", filter="total", columns="name,delta_us", **PAIR)
    assert page["rows"] == [["total", 500.0]]


def test_files_that_changed_are_not_mixed_in(server: Server, tmp_path: Path) -> None:
    tag = server.json("api/comparison", stream="0", **PAIR)["tag"]
    write_run(tmp_path / "logs" / "normal", steps=9)
    refused = server.get("api/table", table="steps", tag=tag, **PAIR)
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "changed")
    assert server.get("api/table", table="steps", **PAIR).status_code == 200


def test_a_known_page_is_not_sent_again(lasting: Server) -> None:
    asked = {"table": "steps", "limit": "2", **PAIR}
    tag = lasting.get("api/table", **asked).headers["ETag"]
    again = lasting.get("api/table", headers={"If-None-Match": tag}, **asked)
    assert (again.status_code, again.data) == (304, b"")
    other = lasting.get("api/table", headers={"If-None-Match": tag}, offset="2", **asked)
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "bad_request"),
        ({"table": "steps", "offset": "-1"}, 400, "bad_request"),
        ({"table": "steps", "limit": "many"}, 400, "bad_request"),
        ({"table": "steps", "sort": "step:up"}, 400, "bad_request"),
        ({"table": "steps", "min_delta_us": "1e3"}, 400, "bad_request"),
        ({"table": "steps", "clear": "yes"}, 400, "bad_request"),
        ({"table": "nothing"}, 404, "selection"),
        ({"table": "steps", "sort": "nothing:asc"}, 404, "selection"),
        ({"table": "steps", "columns": "nothing"}, 404, "selection"),
    ],
)
def test_what_cannot_be_asked_for(lasting: Server, query: dict[str, str], status: int, code: str) -> None:
    answer = lasting.get("api/table", **query, **PAIR)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)


def test_the_comparison_is_computed_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.json("api/comparison", stream="0", **PAIR)
    monkeypatch.setattr(server.plugin.workspace, "_answer", None)
    assert server.json("api/table", table="steps", **PAIR)["total_rows"] == 16


def test_views_have_pages(lasting: Server) -> None:
    whole = lasting.json("api/view", run="normal", view="steps")["table"]
    assert (whole["total_rows"], whole["next_offset"]) == (8, None)
    page = lasting.json("api/view", run="normal", view="steps", offset="6", limit="1", sort="step:desc")["table"]
    assert (page["rows"], page["next_offset"]) == ([whole["rows"][1]], 7)
    answer = lasting.get("api/view", run="normal", view="steps")
    again = lasting.get("api/view", run="normal", view="steps", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_the_strict_answer_is_cut_and_paged(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = server.json("api/strict", **PAIR)
    table = whole["tables"]["triplets"]
    asked = {"table": "triplets", "tag": whole["tag"], **PAIR}
    page = server.json("api/strict", **asked, limit="1", offset="1")
    assert (page["rows"], page["total_rows"]) == (table["rows"][1:2], len(table["rows"]))
    assert server.get("api/strict", **{**asked, "tag": "another"}).status_code == 409
    assert server.get("api/strict", **{**asked, "table": "nothing"}).status_code == 404
    size = len(server.get("api/strict", **PAIR).data) - 200
    for module in ("wire.pages", "strict.wire"):
        monkeypatch.setattr(f"tb_perfcompare.render.{module}.MAX_BYTES", size)
    answer = server.get("api/strict", **PAIR)
    assert len(answer.data) <= size
    cut = answer.json
    left = cut["tables"]["triplets"]
    assert left["left_out"]["rows"] == left["total_rows"] - len(left["rows"]) > 0


def test_an_unchanged_listing_is_not_sent_again(server: Server, serve: Callable[..., Server]) -> None:
    tag = server.get("api/runs").headers["ETag"]
    again = server.get("api/runs", rescan="1", headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
