"""Description of one side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from tb_perfcompare.comparison.result.plain_values import DeviceDict, StepsByDict, device_dict, iterations_dict
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.summary.iterations import Iterations
from tb_perfcompare.model.summary.summary import DeviceFacts, DroppedStep
from tb_perfcompare.quick_dataclass import dataclass


class DroppedStepDict(TypedDict):
    """A step that is not compared."""

    step: Annotated[str, "label of the step"]
    reason: Annotated[str, "why it is not compared"]
    capture: Annotated[int, "index in `files` of the file that recorded it"]
    total_us: Annotated[float, "length in microseconds"]


class LeftOutStepsDict(TypedDict):
    """Steps that are neither compared nor listed."""

    steps: Annotated[int, "number of steps"]
    total_us: Annotated[float, "sum of their lengths in microseconds"]


class _StepsDict(TypedDict):
    count: Annotated[int, "number of steps recorded"]
    admitted: Annotated[int, "number of steps compared"]
    dropped: Annotated[Sequence[DroppedStepDict], "steps that were recorded but not compared"]
    by: Annotated[StepsByDict | None, "marker that delimits the steps; null for formats without markers"]


class StepsDict(_StepsDict, total=False):
    """Steps of a side."""

    dropped_left_out: Annotated[LeftOutStepsDict, "steps missing from `dropped` in a truncated response"]


class FileFactsDict(TypedDict):
    """An input file."""

    path: Annotated[str, "path relative to `source`"]
    bytes: Annotated[int, "size of the file as stored, in bytes"]
    sha256: Annotated[str | None, "SHA-256 of the file as stored; null if not computed"]


class _SideFactsDict(TypedDict):
    source: Annotated[str, "path or address of the run as given"]
    run: Annotated[str, "run name"]
    worker: Annotated[str, "worker name, or several separated by commas"]
    span: Annotated[str, "span name, or several separated by commas"]
    format: Annotated[str, "format of the files, such as `torch_profiler_trace`"]
    device: Annotated[DeviceDict, "device the side ran on"]
    steps: Annotated[StepsDict, "steps recorded, compared and dropped"]
    files: Annotated[Sequence[FileFactsDict], "input files"]
    captures: Annotated[int, "number of captures: recordings of this side at different times"]


class SideFactsDict(_SideFactsDict, total=False):
    """Description of one side."""

    files_left_out: Annotated[int, "number of files missing from `files` in a truncated response"]


@dataclass(frozen=True, slots=True)
class SideFacts:
    """Description of one side. `run`, `worker`, `span` are single names or comma-separated lists."""

    source: str
    run: str
    worker: str
    span: str
    format: str
    device: DeviceFacts
    steps_total: int
    steps_admitted: int
    dropped: tuple[DroppedStep, ...]
    files: tuple[FileFacts, ...]
    captures: int
    iterations: Iterations | None = None

    def to_dict(self) -> SideFactsDict:
        """Returns the plain values. `steps.count` counts all steps seen, `admitted` those that are compared."""
        return {
            "source": self.source,
            "run": self.run,
            "worker": self.worker,
            "span": self.span,
            "format": self.format,
            "device": device_dict(self.device),
            "steps": {
                "count": self.steps_total,
                "admitted": self.steps_admitted,
                "dropped": [_dropped(step) for step in self.dropped],
                "by": iterations_dict(self.iterations),
            },
            "files": [{"path": file.path, "bytes": file.bytes, "sha256": file.sha256 or None} for file in self.files],
            "captures": self.captures,
        }


def _dropped(step: DroppedStep) -> DroppedStepDict:
    return {"step": step.label, "reason": step.reason, "capture": step.capture, "total_us": step.total_ns / 1000}
