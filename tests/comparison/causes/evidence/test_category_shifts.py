"""The shift of a category's exposed time per step."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.compare import compare, rows_of
from tests.drawn_runs import drawn_trace

USUAL, SLOW_LOADER = drawn_trace(), drawn_trace(extra_us=500)


def shifts(a: TraceBuilder, b: TraceBuilder) -> dict[str, tuple[float | None, ...]]:
    rows = rows_of(compare(a, b).tables["categories"])
    return {name: (row["shift_low_us"], row["shift_us"], row["shift_high_us"]) for name, row in rows.items()}


def test_a_slower_loader_shifts_its_category_alone() -> None:
    found = shifts(USUAL, SLOW_LOADER)
    assert found["DataLoader"] == (500.0, 500.0, 500.0)
    assert found["Kernel"] == (0.0, 0.0, 0.0)
    low, middle, high = found["Other"]
    assert low is not None and middle is not None and high is not None
    assert low <= middle <= high


def test_swapping_the_sides_negates_and_exchanges_the_ends() -> None:
    forward, swapped = shifts(USUAL, SLOW_LOADER), shifts(SLOW_LOADER, USUAL)
    for label, (low, middle, high) in forward.items():
        assert low is not None and middle is not None and high is not None
        assert swapped[label] == (-high, -middle, -low), label


def test_one_step_has_no_shifts() -> None:
    one_step = drawn_trace(steps=1)
    assert set(shifts(one_step, one_step).values()) == {(None, None, None)}
