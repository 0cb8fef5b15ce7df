"""The outline of a trace, for the list of runs, equals that of its full summary."""

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


def checked_outline(of: TraceRecording, window: str = "device", *, marker: str = "") -> Outline:
    """The outline, after comparing it with the summary."""
    found = outline(of, window, marker=marker)
    assert found == outline_of(summarize(of, ORIGIN, window, marker=marker))
    return found


def decoding() -> TraceRecording:
    return read_trace(min(DEMO.glob("gpu_decoding/normal/*.gz")))


def codes(of: Outline) -> set[NoteCode]:
    return {note.code for note in of.notes}


@contextmanager
def limits(keys: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owned_parts, "MAX_PARTS", keys)
        patch.setattr(owned_modules, "MAX_KEYS", keys)
        yield


@pytest.mark.parametrize("path", sorted(DEMO.glob("**/*.pt.trace.json.gz")), ids=lambda path: "-".join(path.parts[-3:]))
def test_the_outline_of_a_demo_trace_equals_that_of_its_summary(path: Path) -> None:
    assert checked_outline(read_trace(path)).steps > 0


@given(traces(), st.sampled_from(("device", "marker")), st.sampled_from((3, 20, 20_000)))
def test_the_outline_of_any_trace_equals_that_of_its_summary(trace: TraceBuilder, window: str, most_keys: int) -> None:
    of = recording(trace)
    with limits(most_keys):
        try:
            checked_outline(of, window)
        except CorruptInput:  # nothing to time
            with pytest.raises(CorruptInput):
                summarize(of, ORIGIN, window)


@pytest.mark.parametrize("marker", ["detected:aten::argmax", "whole"])
def test_the_outline_uses_the_requested_marker(marker: str) -> None:
    assert checked_outline(decoding(), marker=marker).marked is (marker != "whole")


def test_a_missing_marker_is_an_error() -> None:
    with pytest.raises(MarkerMissing, match="no event is named 'aten::nothing'"):
        outline(decoding(), marker="aten::nothing")


def test_the_outline_has_the_note_of_backlog() -> None:
    found = checked_outline(recording(gpu_bound(behind=0, before=100)))
    (message,) = [note.message for note in found.notes if note.code is NoteCode.BACKLOG]
    assert "10.6 % of the windows is work that an earlier step launched" in message


def test_the_outline_has_the_note_of_measured_ranges() -> None:
    assert NoteCode.MEASURED_RANGES in codes(checked_outline(recording(measured())))


def test_the_outline_has_the_note_of_coarse_counters() -> None:
    trace = gpu_bound(behind=0)
    for at in (0, 400):
        trace.counter("GPU 0", at, Utilization=at)
    assert NoteCode.COARSE_COUNTERS in codes(checked_outline(recording(trace)))


def test_the_outline_has_the_notes_of_pooled_parts_and_modules() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for number, length in enumerate((5, 9, 3)):
        trace.python(f"nn.Module: Net_{number}", 20 * number, 20 * number + length, number=number, module=number)
        trace.op("aten::mm", 20 * number + 1, 20 * number + 3, dims=[[number]])
    assert NoteCode.PARTS_POOLED not in codes(checked_outline(recording(trace)))
    with limits(2):
        messages = [
            note.message for note in checked_outline(recording(trace)).notes if note.code is NoteCode.PARTS_POOLED
        ]
    assert [message.partition(" are pooled")[0].split(" smallest ")[1] for message in messages] == [
        "callers and input shapes", "modules"
    ]  # fmt: skip


def test_a_trace_with_nothing_to_time_is_an_error() -> None:
    trace = TraceBuilder()
    trace.counter("GPU 0", 10, Utilization=5)
    with pytest.raises(CorruptInput, match="no operators, annotations, API calls or device events to time") as found:
        outline(recording(trace))
    assert "profile_all_threads=True" in found.value.hint
