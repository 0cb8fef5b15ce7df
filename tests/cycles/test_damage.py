"""Whatever a file holds, it is a comparison or an error for the user; figures are never infinite."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.render.wire import json_encoding as wire
from tests.comparison.compare import assert_finite, compare
from tests.cycles.drawn import HEADER, Fn, cycle, gemm, host, summary, write

ORDINARY = (
    cycle(1, 1000, gemm(20, gpu_frequency=141000, gpu_usage=5), Fn("cast", 5, 2), host(900, cpu_frequency=87.5)),
    cycle(2, 1100, gemm(22, gpu_frequency=141000, gpu_usage=6), Fn("cast", 5, 2), host(990, cpu_frequency=87.5)),
)


def read(path: Path) -> Summary | None:
    try:
        return summary(path)
    except InputError as error:
        assert str(path.name) in str(error) and error.hint
        return None


def assert_comparable(found: Summary, other: Summary) -> None:
    for got in (compare(found, other), compare(other, found), compare(found, found)):
        assert_finite(got)
        json.loads(wire.encode(got.to_dict()))
    assert compare(found, found).headline.delta == 0


@given(place=st.integers(0, 1200), put=st.binary(max_size=6), cut=st.integers(0, 60))
def test_a_damaged_file_is_compared_or_refused(tmp_path: Path, place: int, put: bytes, cut: int) -> None:
    whole = write(tmp_path / "whole_perf_data.csv", *ORDINARY)
    data = whole.read_bytes()
    damaged = tmp_path / "damaged_perf_data.csv"
    damaged.write_bytes(data[:place] + put + data[place + cut :])
    found = read(damaged)
    if found is not None:
        assert_comparable(found, summary(whole))


cells = st.sampled_from(["", "0", "-1", "1e-300", "1e300", "-1e300", "9e15", "N/A", "3.5", "GPU 7 (virtual)", "Host"])


@given(changes=st.lists(st.tuples(st.integers(0, 7), st.sampled_from(HEADER), cells), min_size=1, max_size=4))
def test_odd_cells_are_compared_or_refused(tmp_path: Path, changes: list[tuple[int, str, str]]) -> None:
    rows = [dict(row) for rows in ORDINARY for row in rows]
    for row, column, cell in changes:
        rows[row % len(rows)][column] = cell
    found = read(write(tmp_path / "odd_perf_data.csv", rows))
    if found is not None:
        assert_comparable(found, summary(write(tmp_path / "whole_perf_data.csv", *ORDINARY)))
