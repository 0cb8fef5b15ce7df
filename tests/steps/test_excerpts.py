"""Parts of traces: the events as they were written, readable by our reader and by torch-tb-profiler."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.errors import CorruptInput, InputError
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.sources.trace.excerpt import Excerpt, excerpt_file, packed, read_excerpt
from tb_perfcompare.sources.trace.joined_excerpts import JoinedSide, joined_file
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.build import ABSOLUTE_BASE_NS, TraceBuilder
from tests.compat.oracle import needs_oracle, profile_file
from tests.drawn_runs import drawn_trace
from tests.shared_data import SHARED, needs_shared
from tests.steps.drawn import US, two_steps
from tests.thorough import THOROUGH

DEMO = Path(__file__).parents[2] / "demo_logs"


def excerpt_of(trace: TraceBuilder, folder: Path, first_us: float, last_us: float) -> Excerpt:
    """The events of a drawn trace between two instants."""
    path = trace.write(folder / "worker0.1.pt.trace.json")
    return read_excerpt(path, trace.base_ns + int(first_us * US), trace.base_ns + int(last_us * US))


def names(excerpt: Excerpt) -> list[str]:
    return [json.loads(text)["name"] for text in excerpt.events]


def cutter(path: Path) -> StepCutter:
    return StepCutter(read_trace(path), "device")


def of_step(path: Path, label: str) -> tuple[Excerpt, tuple[int, int]]:
    """The excerpt of a step's picture, and its window."""
    steps = cutter(path)
    return read_excerpt(path, *steps.extent(label)), steps.window(label)


def test_active_events_are_kept_to_the_byte(tmp_path: Path) -> None:
    excerpt = excerpt_of(two_steps(), tmp_path, 60, 100)
    assert sorted(set(names(excerpt))) == [
        "ProfilerStep#1", "PyTorch Profiler (0)", "aten::addmm", "aten::mm", "cudaLaunchKernel", "gemm", "relu",
    ]  # fmt: skip
    written = (tmp_path / "worker0.1.pt.trace.json").read_bytes()
    assert all(text in written for text in (*excerpt.events, *excerpt.metadata))


