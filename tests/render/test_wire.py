"""The JSON form: its schema, its order, its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tb_perfcompare.comparison.result.headline import Shift
from tb_perfcompare.render.formats import render
from tb_perfcompare.render.wire import json_encoding as wire
from tests.render.examples import NASTY_NAMES, comparison, headline

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "guide" / "comparison.schema.json").read_text("utf-8"))


def decoded(**asked: Any) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} in JSON")

    return json.loads(render(comparison(), "json", **asked), parse_constant=refuse)


def test_the_json_follows_its_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(decoded(), SCHEMA)


def test_the_schema_rejects_missing_and_wrong_values() -> None:
    for change in ({"headline": None}, {"schema": "other/1"}, {"window": 3}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(decoded() | change, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: value for key, value in decoded().items() if key != "ledger"}, SCHEMA)


def test_absent_and_not_a_number_are_null_and_zero_stays_zero() -> None:
    rows = decoded()["tables"]["operators"]["rows"]
    assert rows[1][2] is None
    assert rows[2][4] is None
    assert decoded()["ledger"]["rows"][0]["count_effect"] == 0


def test_names_are_kept_exactly() -> None:
    assert [row[0] for row in decoded()["tables"]["operators"]["rows"]] == list(NASTY_NAMES)


def test_keys_are_in_the_documented_order() -> None:
    assert list(decoded()) == [
        "schema", "version", "baseline", "candidate", "window", "headline", "ledger", "findings", "unexplained_us",
        "no_finding", "comparability", "tables", "notes", "peaks",
    ]  # fmt: skip


def test_ledger_integers_are_exact_beyond_double_precision() -> None:
    big = 2**60 + 1
    assert json.loads(wire.encode({"value": big})) == {"value": big}


def test_infinite_bounds_of_a_shift_are_null() -> None:
    shift = Shift(0.1, float("-inf"), float("inf"), 1.0, float("-inf"), float("inf"), None)
    answer = comparison(headline=headline(shift=shift)).to_dict()
    assert answer["headline"]["shift"]["low"] is None
    jsonschema.validate(answer, SCHEMA)


def test_table_and_top_narrow_the_tables_with_a_note() -> None:
    table = decoded(table="operators", top=2)["tables"]["operators"]
    assert len(table["rows"]) == 2
    assert table["notes"][-1] == f"first 2 of {len(NASTY_NAMES)} rows"
    assert decoded(table="ledger")["tables"] == {}


@pytest.mark.parametrize("name", [*NASTY_NAMES, "\u2028", "\x00", "\ud800", "\ud83d\ude00"])
def test_indented_json_equals_the_standard_library(name: str) -> None:
    value = {name: [name, 1.5, 1e22, 1e-7, -0.0, 10**30, None, True], "": {}, "empty": [[], {}, [1, [2]]]}
    standard = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    assert wire.json_document(value) == standard.encode("utf-8", "backslashreplace") + b"\n"
