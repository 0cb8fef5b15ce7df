"""What a list of runs shows of a trace is what its whole summary says, though no table of that is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import owned_modules, owned_parts
from tb_perfcompare.analysis.outline import outline
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.errors import CorruptInput, MarkerMissing
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.summary.outline import Outline, outline_of
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.analysis.entities.test_kernel_metrics import measured
from tests.analysis.summaries import recording
from tests.analysis.test_backlog import gpu_bound
from tests.build import TraceBuilder
from tests.strategies import traces

ORIGIN = Origin("here", "run", "worker0", "1")
DEMO = Path(__file__).parents[2] / "demo_logs"


def both(of: TraceRecording, window: str = "device", *, marker: str = "") -> Outline:
    """The outline, which is that of the summary."""
    found = outline(of, window, marker=marker)
    assert found == outline_of(summarize(of, ORIGIN, window, marker=marker))
    return found


def decoding() -> TraceRecording:
    return read_trace(min(DEMO.glob("gpu_decoding/normal/*.gz")))


def codes(of: Outline) -> set[NoteCode]:
    return {note.code for note in of.notes}


@contextmanager
def at_most(keys: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owned_parts, "MAX_PARTS", keys)
        patch.setattr(owned_modules, "MAX_KEYS", keys)
        yield


@pytest.mark.parametrize("path", sorted(DEMO.glob("**/*.pt.trace.json.gz")), ids=lambda path: "-".join(path.parts[-3:]))
def test_of_demonstration_traces(path: Path) -> None:
    assert both(read_trace(path)).steps > 0


@given(traces(), st.sampled_from(("device", "marker")), st.sampled_from((3, 20, 20_000)))
def test_of_any_trace(trace: TraceBuilder, window: str, most_keys: int) -> None:
    of = recording(trace)
    with at_most(most_keys):
        try:
            both(of, window)
        except CorruptInput:  # drawn without anything to time
            with pytest.raises(CorruptInput):
                summarize(of, ORIGIN, window)


@pytest.mark.parametrize("marker", ["detected:aten::argmax", "whole"])
def test_by_the_marker_that_is_asked_for(marker: str) -> None:
    assert both(decoding(), marker=marker).marked is (marker != "whole")


def test_a_marker_that_is_not_there() -> None:
    with pytest.raises(MarkerMissing, match="no event is named 'aten::nothing'"):
        outline(decoding(), marker="aten::nothing")


def test_backlog_of_the_device() -> None:
    found = both(recording(gpu_bound(behind=0, before=100)))
    (message,) = [note.message for note in found.notes if note.code is NoteCode.BACKLOG]
    assert "10.6 % of the windows is work that an earlier step launched" in message


def test_ranges_that_were_measured() -> None:
    assert NoteCode.MEASURED_RANGES in codes(both(recording(measured())))


def test_counters_sampled_more_rarely_than_steps_follow() -> None:
    trace = gpu_bound(behind=0)
    for at in (0, 400):
        trace.counter("GPU 0", at, Utilization=at)
    assert NoteCode.COARSE_COUNTERS in codes(both(recording(trace)))


def test_parts_and_modules_that_are_pooled() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for number, length in enumerate((5, 9, 3)):
        trace.python(f"nn.Module: Net_{number}", 20 * number, 20 * number + length, number=number, module=number)
        trace.op("aten::mm", 20 * number + 1, 20 * number + 3, dims=[[number]])
    assert NoteCode.PARTS_POOLED not in codes(both(recording(trace)))
    with at_most(2):
        messages = [note.message for note in both(recording(trace)).notes if note.code is NoteCode.PARTS_POOLED]
    assert [message.partition(" are pooled")[0].split(" smallest ")[1] for message in messages] == [
        "callers and input shapes", "modules"
    ]  # fmt: skip


def test_nothing_to_time() -> None:
    trace = TraceBuilder()
    trace.counter("GPU 0", 10, Utilization=5)
    with pytest.raises(CorruptInput, match="no operators, annotations, API calls or device events to time") as found:
        outline(recording(trace))
    assert "profile_all_threads=True" in found.value.hint  # of a thread pool nothing else is recorded
