"""What one side of a comparison is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb_perfcompare.comparison.result.plain_values import device_dict, iterations_dict
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.summary.iterations import Iterations
from tb_perfcompare.model.summary.summary import DeviceFacts, DroppedStep


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
    iterations: Iterations | None = None

    def to_dict(self) -> dict[str, Any]:
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
                "by": iterations_dict(self.iterations),
            },
            "files": [{"path": file.path, "bytes": file.bytes, "sha256": file.sha256 or None} for file in self.files],
            "captures": self.captures,
        }


def _dropped(step: DroppedStep) -> dict[str, Any]:
    return {"step": step.label, "reason": step.reason, "capture": step.capture, "total_us": step.total_ns / 1000}
