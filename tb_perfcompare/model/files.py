"""Facts about an input file."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass

DEFAULT_SPAN = "default"
"""Span of a file whose name has no number."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One input file. `path` is relative to the source; `bytes` and `sha256` are of the file as stored (sha256 "" if
    not requested); `part` numbers the run in a file that holds several."""

    path: str
    bytes: int
    sha256: str = ""
    part: int = 1
