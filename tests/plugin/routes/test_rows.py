"""api/rows: several rows of a table, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.build import TraceBuilder
from tests.plugin.server import PAIR, Server

TABLE = {"table": "operators", "sort": "name:asc", **PAIR}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Four operators a side, of which one is another; those of abnormal become slower from step to step."""
    folder = tmp_path_factory.mktemp("logs")
    for run, drift, last in (("normal", 0, "aten::relu"), ("abnormal", 9, "aten::gelu")):
        trace = TraceBuilder()
        for step in range(5):
            at = 1000 * step
            trace.step(step, at, at + 900)
            for place, name in enumerate(("aten::mm", "aten::add", "aten::mul", last)):
                start = at + 100 * place
                trace.op(name, start, start + 50 + place + step % 2 + drift * step)
        trace.write(folder / run / "worker0.1700000000001.pt.trace.json")
    found = Server(folder)
    yield found
    found.close()


def test_rows_are_those_that_api_table_sends_with_the_times_that_api_row_has(server: Server) -> None:
    chosen = {**TABLE, "sort": "name:desc", "filter": "-relu"}
    rows = server.json("api/table", **chosen)["rows"]
    found = server.json("api/rows", places="0,2-3", **chosen)
    assert (found["schema"], found["places"]) == ("tb_perfcompare.rows/1", [0, 2, 3])
    assert [rows[place][0] for place in found["places"]] == ["aten::mul", "aten::gelu", "aten::add"]
    assert (found["rows"][1]["baseline"], found["steps"]["candidate"]) == (None, 5)
    for place, line in zip(found["places"], found["rows"], strict=True):
        one = server.json("api/row", row=rows[place][0], **TABLE)
        for side in ("baseline", "candidate"):
            assert (line[side] or {}).get("low_us") == (one[side]["time_us"] or {}).get("")


def test_swapping_the_sides_swaps_the_lines(server: Server) -> None:
    def by_name(**pair: str) -> dict[str, Any]:
        names = [row[0] for row in server.json("api/table", table="operators", **pair)["rows"]]
        return dict(zip(names, server.json("api/rows", table="operators", places="0-99", **pair)["rows"], strict=True))

    there = by_name(**PAIR)
    back = by_name(baseline="abnormal", candidate="normal")
    assert len(there) == 5
    for name, line in back.items():
        assert there[name] == {"baseline": line["candidate"], "candidate": line["baseline"]}


def test_another_time_of_the_table(server: Server) -> None:
    name = server.json("api/table", **TABLE)["rows"][0][0]
    found = server.json("api/rows", places="0", measure="host_total", **TABLE)
    one = server.json("api/row", row=name, **TABLE)
    assert found["measure"] == {"name": "host_total", "label": "Host total"}
    assert found["rows"][0]["baseline"]["low_us"] == one["baseline"]["time_us"]["host_total"]


def test_few_points_keep_the_extremes(server: Server) -> None:
    whole = server.json("api/rows", places="0", **TABLE)["rows"][0]["baseline"]
    few = server.json("api/rows", places="0", points="2", **TABLE)["rows"][0]["baseline"]
    assert few == {"median_us": whole["median_us"], "low_us": [min(whole["low_us"])], "high_us": [max(whole["low_us"])]}


def test_a_range_of_steps_narrows_the_lines(server: Server) -> None:
    steps = server.json("api/row", row=server.json("api/table", **TABLE)["rows"][0][0], **TABLE)["baseline"]["steps"]
    found = server.json("api/rows", places="0", baseline_steps=f"{steps[1]}-{steps[2]}", **TABLE)
    assert found["steps"]["baseline"] == len(found["rows"][0]["baseline"]["low_us"]) == 2


def test_places_beyond_the_last_row_have_none(server: Server) -> None:
    assert server.json("api/rows", places="99990-99999", **TABLE)["rows"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"places": "0"}, 400),
        ({"table": "operators"}, 400),
        ({"table": "operators", "places": "3-"}, 400),
        ({"table": "operators", "places": "0-500"}, 400),
        ({"table": "operators", "places": "0-300,400-600"}, 400),
        ({"table": "operators", "places": "0", "points": "many"}, 400),
        ({"table": "steps", "places": "0"}, 404),
        ({"table": "operators", "places": "0", "measure": "weight"}, 404),
        ({"table": "operators", "places": "0", "tag": "of-other-files"}, 409),
    ],
)
def test_what_cannot_be_answered_is_an_error(server: Server, query: dict[str, str], status: int) -> None:
    assert server.get("api/rows", **query, **PAIR).status_code == status


def test_a_known_answer_is_not_sent_again(server: Server) -> None:
    asked = {"places": "0-3", **TABLE}
    tag = server.get("api/rows", **asked).headers["ETag"]
    assert server.get("api/rows", headers={"If-None-Match": tag}, **asked).status_code == 304
    assert server.get("api/rows", headers={"If-None-Match": tag}, **{**asked, "points": "4"}).status_code == 200
