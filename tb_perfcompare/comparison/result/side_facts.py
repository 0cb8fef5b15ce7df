"""What one side of a comparison is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.summary.summary import DeviceFacts, DroppedStep


class DeviceDict(TypedDict):
    """The device a side ran on; `name` is null when the trace does not say."""

    kind: str
    word: str
    name: str | None
    count: int


class DroppedStepDict(TypedDict):
    """A step that is not compared."""

    step: str
    reason: str
    capture: Annotated[int, "index into files"]
    total_us: float


class StepsDict(TypedDict):
    """All steps that were seen, those that are compared, and why others are not."""

    count: int
    admitted: int
    dropped: Sequence[DroppedStepDict]


class FileFactsDict(TypedDict):
    """An input file; sha256 is of the bytes as stored."""

    path: Annotated[str, "relative to the source"]
    bytes: int
    sha256: str | None


class SideFactsDict(TypedDict):
    """One side as it is sent."""

    source: str
    run: str
    worker: Annotated[str, "one name, or several with commas"]
    span: str
    format: str
    device: DeviceDict
    steps: StepsDict
    files: Sequence[FileFactsDict]
    captures: int


@dataclass(frozen=True, slots=True)
class SideFacts:
    """What one side is. `run`, `worker`, `span` are single names or comma-separated lists."""

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

    def to_dict(self) -> SideFactsDict:
        """`steps.count` are all steps that were seen, `admitted` those that are compared."""
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
            },
            "files": [{"path": file.path, "bytes": file.bytes, "sha256": file.sha256 or None} for file in self.files],
            "captures": self.captures,
        }


def _dropped(step: DroppedStep) -> DroppedStepDict:
    return {"step": step.label, "reason": step.reason, "capture": step.capture, "total_us": step.total_ns / 1000}


def device_dict(device: DeviceFacts) -> DeviceDict:
    """As plain values."""
    return {"kind": device.kind, "word": device.word, "name": device.name or None, "count": device.count}
