"""Listings drawn in a line: "gemm 30 .8 .1, copy 5 - .9" is two launches, with microseconds, tensor pipe and DRAM."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from tb_perfcompare.analysis.listings.launches import summarize_launches
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.recordings.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.recordings.recording import Origin, ReadStats
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.summary import Summary

Launch = tuple[str, int, float, float]
"""Name, nanoseconds, tensor pipe, DRAM."""


def drawn(line: str) -> Summary:
    """Launches separated by commas; figures that are left out are 1 µs and not measured."""
    found: list[Launch] = []
    for text in line.split(","):
        name, *figures = text.split()
        dur, tensor, dram = [*figures, *("1", "-", "-")[len(figures) :]]
        found.append((name, round(float(dur) * 1000), _fraction(tensor), _fraction(dram)))
    return side(found)


def _fraction(text: str) -> float:
    return math.nan if text == "-" else float(text)


def letters(text: str) -> Summary:
    """One launch of 1 µs per letter."""
    return side([(letter, 1000, math.nan, math.nan) for letter in text])


def side(launches: list[Launch], name: str = "drawn.txt") -> Summary:
    strings = StringTable()
    table = LaunchTable(
        strings,
        np.array([strings.intern(launch[0]) for launch in launches], dtype=np.int32),
        np.array([launch[1] for launch in launches], dtype=np.int64),
        np.array([launch[2] for launch in launches], dtype=np.float64),
        np.array([launch[3] for launch in launches], dtype=np.float64),
    )
    stats = ReadStats(len(table), len(table), {}, {}, 0, True, "drawn")
    recording = LaunchRecording(FileFacts(name, 0), table, stats, ())
    return summarize_launches(recording, Origin(name, name))


def column(table: Table, name: str) -> list[Cell]:
    index = [column.name for column in table.columns].index(name)
    return [row[index] for row in table.rows]


def sentences(comparison: Comparison) -> list[str]:
    return [finding.sentence for finding in comparison.findings]


NAMES = (
    "gemm", "copy", "void at::native::vectorized_elementwise_kernel<4>(int)", "void at::native::vectorized_element...",
    "void at::native::vectorized_elementwise_kernel<8>(int)", "ampere_h884gemm",
)  # fmt: skip


@st.composite
def listings(draw: st.DrawFn, most: int = 12) -> Summary:
    """A few launches of a few kernels, with every kind of figure, names cut or not."""
    figure = st.just(math.nan) | st.sampled_from((0.0, 0.01, 0.05, 0.3, 0.6, 0.9, 1.2))
    launch = st.tuples(st.sampled_from(NAMES), st.integers(0, 2_000_000), figure, figure)
    return side(draw(st.lists(launch, min_size=1, max_size=most)))
