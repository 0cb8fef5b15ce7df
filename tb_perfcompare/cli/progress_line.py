"""Where long work is, as one line: of all files together, however many are read at once."""

from __future__ import annotations

from tb_perfcompare.model.progress import Progress
from tb_perfcompare.number_text import byte_scale, number
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.widths import elide

_GAP = "  "
_LEAST_PATH = 8


class ProgressLine:
    """Keeps the latest progress of each file."""

    def __init__(self) -> None:
        self._files: dict[str, Progress] = {}

    def text(self, progress: Progress, width: int) -> str:
        """Phase, bytes read and in all, events, and the file that is told of, in at most `width` columns."""
        if progress.path:
            self._files[progress.path] = progress
        figures = _GAP.join([progress.phase, *self._figures()])
        left = width - len(figures) - len(_GAP)
        if not progress.path or left < _LEAST_PATH:
            return elide(figures, width)
        return f"{figures}{_GAP}{elide(printable(progress.path), left)}"

    def _figures(self) -> list[str]:
        total = sum(file.total_bytes for file in self._files.values())
        if not total:
            return []
        done = sum(file.done_bytes for file in self._files.values())
        events = sum(file.events for file in self._files.values())
        scale = byte_scale(total)
        read = f"{number(done * scale.factor)} of {number(total * scale.factor)} {scale.symbol}"
        count = f" in {len(self._files)} files" if len(self._files) > 1 else ""
        return [read + count, f"{events:,} events"]
