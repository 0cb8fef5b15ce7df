"""Progress reports and cancellation of long work."""

from __future__ import annotations

from typing import Protocol

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`phase` is one of listing, reading, summarizing, comparing; bytes are those of the stored (compressed) file."""

    phase: str
    path: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    events: int = 0


class Reporter(Protocol):
    """Called a few times per second during long work; raises errors.Cancelled to stop it."""

    def __call__(self, progress: Progress, /) -> None: ...


def silent(progress: Progress, /) -> None:
    """Ignores progress and never cancels."""
