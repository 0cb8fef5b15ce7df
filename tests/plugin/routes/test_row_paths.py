"""api/row_paths: from where a row of a table was called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.workspace.queries import row_responses as path_answers
from tests.drawn_runs import write_run
from tests.plugin.server import PAIR, Server

ROW = {"table": "kernels", "row": "gemm_128x128", **PAIR}


def test_a_row_is_told_path_by_path(lasting: Server) -> None:
    found = lasting.json("api/row_paths", **ROW)
    assert found["schema"] == "tb_perfcompare.row_paths/1"
    way = found["ways"][0]
    assert [[found["frames"][number] for number in path["frames"]] for path in way["paths"]] == [
        [["operator", "aten::mm", "operators"]]
    ]
    assert way["paths"][0]["times"] == found["total"]["times"]
    assert way["rest"] == {"calls": [0, 0], "times": {"": [0, 0]}, "paths": 0}
    assert "with_stack" in found["ways"][1]["absent"]["baseline"]
    assert found["related"][0]["rows"][0]["table"] == "operators"
    assert found["call_tree"]["row"].startswith("gemm_128x128 › step")


def test_the_table_and_the_paths_say_the_same(lasting: Server) -> None:
    table = lasting.json("api/comparison", stream="0", **PAIR)["tables"]["kernels"]
    at = [column["name"] for column in table["columns"]].index("baseline_us")
    found = lasting.json("api/row_paths", **ROW)
    assert found["total"]["times"][""][0] / found["denominator"] / 1000 == pytest.approx(table["rows"][0][at])


def test_what_cannot_be_answered_is_an_error(lasting: Server) -> None:
    for query, status in (
        ({**PAIR}, 400),
        ({"table": "kernels", **PAIR}, 400),
        ({**ROW, "modules": "x"}, 400),
        ({**ROW, "row": "gone"}, 404),
        ({**ROW, "table": "steps"}, 404),
        ({**ROW, "modules": "together"}, 200),
    ):
        assert lasting.get("api/row_paths", **query).status_code == status, query


def test_a_known_answer_is_not_sent_again(lasting: Server) -> None:
    tag = lasting.get("api/row_paths", **ROW).headers["ETag"]
    assert lasting.get("api/row_paths", headers={"If-None-Match": tag}, **ROW).status_code == 304


def test_a_side_of_many_recordings_is_not_read_once_more(
    tmp_path: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_answers, "MAX_FILES", 2)
    write_run(tmp_path / "normal", spans=3, steps=2)
    write_run(tmp_path / "abnormal", steps=2)
    answer = serve(tmp_path).get("api/row_paths", **ROW)
    assert answer.status_code == 404
    assert "choose one worker or span" in answer.text
