"""ncu --csv exports of both pages, as ncu writes them and as they get damaged."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.errors import CorruptInput, InputError, UnrecognisedFormat
from tb_perfcompare.model.formats import NCU
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.sources.ncu.csv_export import read_ncu
from tb_perfcompare.sources.recognition.format_sniffers import looks_known, why_not_ncu
from tb_perfcompare.sources.registry import read
from tests.comparison.compare import notes_of
from tests.ncu.exports import (
    DRAM,
    DURATION,
    OCCUPANCY,
    PROGRESS,
    SM,
    TENSOR,
    Launch,
    details_page,
    launch,
    raw_page,
    write,
)

Page = Callable[..., str]
GEMM = "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(T1::Params)"
THREE = [launch(GEMM, 1_234_567, 80.25, 10.5), launch("copy(float *, int)", 500, 0.0, 90.0), launch(GEMM, 3000, 70.0)]


def recording(folder: Path, content: str | bytes) -> LaunchRecording:
    got = read(write(folder, content))
    assert isinstance(got, LaunchRecording)
    return got


def names(got: LaunchRecording) -> list[str]:
    return [got.launches.strings[int(code)] for code in got.launches.name]


def note(got: LaunchRecording, code: NoteCode) -> str:
    return notes_of(got, code)[0]


@pytest.mark.parametrize(
    "content",
    [raw_page(THREE), details_page(THREE), details_page(THREE, labels=False), details_page(THREE, rules=True)],
    ids=["raw", "details", "details of --metrics", "details with rules"],
)
def test_both_pages_read_the_same(tmp_path: Path, content: str) -> None:
    got = recording(tmp_path, content)
    assert got.format == NCU and got.notes == ()
    assert names(got) == [GEMM, "copy(float *, int)", GEMM]
    assert got.launches.dur_ns.tolist() == [1_234_567, 500, 3000]
    assert got.launches.tensor.tolist() == [0.8025, 0.0, 0.7]
    assert got.launches.dram.tolist()[:2] == [0.105, 0.9] and math.isnan(got.launches.dram[2])
    assert got.metrics == {"tensor_active": TENSOR, "dram_active": DRAM}
    assert (got.compute_capability, got.devices, got.stats.kept) == ("8.0", 1, 3)


@pytest.mark.parametrize(
    ("unit", "cell", "ns"),
    [("ns", "2,848", 2848), ("nsecond", "2848", 2848), ("us", "1,234.56", 1_234_560), ("usecond", "5.44", 5440),
     ("ms", "2.5", 2_500_000), ("msecond", "0.001", 1000), ("s", "1", 10**9), ("second", "4.0e-05", 40_000),
     ("ns", "2848.000000", 2848), ("us", "1’234.5", 1_234_500)],
)  # fmt: skip
@pytest.mark.parametrize("page", [raw_page, details_page])
def test_durations_in_every_unit_old_and_new(tmp_path: Path, page: Page, unit: str, cell: str, ns: int) -> None:
    got = recording(tmp_path, page([launch("gemm", cell, 1.0)], {DURATION: unit}))
    assert got.launches.dur_ns.tolist() == [ns]


def test_occupancy_and_sm_throughput_are_kept(tmp_path: Path) -> None:
    with_both = Launch("gemm", {DURATION: "100", OCCUPANCY: "33.10", SM: "50"})
    got = recording(tmp_path, details_page([with_both, launch("copy", 10)])).launches
    assert got.occupancy is not None and got.sm is not None
    assert got.occupancy[0] == pytest.approx(0.331) and math.isnan(got.occupancy[1])
    assert got.sm[0] == 0.5
    assert recording(tmp_path, raw_page(THREE)).launches.occupancy is None


@pytest.mark.parametrize("labels", [True, False])
def test_an_export_appended_without_its_header_holds_other_launches(tmp_path: Path, labels: bool) -> None:
    page = details_page(THREE, labels=labels)
    header = next(line for line in page.splitlines() if line.startswith('"ID"'))
    rows = page.partition(header)[2].lstrip()
    got = recording(tmp_path, page + rows)
    assert got.launches.dur_ns.tolist() == [1_234_567, 500, 3000] * 2
    assert got.launches.tensor.tolist() == [0.8025, 0.0, 0.7] * 2


def test_the_older_layout_has_other_columns_and_a_blank_line(tmp_path: Path) -> None:
    old = (
        '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name",'
        '"Metric Name","Metric Unit","Metric Value"\n\n'
        '"0","21524","cfd","127.0.0.1","step_factor","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","SOL DRAM",'
        '"%","39.60"\n'
        '"0","21524","cfd","127.0.0.1","step_factor","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","Duration",'
        '"usecond","11.73"\n'
    )
    got = recording(tmp_path, old)
    assert names(got) == ["step_factor"]
    assert (got.launches.dur_ns.tolist(), got.launches.dram.tolist()) == ([11_730], [0.396])


def test_metric_names_may_follow_labels(tmp_path: Path) -> None:
    both = details_page(THREE).replace('"Duration"', f'"Duration ({DURATION})"')
    both = both.replace('"DRAM Throughput"', f'"DRAM Throughput {DRAM}"')
    assert recording(tmp_path, both).metrics["dram_active"] == DRAM


def test_memory_throughput_is_not_dram_throughput(tmp_path: Path) -> None:
    other = details_page([launch("gemm", 100, 1.0, 20.0)]).replace('"DRAM Throughput"', '"Memory Throughput"')
    got = recording(tmp_path, other)
    assert math.isnan(got.launches.dram[0])
    assert "no metric for the memory" in note(got, NoteCode.FIGURES_MISSING)


def test_the_best_metric_that_any_launch_carries_is_used_for_all(tmp_path: Path) -> None:
    active = TENSOR.replace("elapsed", "active")
    a = Launch("a", {DURATION: "10", TENSOR: "40", active: "80"})
    b = Launch("b", {DURATION: "10", active: "60"})
    got = recording(tmp_path, raw_page([a, b]))
    assert got.metrics["tensor_active"] == TENSOR
    assert got.launches.tensor[0] == 0.4 and math.isnan(got.launches.tensor[1])
    nowhere = Launch("a", {DURATION: "10", TENSOR: "n/a", active: "80"})
    assert recording(tmp_path, raw_page([nowhere, b])).metrics["tensor_active"] == active


def test_bytes_of_both_directions_add_up_and_one_alone_is_ignored(tmp_path: Path) -> None:
    read_, written = (f"dram__bytes_{way}.sum.pct_of_peak_sustained_elapsed" for way in ("read", "write"))
    both = recording(tmp_path, raw_page([Launch("a", {DURATION: "10", read_: "30", written: "12"})]))
    assert both.launches.dram.tolist() == [0.42] and both.metrics["dram_active"] == f"{read_} + {written}"
    assert "dram_active" not in recording(tmp_path, raw_page([Launch("a", {DURATION: "10", read_: "30"})])).metrics


def test_several_devices_and_processes_are_kept_and_reported(tmp_path: Path) -> None:
    two = [launch("a", 10, 1.0, 1.0), launch("b", 20, 1.0, 1.0, process="4712", device="1")]
    for page in (raw_page, details_page):
        got = recording(tmp_path, page(two))
        assert (len(got.launches), got.devices) == (2, 2)
        mixed = notes_of(got, NoteCode.MIXED_LAUNCHES)
        assert [text.split(" are")[0] for text in mixed] == ["launches of 2 devices", "launches of 2 processes"]


def test_equal_ids_of_two_processes_are_two_launches(tmp_path: Path) -> None:
    text = details_page([launch("a", 10)]) + details_page([launch("a", 20, process="9")], before="").partition("\n")[2]
    assert recording(tmp_path, text).launches.dur_ns.tolist() == [10, 20]


def test_the_device_s_model_is_read_where_the_export_has_it(tmp_path: Path) -> None:
    named = Launch("a", {DURATION: "10", "device__attribute_display_name": "NVIDIA A100-SXM4-40GB"})
    assert recording(tmp_path, raw_page([named, named])).device_name == "NVIDIA A100-SXM4-40GB"


def test_concatenated_exports_are_one(tmp_path: Path) -> None:
    one, other = raw_page([launch("a", 10, 5.0)]), raw_page([launch("b", 20)], before="==PROF== Disconnected\n")
    got = recording(tmp_path, one + other)
    assert names(got) == ["a", "b"] and got.launches.dur_ns.tolist() == [10, 20]
    assert got.launches.tensor[0] == 0.05 and math.isnan(got.launches.tensor[1])


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [raw_page, details_page])
@pytest.mark.parametrize("change", ["gzip", "crlf", "mark", "crlf and mark in gzip"])
def test_line_ends_byte_order_marks_and_compression_read_the_same(tmp_path: Path, page: Page, change: str) -> None:
    content = page(THREE).encode()
    content = content.replace(b"\n", b"\r\n") if "crlf" in change else content
    content = b"\xef\xbb\xbf" + content if "mark" in change else content
    content = gzip.compress(content) if "gzip" in change else content
    got = recording(tmp_path, content)
    assert got.launches.dur_ns.tolist() == [1_234_567, 500, 3000] and got.notes == ()


def test_truncated_rows_are_dropped_and_counted(tmp_path: Path) -> None:
    whole = raw_page(THREE)
    cut_short = whole[: whole.rindex('"70.00"') + 4]  # in the middle of a cell of line 8
    got = recording(tmp_path, cut_short)
    assert got.launches.dur_ns.tolist() == [1_234_567, 500]
    assert note(got, NoteCode.DROPPED_EVENTS) == ("1 line or launch dropped, the first: line 8: it ends inside quotes")
    assert got.stats.events == 3 and dict(got.stats.dropped) == {"it ends inside quotes": 1}


def test_short_rows_and_text_between_rows_are_dropped(tmp_path: Path) -> None:
    lines = raw_page(THREE).splitlines()
    lines[6] = lines[6].rsplit(",", 1)[0]
    lines.insert(7, "epoch 2, loss 0.125")
    got = recording(tmp_path, "\n".join(lines))
    assert got.launches.dur_ns.tolist() == [1_234_567, 3000]
    assert "2 lines or launches dropped, the first: line 8" in note(got, NoteCode.DROPPED_EVENTS)


def test_a_truncated_row_does_not_swallow_the_next(tmp_path: Path) -> None:
    lines = raw_page(THREE).splitlines()
    lines[6] = lines[6][:62]
    assert lines[6].count('"') % 2
    assert recording(tmp_path, "\n".join(lines)).launches.dur_ns.tolist() == [1_234_567, 3000]


def test_an_invalid_figure_is_not_measured_and_reported(tmp_path: Path) -> None:
    got = recording(tmp_path, raw_page([launch("a", 10, "soon", 10.0), launch("b", 10, 900.0, 10.0)]))
    assert np.isnan(got.launches.tensor).all() and got.launches.dram.tolist() == [0.1, 0.1]
    expected = f"2 figures not used, the first: line 6, {TENSOR}: 'soon' is not a number"
    assert note(got, NoteCode.DROPPED_EVENTS) == expected


def test_launches_without_a_duration_are_dropped_and_named(tmp_path: Path) -> None:
    for page in (raw_page, details_page):
        got = recording(tmp_path, page([launch("a", 10, 1.0), launch("b", "n/a", 1.0), launch("c", 30, 1.0)]))
        assert names(got) == ["a", "c"]
        assert "the launch has no duration" in note(got, NoteCode.DROPPED_EVENTS)


def test_an_export_without_durations_names_the_command(tmp_path: Path) -> None:
    for page in (raw_page, details_page):
        with pytest.raises(CorruptInput, match=r"no durations .* `ncu --csv --page raw .*gpu__time_duration\.sum,sm__"):
            recording(tmp_path, page([Launch("a", {TENSOR: "10"})]))


@pytest.mark.parametrize("page", [raw_page, details_page])
@pytest.mark.parametrize(
    "cells",
    [("27.595.520", "65"), ("1.234.567,89", "65"), ("100", "65,77"), ("100", "65,770000"), ("117.344", "65"),
     ("100", "0,123"), ("1 234,5", "65")],
)  # fmt: skip
def test_decimal_commas_are_an_error_with_a_remedy(tmp_path: Path, page: Page, cells: tuple[str, str]) -> None:
    with pytest.raises(CorruptInput, match=r"line \d+, column .*decimal comma; .*LC_ALL=C ncu --import"):
        recording(tmp_path, page([launch("a", 50, 10.0), launch("b", cells[0], cells[1])]))


def test_a_raw_page_without_its_line_of_units_is_refused(tmp_path: Path) -> None:
    lines = raw_page(THREE).splitlines()
    with pytest.raises(CorruptInput, match="no units"):
        recording(tmp_path, "\n".join(lines[:4] + lines[5:]))


def test_an_unknown_unit_is_reported(tmp_path: Path) -> None:
    got = recording(tmp_path, raw_page([launch("a", 10, 10.0)], {DURATION: "ns", TENSOR: "byte"}))
    assert "'byte' is not one of its units" in note(got, NoteCode.DROPPED_EVENTS)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (PROGRESS, "has no table"),
        (PROGRESS + "==ERROR== ERR_NVGPUCTRPERM - no permission\n", "ERR_NVGPUCTRPERM"),
        ("==PROF== Connected\n==WARNING== No kernels were profiled.\n", "No kernels were profiled"),
        (raw_page([]), "no launch"),
        (details_page([]), "no launch"),
    ],
)
def test_without_a_launch_there_is_an_error_with_place_and_command(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(CorruptInput, match="line") as caught:
        recording(tmp_path, content)
    assert says in str(caught.value) and "ncu --csv" in caught.value.hint


def test_a_gzip_file_cut_in_the_middle_gives_what_was_before(tmp_path: Path) -> None:
    many = raw_page([launch(f"kernel_{number * 7919 % 10007}", number + 1, number % 100) for number in range(3000)])
    content = gzip.compress(many.encode())
    got = recording(tmp_path, content[: len(content) // 2])
    assert 0 < len(got.launches) < 3000
    assert NoteCode.TRUNCATED in {note.code for note in got.notes}


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", '"Process ID","Kernel Name","Invocations","Metric Name"\n'])
def test_other_tables_are_declined(tmp_path: Path, content: str) -> None:
    assert why_not_ncu("x.csv", content.encode())
    with pytest.raises((UnrecognisedFormat, InputError)):
        read(write(tmp_path, content))


def test_recognition_is_by_content_and_cheap() -> None:
    assert not why_not_ncu("anything", raw_page(THREE).encode()[:600])
    assert looks_known(b"\xef\xbb\xbf" + details_page(THREE, before="").encode())
    assert looks_known(PROGRESS.encode())
    assert "--print-summary" in why_not_ncu("x.csv", b'"Process ID","Kernel Name","Invocations"\n')


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, raw: bool) -> None:
    begun = (raw_page if raw else details_page)(THREE).encode()
    path = write(tmp_path_factory.mktemp("any"), begun[: 400 + len(content)] + content)
    with suppress(CorruptInput):
        assert len(read_ncu(path).launches) > 0
