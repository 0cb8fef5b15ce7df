"""Columns of a row: tests of plain and exposed time, effect size, adjusted p."""

from __future__ import annotations

from functools import cache

import numpy as np

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, notes_of, rows_of

STEPS = 10


def run(kernel: list[int], hidden: list[int], seed: int, span: str = "1") -> Summary:
    """Steps of 1 ms with an exposed kernel and one hidden behind a longer one, of these lengths."""
    random = np.random.default_rng(seed)
    trace = TraceBuilder()
    at = 0
    for number, (open_us, beside_us) in enumerate(zip(kernel, hidden, strict=True)):
        length = 1000 + int(random.integers(0, 20)) + open_us
        trace.step(number, at, at + length)
        trace.op("aten::mm", at, at + length)
        trace.kernel("gemm", at + 10, at + 10 + open_us)
        trace.kernel("cover", at + 400, at + 800, stream=8)
        trace.kernel("hidden", at + 450, at + 450 + beside_us, stream=9)
        at += length
    return summary(trace, span=span)


def jitter(around: int, seed: int) -> list[int]:
    return [around + int(value) for value in np.random.default_rng(seed).integers(-4, 5, STEPS)]


def row(found: Comparison, table: str, key: str) -> dict[str, Cell]:
    return rows_of(found.tables[table])[key]


@cache
def compared() -> Comparison:
    """The kernel takes 60 µs more, the hidden one 80 µs."""
    baseline, candidate = run(jitter(200, 1), jitter(100, 2), 3), run(jitter(260, 4), jitter(180, 5), 6)
    return compare(baseline, candidate)


def test_a_slower_kernel_has_its_effect_size() -> None:
    kernel = row(compared(), "kernels", "gemm")
    assert (kernel["change"], kernel["effect_size"]) == ("slower", 1.0)
    assert isinstance(kernel["q"], float) and isinstance(kernel["p"], float)
    assert kernel["p"] <= kernel["q"] <= 0.05


def test_exposed_time_is_tested_as_well() -> None:
    """The hidden kernel grew, but the step does not wait for it."""
    found = compared()
    assert row(found, "kernels", "gemm")["exposed_change"] == "slower"
    hidden = row(found, "kernels", "hidden")
    assert hidden["change"] == "slower"
    delta, exposed = hidden["delta_us"], hidden["exposed_delta_us"]
    assert isinstance(delta, float) and isinstance(exposed, float)
    assert abs(exposed) < delta


def test_categories_are_one_family() -> None:
    found = compared()
    p, q = (row(found, "categories", "Kernel")[name] for name in ("p", "q"))
    assert isinstance(p, float) and isinstance(q, float)
    assert p <= q
    assert row(found, "categories", "Communication")["q"] is None


def test_a_row_with_captures_far_apart_is_undecided() -> None:
    levels = ((200, 290), (280, 370))
    sides = [
        pool([run(jitter(level, 10 * level), jitter(100, level), level, str(span)) for span, level in enumerate(side)])
        for side in levels
    ]
    found = compare(sides[0], sides[1])
    assert row(found, "kernels", "gemm")["change"] == "cannot tell"


def test_a_drift_comes_with_the_part_that_can_be_compared() -> None:
    steady = run(jitter(200, 1) * 2, [100] * 20, 3)
    moved = run([*jitter(200, 4), *jitter(500, 5)], [100] * 20, 6)
    found = compare(steady, moved)
    (note,) = notes_of(found, NoteCode.DRIFT)
    assert note.endswith("; --candidate-steps 10-19 compares that part")
