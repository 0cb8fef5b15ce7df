"""Listings: `name | latency_ns tensor dram`, one line per launch."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.listings.launches import summarize_launches
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import CorruptInput, NotComparable, UnrecognisedFormat
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.sources.ncu.kernel_listing import read_listing
from tb_perfcompare.sources.recognition.format_sniffers import why_not_listing
from tb_perfcompare.sources.registry import recognize
from tests.analysis.summaries import summary as trace_summary
from tests.build import TraceBuilder
from tests.cli.invoke import tb_perfcompare
from tests.comparison.compare import compare, notes_of
from tests.shared_data import SHARED, needs_shared

SMALL = """\
Kernel                    Latency Tensor   DRAM
gemm                |        1000   0.80   0.10
Kernel              |         500   0.10   0.70
gemm                |        3000   0.70   0.20
copy                |         500   -      0.90
"""


def listing(folder: Path, text: str | bytes, name: str = "kernels.txt") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def side(folder: Path, text: str, name: str = "kernels.txt") -> Summary:
    recording = read_listing(listing(folder, text, name))
    return summarize_launches(recording, Origin(name, name))


def test_launches_are_read_in_order_and_a_kernel_may_be_called_kernel(tmp_path: Path) -> None:
    launches = read_listing(listing(tmp_path, SMALL)).launches
    assert [launches.strings[int(i)] for i in launches.name] == ["gemm", "Kernel", "gemm", "copy"]
    assert launches.dur_ns.tolist() == [1000, 500, 3000, 500]
    assert launches.tensor.tolist()[:3] == [0.8, 0.1, 0.7]
    assert np.isnan(launches.tensor[3])


def test_utilization_of_a_kernel_is_weighted_by_time(tmp_path: Path) -> None:
    kernels = side(tmp_path, SMALL).groups["kernels"]
    row = kernels.keys.index(("gemm",))
    assert kernels.facts["tensor_active"][row] == pytest.approx((0.8 * 1000 + 0.7 * 3000) / 4000)
    assert np.isnan(kernels.facts["tensor_active"][kernels.keys.index(("copy",))])


def test_time_is_split_by_bound_class(tmp_path: Path) -> None:
    assert side(tmp_path, SMALL).bound_ns == {
        "tensor-bound": 4000,
        "memory-bound": 1000,
        "both": 0,
        "neither": 0,
        "not measured": 0,
    }


def test_one_listing_per_side_compares_kernel_time_without_a_verdict(tmp_path: Path) -> None:
    before = side(tmp_path, SMALL)
    after = side(tmp_path, SMALL.replace("3000", "4000"), "after.txt")
    got = compare(before, after)
    assert (got.headline.metric, got.headline.delta) == ("kernel_time", 1.0)
    assert got.headline.verdict is Verdict.INCONCLUSIVE
    assert got.ledger.delta == 1000
    kernels = got.tables["kernels"]
    assert kernels.notes[0] == "Figures are those of the listing (docs/inputs/kernel_listings.md)."
    assert not [column.name for column in kernels.columns if "exposed" in column.name]
    assert {row[0]: row[3] for row in got.tables["bound"].rows} == {"tensor-bound": 1.0, "memory-bound": 0.0}


def test_a_kernel_with_lower_throughput_is_a_finding(tmp_path: Path) -> None:
    lines = "Kernel Latency Tensor DRAM\nscan | {0} 0.00 {1}\nrest | 1000 0.0 0.1\n"
    got = compare(side(tmp_path, lines.format(10000, 0.8)), side(tmp_path, lines.format(20000, 0.4), "b.txt"))
    scan, moved = got.findings
    assert moved.rule == "bound_shift"
    assert scan.sentence.startswith("The same kernel is slower: scan +10.0 µs")


def test_a_listing_and_a_trace_are_not_comparable(tmp_path: Path) -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    with pytest.raises(NotComparable, match="kernel time"):
        compare(side(tmp_path, SMALL), trace_summary(trace))


def test_malformed_lines_are_dropped_and_counted(tmp_path: Path) -> None:
    recording = read_listing(listing(tmp_path, SMALL + "half | 12\nx | 5us 0.5 0.1\nno bar 1 2 3\n"))
    assert len(recording.launches) == 4
    assert notes_of(recording, NoteCode.DROPPED_EVENTS) == ["3 lines dropped, the first: line 6: 1 figure instead of 3"]


def test_a_launch_with_utilization_in_percent_keeps_its_latency(tmp_path: Path) -> None:
    """1.0 could be 1 % or all of the pipe: the column is not used unless it is nearly all fractions."""
    for fractions, kept in ((5, False), (60, True)):
        lines = "x | 5 25.0 0.1\ny | 7 1.0 0.1\n" + "z | 3 0.5 0.1\n" * fractions
        recording = read_listing(listing(tmp_path, SMALL + lines))
        launches = recording.launches
        assert launches.dur_ns.tolist() == [1000, 500, 3000, 500, 5, 7, *[3] * fractions]
        assert np.isnan(launches.tensor[4]) and np.isfinite(launches.tensor[5]) == kept
        assert np.isfinite(launches.dram).all()
        rest = "" if kept else "; the column is not used"
        assert notes_of(recording, NoteCode.DROPPED_EVENTS) == [
            f"Tensor is not a fraction from 0 to 1 for 1 of {6 + fractions} launches, the first: line 6{rest}"
        ]


def test_cut_names_are_reported(tmp_path: Path) -> None:
    recording = read_listing(listing(tmp_path, SMALL + "a_very_long_na... | 10 0.1 0.1\n"))
    assert NoteCode.CUT_NAMES in {note.code for note in recording.notes}


@pytest.mark.parametrize(
    "content", [SMALL.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + SMALL.encode(), gzip.compress(SMALL.encode())]
)
def test_line_ends_byte_order_marks_and_compression_read_the_same(tmp_path: Path, content: bytes) -> None:
    assert read_listing(listing(tmp_path, content)).launches.dur_ns.tolist() == [1000, 500, 3000, 500]


def test_utf_16_is_refused_by_name(tmp_path: Path) -> None:
    for name in ("a.txt", "a.csv", "a.jsonl"):
        (tmp_path / name).write_text(SMALL, encoding="utf-16")
        with pytest.raises(UnrecognisedFormat, match="is UTF-16; convert it to UTF-8"):
            recognize(str(tmp_path / name))


def test_a_truncated_last_line_is_dropped_and_reported(tmp_path: Path) -> None:
    for ends in ("\n", "\r\n"):
        torn = SMALL.replace("\n", ends) + "last                |        10"
        recording = read_listing(listing(tmp_path, torn))
        assert recording.launches.dur_ns.tolist() == [1000, 500, 3000, 500]
        assert notes_of(recording, NoteCode.DROPPED_EVENTS) == [
            "1 line dropped, the first: line 6: 1 figure instead of 3"
        ]


def test_blank_lines_and_letters_beyond_ascii_are_read(tmp_path: Path) -> None:
    odd = b"\xef\xbb\xbf\r\n" + SMALL.replace("\n", "\r\n\r\n").replace("copy", "k\u00f6rper").encode()
    launches = read_listing(listing(tmp_path, gzip.compress(odd))).launches
    assert launches.dur_ns.tolist() == [1000, 500, 3000, 500]
    assert launches.strings[int(launches.name[3])] == "k\u00f6rper"


def test_concatenated_gzip_members_are_one_listing(tmp_path: Path) -> None:
    middle = len(SMALL) // 2  # within a line
    whole = gzip.compress(SMALL[:middle].encode()) + gzip.compress(SMALL[middle:].encode())
    assert read_listing(listing(tmp_path, whole)).launches.dur_ns.tolist() == [1000, 500, 3000, 500]


def test_a_gzip_file_cut_in_the_middle_gives_the_lines_before(tmp_path: Path) -> None:
    many = SMALL + "".join(f"kernel_{n * 7919 % 10007} | {n} 0.{n % 100:02} 0.1\n" for n in range(3000))
    content = gzip.compress(many.encode())
    recording = read_listing(listing(tmp_path, content[: len(content) // 2]))
    assert 4 < len(recording.launches) < 3000
    assert NoteCode.TRUNCATED in {note.code for note in recording.notes}
    assert not recording.stats.complete


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_no_run_and_an_error_when_named(tmp_path: Path, content: bytes) -> None:
    path = listing(tmp_path, content, "empty.txt")
    assert find_runs(str(tmp_path)).runs == ()
    shown = tb_perfcompare("view", path, "--view", "kernels")
    assert shown.status == 2 and "empty.txt" in shown.err and shown.err.count("\n") == 1


@pytest.mark.parametrize("content", ["", "Kernel Latency Tensor DRAM\n", "Kernel Latency Tensor DRAM\nx y z\n"])
def test_a_listing_without_launches_is_an_error_with_a_line(tmp_path: Path, content: str) -> None:
    with pytest.raises(CorruptInput, match="line"):
        read_listing(listing(tmp_path, content))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = listing(tmp_path_factory.mktemp("any"), b"Kernel Latency Tensor DRAM\n" + content)
    with suppress(CorruptInput):
        assert len(read_listing(path).launches) > 0


@pytest.mark.parametrize(
    ("head", "says"),
    [(SMALL, ""), ("", "empty"), ('{"traceEvents": []}', "not a header"), ("gemm | 1 2 3\n", "not a header")],
)
def test_recognition_is_by_the_header(head: str, says: str) -> None:
    reason = why_not_listing("anything", head.encode())
    assert (says in reason) if says else reason == ""


@needs_shared
@pytest.mark.parametrize(
    ("name", "launches", "total_ns", "tensor", "dram"),
    [
        ("unet_training", 560, 59_945_216, 0.2080, 0.1763),
        ("bert_training", 1_626, 57_191_968, 0.2483, 0.2436),
        ("llm_inference", 971, 32_061_824, 0.2458, 0.1847),
    ],
)
def test_real_listings_have_their_known_totals(
    name: str, launches: int, total_ns: int, tensor: float, dram: float
) -> None:
    recording = read_listing(str(SHARED / "seeds" / f"kernels_{name}.txt"))
    got = summarize_launches(recording, Origin(name, name))
    figures = {metric.name: metric.value for metric in got.device_metrics}
    assert (len(recording.launches), int(got.steps.total_ns[0])) == (launches, total_ns)
    assert round(figures["tensor_active"] or 0, 4) == tensor
    assert round(figures["dram_active"] or 0, 4) == dram
    assert sum(got.bound_ns.values()) == total_ns


def test_listings_in_a_logdir_are_runs_and_compare_on_the_command_line(tmp_path: Path) -> None:
    listing(tmp_path, SMALL, "before.txt")
    listing(tmp_path, SMALL.replace("3000", "4000"), "after.txt")
    (tmp_path / "notes.txt").write_text("nothing of the kind")
    assert [run.name for run in find_runs(str(tmp_path)).runs] == ["after.txt", "before.txt"]
    shown = tb_perfcompare("diff", str(tmp_path / "before.txt"), str(tmp_path / "after.txt"), "--format", "json")
    answer = json.loads(shown.out)
    assert answer["headline"]["metric"] == "kernel_time"
    assert answer["baseline"]["format"] == "kernel_listing"
    assert answer["ledger"]["delta"] == 1000
    viewed = tb_perfcompare("view", str(tmp_path / "before.txt"), "--view", "bound")
    assert viewed.status == 0 and "tensor-bound" in viewed.out


def test_other_text_is_refused_with_the_reason_of_the_nearest_reader(tmp_path: Path) -> None:
    shown = tb_perfcompare("view", listing(tmp_path, "hello\n"), "--view", "kernels")
    assert shown.status == 2
    assert "not a kernel listing: the first line is not a header" in shown.err


def test_the_tab_is_active_on_a_logdir_of_listings(tmp_path: Path) -> None:
    probe = TraceProbe(logdir_roots(str(tmp_path), None))
    assert not probe.found()
    listing(tmp_path, SMALL)
    assert TraceProbe(logdir_roots(str(tmp_path), None)).found()