def test_arrows_counters_and_instants_are_kept(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    trace.forward_backward(7, 50, 150)
    trace.counter("clock", 60, mhz=1400)
    trace.memory(70, 512)
    trace.counter("clock", 260, mhz=1300)
    found = [json.loads(text) for text in excerpt_of(trace, tmp_path, 40, 100).events]
    assert [event["ph"] for event in found] == ["X", "s", "C", "i", "X"]
    assert found[1]["id"] == 7
    assert found[2]["args"] == {"mhz": 1400}


def test_only_threads_that_have_events_keep_their_names(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.op("aten::mm", 0, 50)
    trace.kernel("gemm", 100, 120, device=1)
    early = [json.loads(text) for text in excerpt_of(trace, tmp_path, 0, 60).metadata]
    assert [(event["name"], event["pid"]) for event in early] == [("process_labels", 100), ("process_name", 100)]


def test_instants_at_the_ends_are_half_open(tmp_path: Path) -> None:
    trace = TraceBuilder(window=False, vendor="cpu")
    for at in (10, 20, 30):
        trace.op(f"at{at}", at, at)
        trace.op(f"until{at}", at - 5, at)
    assert names(excerpt_of(trace, tmp_path, 20, 30)) == ["at20", "until30"]


@pytest.mark.parametrize("base", [0, ABSOLUTE_BASE_NS])
def test_the_excerpt_of_a_step_has_the_same_step(tmp_path: Path, base: int) -> None:
    trace = drawn_trace()
    trace.base_ns = base
    path = trace.write(tmp_path / "worker0.1.pt.trace.json.gz")
    excerpt, window = of_step(path, "4")
    out = tmp_path / "out.pt.trace.json.gz"
    out.write_bytes(packed(excerpt_file(excerpt, {"first_step": "4"})))
    again = cutter(out)
    assert (again.window("4"), again.extent("4")) == (window, cutter(path).extent("4"))
    assert len(again.cut("4")) == len(cutter(path).cut("4"))
    root = json.loads(gzip.decompress(out.read_bytes()))
    assert root["tb_perfcompare_excerpt"] == {"first_step": "4"}
    assert root["deviceProperties"] == json.loads(gzip.decompress(path.read_bytes()))["deviceProperties"]


@needs_oracle
def test_torch_tb_profiler_reads_the_excerpt_of_a_step(tmp_path: Path) -> None:
    path = DEMO / "gpu_training_synthetic/baseline/worker0.1750000005000.pt.trace.json.gz"
    excerpt, window = of_step(path, "9")
    out = tmp_path / "worker0.1.pt.trace.json"
    out.write_bytes(excerpt_file(excerpt, {}))
    profile = profile_file(out)
    assert profile is not None
    steps = json.loads(json.dumps(profile.overview, default=float))["steps"]["rows"]
    assert [row[0] for row in steps] == ["9"]
    assert sum(value for value in steps[0][1:] if isinstance(value, (int, float))) == pytest.approx(
        (window[1] - window[0]) / US, abs=2
    )


def test_damaged_events_are_rewritten(tmp_path: Path) -> None:
    path = two_steps().write(tmp_path / "worker0.1.pt.trace.json")
    path.write_bytes(path.read_bytes().replace(b'"name": "aten::mm"', b'"name": "aten::mm", "odd": NaN', 1))
    excerpt = read_excerpt(path, 0, 500 * US)
    assert not any(b"NaN" in text for text in excerpt.events)
    assert names(excerpt).count("aten::mm") == 2
    json.loads(excerpt_file(excerpt, {}))


def test_a_file_that_ends_early_gives_its_whole_events(tmp_path: Path) -> None:
    path = two_steps().write(tmp_path / "worker0.1.pt.trace.json")
    whole = read_excerpt(path, 0, 500 * US)
    path.write_bytes(path.read_bytes()[:1500])
    part = read_excerpt(path, 0, 500 * US)
    assert part.events == whole.events[: len(part.events)]
    assert 0 < len(part.events) < len(whole.events)


def test_files_without_events_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "x.json"
    empty.write_text('{"schemaVersion": 1}')
    with pytest.raises(CorruptInput, match="traceEvents is missing"):
        read_excerpt(empty, 0, 1)
    with pytest.raises(InputError, match=r"gone\.json"):
        read_excerpt(tmp_path / "gone.json", 0, 1)


def joined(folder: Path) -> tuple[dict[str, Any], TraceRecording]:
    """Step 2 of a trace and step 1 of one with absolute times in one file: as JSON, and as read."""
    sides = []
    for label, base, step in (("baseline", 0, "2"), ("candidate", ABSOLUTE_BASE_NS, "1")):
        trace = two_steps()
        trace.forward_backward(3, 60, 90)
        trace.forward_backward(3, 310, 330)
        trace.base_ns = base
        path = trace.write(folder / label / "worker0.1.pt.trace.json")
        excerpt, (begin, _) = of_step(path, step)
        sides.append(JoinedSide(label, excerpt, begin))
    out = folder / "both.json"
    out.write_bytes(joined_file(sides))
    return json.loads(out.read_bytes()), read_trace(out)


def test_joined_steps_begin_together_under_separate_names(tmp_path: Path) -> None:
    document, recording = joined(tmp_path)
    names = recording.process_names
    host = {pid for pid, name in names.items() if name.endswith("python CPU")}
    assert sorted(names[pid] for pid in host) == ["baseline: python CPU", "candidate: python CPU"]
    assert {name.partition(":")[0] for name in names.values()} == {"baseline", "candidate"}
    starts = {
        names[event["pid"]].partition(":")[0]: event["ts"]
        for event in document["traceEvents"]
        if event["name"].startswith("ProfilerStep#") and event["ts"] >= 0
    }
    assert starts == {"baseline": 0, "candidate": 0}


def test_joined_steps_keep_every_event_with_its_arguments(tmp_path: Path) -> None:
    document, _ = joined(tmp_path)
    kernels = [event for event in document["traceEvents"] if event.get("cat") == "kernel"]
    assert [event["args"]["grid"] for event in kernels] == [[64, 1, 1]] * len(kernels)
    assert len(kernels) == 4
    assert {event["dur"] for event in kernels if event["name"] == "gemm"} == {30, 40}


def test_arrows_of_two_runs_have_separate_numbers(tmp_path: Path) -> None:
    document, _ = joined(tmp_path)
    arrows = [event for event in document["traceEvents"] if event["ph"] in "sf"]
    owners: dict[int, set[int]] = {}
    for event in arrows:
        owners.setdefault(event["id"], set()).add(event["pid"])
    assert len(arrows) == 4
    assert all(len(pids) == 1 for pids in owners.values())


def test_threads_with_text_ids_get_numbers(tmp_path: Path) -> None:
    trace = TraceBuilder(spelling="2021", vendor="cuda")
    trace.op("aten::mm", 0, 50)
    trace.kernel("gemm", 20, 40, launch=(5, 8))
    excerpt = excerpt_of(trace, tmp_path, 0, 60)
    document = json.loads(joined_file([JoinedSide("baseline", excerpt, 0)]))
    assert all(isinstance(event["tid"], int) and isinstance(event["pid"], int) for event in document["traceEvents"])
    named = {e["args"]["name"]: e["tid"] for e in document["traceEvents"] if e["name"] == "thread_name"}
    (kernel,) = [event for event in document["traceEvents"] if event["name"] == "gemm"]
    assert named["stream 7"] == kernel["tid"]


@needs_shared
@pytest.mark.parametrize(
    "name",
    [
        "hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
        "mixed_devices/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    ]
    + ["kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"] * THOROUGH,
)
def test_excerpts_of_real_traces_have_the_same_step(tmp_path: Path, name: str) -> None:
    """Window and events of a middle step equal those of the whole trace; every event is in the file to the byte."""
    path = SHARED / name
    whole = cutter(path)
    label = whole.labels[len(whole.labels) // 2]
    excerpt, window = of_step(path, label)
    out = tmp_path / "out.pt.trace.json"
    out.write_bytes(excerpt_file(excerpt, {}))
    again = cutter(out)
    assert again.window(label) == window
    assert len(again.cut(label)) == len(whole.cut(label))
    written = gzip.decompress(path.read_bytes())
    assert all(text in written for text in excerpt.events[:: max(1, len(excerpt.events) // 200)])
