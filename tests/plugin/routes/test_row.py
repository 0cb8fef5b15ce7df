"""api/row: one row of a table, step by step."""

from __future__ import annotations

import pytest

from tests.plugin.server import PAIR, Server


def test_a_row_has_a_time_in_every_step(lasting: Server) -> None:
    whole = lasting.json("api/comparison", stream="0", **PAIR)
    table = whole["tables"]["operators"]
    name = table["rows"][0][0]
    found = lasting.json("api/row", table="operators", row=name, **PAIR)
    assert found["schema"] == "tb_perfcompare.row/1"
    assert found["measures"][0]["name"] == ""
    for side, column in (("baseline", "baseline_us"), ("candidate", "candidate_us")):
        steps, times = found[side]["steps"], found[side]["time_us"][""]
        assert len(steps) == len(times) == whole[side]["steps"]["admitted"]
        at = [one["name"] for one in table["columns"]].index(column)
        assert sum(times) / len(times) == pytest.approx(table["rows"][0][at])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 400),
        ({"table": "operators"}, 400),
        ({"table": "steps", "row": "1"}, 404),
        ({"table": "operators", "row": "gone"}, 404),
    ],
)
def test_what_cannot_be_answered_is_an_error(lasting: Server, query: dict[str, str], status: int) -> None:
    assert lasting.get("api/row", **query, **PAIR).status_code == status


def test_a_known_answer_is_not_sent_again(lasting: Server) -> None:
    name = lasting.json("api/comparison", stream="0", **PAIR)["tables"]["operators"]["rows"][0][0]
    asked = {"table": "operators", "row": name, **PAIR}
    tag = lasting.get("api/row", **asked).headers["ETag"]
    assert lasting.get("api/row", headers={"If-None-Match": tag}, **asked).status_code == 304
