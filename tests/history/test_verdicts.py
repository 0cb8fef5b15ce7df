"""The verdict of each point of a series against the level before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.history import SeriesHistory, history_of
from tb_perfcompare.model.saved.history import PointFacts


def history(*medians_us: float | None, devices: str = "") -> SeriesHistory:
    return history_of(
        [
            PointFacts(
                "1", f"r{at}", 1000 + at, "run", "step_time", devices[at] if devices else "GPU", 9, 9,
                None if time is None else time * 1000, None if time is None else time * 1000,
            )
            for at, time in enumerate(medians_us)
        ]
    )  # fmt: skip


def verdicts(found: SeriesHistory) -> list[str | None]:
    return [standing.verdict for standing in found.standings]


def test_the_first_point_of_a_slower_level_is_slower_and_the_rest_the_same() -> None:
    found = history(*[100, 100.5] * 4, *[150, 150.5] * 4)
    assert verdicts(found) == [None, *["same"] * 7, "slower", *["same"] * 7]
    assert [(segment.first, segment.last, segment.typical_us) for segment in found.segments] == [
        (0, 7, 100.25),
        (8, 15, 150.25),
    ]
    (change,) = found.changes
    assert (change.point, change.verdict) == (8, "slower")
    assert found.standings[8].difference == pytest.approx(150 / 100.25 - 1)


def test_a_level_that_falls_is_faster() -> None:
    assert "faster" in verdicts(history(*[150, 151] * 4, *[100, 101] * 4))


def test_a_far_last_point_cannot_be_judged_yet() -> None:
    found = history(*[100, 101] * 5, 150)
    assert found.changes == ()
    assert found.standings[-1].verdict == "cannot_tell"
    assert found.standings[-1].difference == pytest.approx(150 / 100.5 - 1)


def test_a_point_without_times_is_listed_without_a_verdict() -> None:
    found = history(*[100, 101] * 4, None, *[150, 151] * 4)
    (change,) = found.changes
    assert change.point == 9
    assert (found.standings[8].segment, found.standings[8].verdict) == (None, None)
    assert "1 of 17 points have no step times" in found.notes


def test_a_short_series_has_a_note() -> None:
    (note,) = history(100, 200).notes
    assert note == "finding a change of level takes 8 points; there are 2"


def test_different_devices_are_reported() -> None:
    assert "the points come from different devices: A, B" in history(100, 100, devices="AB").notes


def test_no_points_and_unmeasured_points_have_no_verdicts() -> None:
    assert history().segments == ()
    assert verdicts(history(None, None)) == [None, None]


def test_a_far_point_that_changes_no_level_is_an_outlier() -> None:
    found = history(*[100, 101] * 5, 150, *[100, 101] * 5)
    assert found.changes == ()
    assert [place for place, one in enumerate(found.standings) if one.outlier] == [10]


def test_a_change_of_level_has_no_outliers() -> None:
    assert not any(standing.outlier for standing in history(*[100, 101] * 4, *[150, 151] * 4).standings)


def test_a_point_within_the_margin_is_no_outlier_of_a_constant_series() -> None:
    assert not any(standing.outlier for standing in history(*[100] * 10, 100.9, *[100] * 10).standings)


def test_a_point_of_another_metric_hides_no_change() -> None:
    steps = history(*[100, 101] * 4, 150, *[150, 151] * 4).points
    stranger = replace(steps[8], metric="kernel_time", median_ns=9.0)
    found = history_of([*steps[:8], stranger, *steps[9:]])
    assert found.standings[8].verdict is None and found.points[8] is stranger
    (change,) = found.changes
    assert (change.point, change.verdict) == (9, "slower")
    assert "1 of 17 points measure something else (kernel time instead of step time)" in found.notes[-1]
