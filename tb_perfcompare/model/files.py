"""What is known of a file that was read."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One input file. `path` is relative to the source; sha256 is of the bytes as stored ("" when not asked for);
    `part` says which run is meant in a file that holds several."""

    path: str
    bytes: int
    sha256: str = ""
    part: int = 1
