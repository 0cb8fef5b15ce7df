"""A long history in pages: together they are the history, and none is large."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from build_support.wire_types import json_schema
from tb_perfcompare.comparison.history import history_of
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.saved.history import PointFacts
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tb_perfcompare.workspace.listing import history
from tb_perfcompare.workspace.listing.history import LatestHistory, SeriesPoints
from tb_perfcompare.workspace.listing.history_responses import HistoryAnswerDict, history_answer, history_dict
from tb_perfcompare.workspace.listing.index import Listing
from tests.history.series import DAY_S, FIRST_S


def point(number: int, *, device: str = "NVIDIA A100-SXM4-40GB") -> PointFacts:
    """A tenth slower from point 200 on."""
    time_ns = (1e7 if number < 200 else 1.1e7) + 1e4 * (number % 7)
    return PointFacts(
        version="0.1.0", label=f"r{number}", at_s=FIRST_S + number * DAY_S, run="normal", metric="step_time",
        device=device, count=20, admitted=20, mean_ns=time_ns, median_ns=time_ns, quartiles_ns=(time_ns, time_ns),
    )  # fmt: skip


def series(points: list[PointFacts], problems: int = 0) -> SeriesPoints:
    runs = tuple(f"nightly/{point.label}" for point in points)
    wrong = tuple(Note(NoteCode.FILE_FAILED, "x" * 1000, f"point {number}") for number in range(problems))
    return SeriesPoints("nightly", runs, history_of(points), wrong)


def pages(found: SeriesPoints) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    offset: int | None = 0
    while offset is not None:
        body = history_answer(Listing((), (), ()), found, offset)
        assert len(body) <= MAX_BYTES
        out.append(json.loads(body))
        offset = out[-1]["history"].get("next_offset")
    return out


def test_a_short_history_is_one_page() -> None:
    found = series([point(number) for number in range(10)])
    assert pages(found) == [json.loads(json.dumps(history_dict(Listing((), (), ()), found)))]
    jsonschema.validate(pages(found)[0], json.loads(json_schema("history", HistoryAnswerDict)))


def test_pages_of_a_long_history_have_every_point_once() -> None:
    found = series([point(number, device="a device of a long name " * 8) for number in range(2_000)])
    several = pages(found)
    assert len(several) > 1
    labels = [one["label"] for page in several for one in page["history"]["points"]]
    assert labels == [f"r{number}" for number in range(2_000)]
    assert [one["point"] for page in several for one in page["history"]["changes"]] == [200]
    assert {page["history"]["total_points"] for page in several} == {2_000}


def test_problems_that_do_not_fit_are_counted() -> None:
    (page,) = pages(series([point(0)], problems=500))
    kept = page["history"]["problems"]
    assert 0 < len(kept) < 500
    assert page["history"]["problems_left_out"] == 500 - len(kept)


def test_pages_of_one_listing_share_one_history(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Listing] = []

    def make(listing: Listing, name: str) -> SeriesPoints:
        made.append(listing)
        return series([point(0)])

    monkeypatch.setattr(history, "series_history", make)
    latest, first, second = LatestHistory(), Listing((), (), ()), Listing((), (), ())
    for listing in (first, first, second):
        latest.of(listing, "nightly")
    assert made == [first, second] and made[0] is first and made[1] is second
