"""`tb-perfcompare trace`: steps as trace files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_pair, write_run


def labels(path: Path) -> tuple[str, ...]:
    return StepCutter(read_trace(path), "marker").labels


def test_the_typical_step_is_the_default(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", steps=5)
    for steps, expected in ((None, ("1",)), ("worst", ("2",)), ("2-4", ("2", "3", "4"))):
        out = tmp_path / "out.json"
        words = [] if steps is None else ["--steps", steps]
        assert tb_perfcompare("trace", run, *words, "-o", out).status == 0
        assert set(labels(out)) >= set(expected)
        markers = [event["name"] for event in json.loads(out.read_text())["traceEvents"]]
        assert [name for name in markers if name.startswith("ProfilerStep")] == [f"ProfilerStep#{n}" for n in expected]


def test_a_gz_file_is_compressed_and_standard_output_is_the_default(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    out = tmp_path / "out.pt.trace.json.gz"
    tb_perfcompare("trace", run, "--steps", "3", "-o", out)
    printed = tb_perfcompare("trace", run, "--steps", "3").out
    assert gzip.decompress(out.read_bytes()).decode() == printed
    about = json.loads(printed)["tb_perfcompare_excerpt"]
    assert (about["file"], about["first_step"], about["last_step"]) == ("worker0.1700000000001.pt.trace.json", "3", "3")


def test_two_runs_are_joined_in_one_trace(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    out = tmp_path / "both.json"
    done = tb_perfcompare("trace", normal, abnormal, "--steps", "3", "--candidate-steps", "worst", "-o", out)
    assert (done.status, done.out, done.err) == (0, "", "")
    events = json.loads(out.read_text())["traceEvents"]
    assert {event["args"]["name"].partition(":")[0] for event in events if event["name"] == "process_name"} == {
        "baseline", "candidate",
    }  # fmt: skip


def test_worker_and_span_can_be_chosen(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2)
    out = tmp_path / "out.json"
    tb_perfcompare("trace", run, "--worker", "worker0", "--span", "2", "-o", out)
    about = json.loads(out.read_text())["tb_perfcompare_excerpt"]
    assert about["file"] == "worker0.1700000000002.pt.trace.json"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--steps", "70-80"), "has no step between 70 and 80; there are: 1, 2, 3"),
        (("--steps", "many"), "give two numbers such as 3-10, or one, or typical or worst"),
        (("--worker", "nobody"), "there is no worker"),
    ],
)
def test_a_missing_step_or_worker_is_an_error(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    done = tb_perfcompare("trace", write_run(tmp_path / "run"), *words)
    assert (done.status, done.out) == (2, "")
    assert expected in done.err


def test_a_source_without_events_is_an_error() -> None:
    listing = Path(__file__).parents[2] / "demo_logs" / "kernel_listing_synthetic" / "before.txt"
    done = tb_perfcompare("trace", listing)
    assert done.status == 2
    assert "not measured: a kernel listing has no clock" in done.err
