"""Counters of traces and of counters files on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import ABSOLUTE_BASE_NS
from tests.cli.invoke import Outcome, csv_rows, json_of, tb_perfcompare
from tests.drawn_runs import drawn_trace, write_pair

STEPS_US = 8004


def write_counted(folder: Path, load: float, extra_us: float = 0) -> Path:
    """A run with four samples of a utilization per step."""
    trace = drawn_trace(extra_us=extra_us)
    for sample in range(32):
        trace.counter("GPU 0 Utilization", 250 * sample, pid=0, **{"GPU Utilization": load + sample % 2 / 100})
    trace.write(folder / "worker0.1700000000001.pt.trace.json")
    return folder


def write_file(path: Path, clock: float, start_us: float = 0) -> Path:
    """A counters file with the clocks of four devices every 500 us."""
    rows = ["counter_name,timestamp,value,hostname"]
    for sample in range(18):
        for device in range(4):
            time_us = ABSOLUTE_BASE_NS / 1000 + start_us + 500 * sample + device
            rows.append(f"gpu_frequency,{time_us:.6f},{clock + device:.6f},")
    path.write_text("\r\n".join(rows) + "\r\n")
    return path


def counters(*words: str | Path) -> list[dict[str, str]]:
    return csv_rows("diff", *words, "--table", "counters")


def test_counters_of_traces_are_compared(tmp_path: Path) -> None:
    (row,) = counters(write_counted(tmp_path / "a", 0.5), write_counted(tmp_path / "b", 0.75))
    assert [row[key] for key in ("counter", "device", "unit")] == ["GPU Utilization", "GPU 0", "fraction"]
    assert row["status"] == "both"
    assert float(row["baseline"]) == pytest.approx(0.505, abs=1e-3)
    assert float(row["delta"]) == pytest.approx(0.25, abs=1e-3)
    assert row["baseline_samples"] == "32"
    # steps are slightly longer than four periods: most begin between two samples
    assert float(row["baseline_coverage"]) == pytest.approx(0.814, abs=1e-3)
    assert float(row["q"]) < 0.001


def test_the_report_shows_counters_or_why_they_are_absent(tmp_path: Path) -> None:
    a, b = write_counted(tmp_path / "a", 0.5), write_counted(tmp_path / "b", 0.75)
    assert "GPU Utilization" in tb_perfcompare("diff", a, b).out
    without = json_of("diff", *write_pair(tmp_path))
    assert "counters" not in without["tables"]
    assert "no counter events in the trace" in [note["message"] for note in without["notes"]]


def test_view_shows_counters_or_why_they_are_absent(tmp_path: Path) -> None:
    found = tb_perfcompare("view", write_counted(tmp_path / "a", 0.5), "--view", "counters")
    assert found.out.splitlines()[2].split()[:6] == ["GPU", "Utilization", "GPU", "0", "fraction", "0.505"]
    plain, _ = write_pair(tmp_path)
    found = tb_perfcompare("view", plain, "--view", "counters")
    assert (found.status, found.out) == (2, "")
    assert "has no view 'counters': no counter events in the trace" in found.err


def test_counters_do_not_change_compat_answers(tmp_path: Path) -> None:
    def overview(run: Path) -> str:
        return tb_perfcompare("view", run, "--compat").out

    plain = tmp_path / "plain"
    drawn_trace().write(plain / "worker0.1700000000001.pt.trace.json")
    assert overview(plain) == overview(write_counted(tmp_path / "counted", 0.5))


# -- counters files ---------------------------------------------------------------------------------------


def test_counters_files_of_both_sides_are_compared(tmp_path: Path) -> None:
    (row,) = counters(
        *write_pair(tmp_path),
        "--baseline-counters", write_file(tmp_path / "a_counters_data.csv", 1410),
        "--candidate-counters", write_file(tmp_path / "b_counters_data.csv", 210),
    )  # fmt: skip
    assert (row["counter"], row["device"], row["unit"]) == ("gpu_frequency", "GPU (all)", "MHz")
    assert (float(row["baseline"]), float(row["candidate"])) == (1411.5, 211.5)
    assert float(row["q"]) < 0.001


def test_a_counters_file_can_be_given_for_one_run(tmp_path: Path) -> None:
    plain, other = write_pair(tmp_path)
    file = write_file(tmp_path / "counters.csv", 1410)
    shown = json_of("view", plain, "--counters", file, "--view", "counters")
    (row,) = shown["table"]["rows"]
    assert row[:4] == ["gpu_frequency", "GPU (all)", "MHz", 1411.5]
    assert [note["code"] for note in shown["notes"]] == ["counters_averaged"]
    assert [row["status"] for row in counters(plain, other, "--candidate-counters", file)] == ["added"]


def test_samples_outside_the_selected_steps_do_not_count(tmp_path: Path) -> None:
    run, _ = write_pair(tmp_path)
    file = write_file(tmp_path / "counters.csv", 1410)
    (row,) = counters(run, run, "--baseline-counters", file, "--baseline-steps", "3-4")
    assert int(row["baseline_samples"]) == 4  # each the mean of four devices


def refused(*words: str | Path) -> Outcome:
    found = tb_perfcompare(*words)
    assert (found.status, found.out) == (2, "")
    assert len(found.err.splitlines()) == 1
    return found


def test_a_counters_file_of_another_time_is_refused_with_both_times(tmp_path: Path) -> None:
    run, _ = write_pair(tmp_path)
    file = write_file(tmp_path / "late.csv", 1410, start_us=3600e6)
    found = refused("view", run, "--counters", file)
    assert f"{file}: column timestamp: has no samples of worker0.1700000000001.pt.trace.json" in found.err
    assert "from 2023-11-14 23:13:20.000 UTC to" in found.err
    assert "the recording from 2023-11-14 22:13:20.000 UTC to" in found.err
    assert "give the counters file of this very recording" in found.err


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (None, "cannot be opened"),
        ("", "is empty"),
        ("a,b\n1,2\n", "has no column counter_name, timestamp, value"),
        ("counter_name,timestamp,value\ngpu_usage,soon,1\n", "line 2, column timestamp: 'soon' is not a number"),
    ],
)
def test_an_unreadable_counters_file_is_an_error_with_its_name(tmp_path: Path, content: str | None, place: str) -> None:
    run, other = write_pair(tmp_path)
    file = tmp_path / "bad.csv"
    if content is not None:
        file.write_text(content)
    assert place in refused("diff", run, other, "--baseline-counters", file).err
    assert str(file) in refused("view", run, "--counters", file).err


def test_compat_takes_no_counters_file(tmp_path: Path) -> None:
    run, _ = write_pair(tmp_path)
    found = refused("view", run, "--compat", "--counters", write_file(tmp_path / "c.csv", 1))
    assert "--counters does not go with --compat" in found.err
