"""Distinct numbers, medians and quartiles equal those of numpy, without importing numpy.ma."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.arrays import (
    are_in,
    median,
    quartiles,
    row_medians,
    sample_quantile,
    stable_order,
    unique,
    unique_first,
    unique_places,
)  # fmt: skip
from tests.build import TraceBuilder

NUMBERS = st.lists(st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)).map(lambda n: np.array(n, dtype=np.int64))


@given(NUMBERS)
def test_unique_numbers_are_numpys(values: np.ndarray) -> None:
    found, first, places, counts = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    assert unique(values).tolist() == found.tolist()
    assert [part.tolist() for part in unique_places(values)] == [found.tolist(), places.tolist()]
    assert [part.tolist() for part in unique_first(values)] == [found.tolist(), first.tolist(), counts.tolist()]


@given(NUMBERS | st.lists(st.floats(allow_nan=False)).map(np.array))
def test_the_stable_order_is_numpys(values: np.ndarray) -> None:
    assert stable_order(values).tolist() == np.argsort(values, kind="stable").tolist()
    rows = np.stack([values, values[::-1]])
    assert stable_order(rows).tolist() == np.argsort(rows, axis=1, kind="stable").tolist()
    few = values.astype(np.int8) if values.dtype.kind == "i" else values
    assert stable_order(few).tolist() == np.argsort(few, kind="stable").tolist()


@given(NUMBERS, NUMBERS)
def test_membership_is_numpys(values: np.ndarray, expected: np.ndarray) -> None:
    assert are_in(values, expected).tolist() == np.isin(values, expected).tolist()


@given(NUMBERS.filter(len) | st.lists(st.floats(), min_size=1).map(np.array))
def test_the_median_is_numpys(values: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_equal(median(values) + 0.0, np.median(values) + 0.0)  # whatever the sign of zero


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(st.floats(), min_size=n, max_size=n), min_size=1)))
def test_the_medians_of_rows_are_numpys(rows: list[list[float]]) -> None:
    values = np.array(rows)
    with np.errstate(all="ignore"):
        np.testing.assert_equal(row_medians(values), np.median(values, axis=1))


@given(st.lists(st.integers(0, 2**52), min_size=1).map(np.array), st.sampled_from([0.1, 0.25, 0.75, 0.8, 0.9]))
def test_quantiles_are_numpys(values: np.ndarray, share: float) -> None:
    assert sample_quantile(values, share) == np.quantile(values, share)
    assert quartiles(values) == tuple(np.quantile(values, [0.25, 0.75]).tolist())


def test_a_trace_is_summarized_without_loading_masked_arrays(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 1, 50, dims=[[2, 3], [3, 4]])
    trace.kernel("gemm", 20, 60, launch=(5, 8))
    trace.memory(10, 512)
    path = trace.write(tmp_path / "worker0.1.pt.trace.json")
    code = (
        "import sys\n"
        "from tb_perfcompare.analysis.summarize import summarize\n"
        "from tb_perfcompare.model.recordings.recording import Origin\n"
        "from tb_perfcompare.sources.trace.torch_profiler import read_trace\n"
        "before = set(sys.modules)\n"
        f"summarize(read_trace({str(path)!r}), Origin('run', 'run'))\n"
        "print('numpy.ma' in set(sys.modules) - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "False"
