"""What is asked about a pair."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.workspace.inputs.sides import Side


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """Everything a comparison depends on. Equal questions have equal answers."""

    baseline: Side
    candidate: Side
    options: CompareOptions = field(default_factory=CompareOptions)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Baseline and candidate."""
        return self.baseline, self.candidate

    def tag(self) -> str:
        """A text that changes whenever the answer may: the files' names, sizes and times, the options, the version."""
        return hashlib.sha256(repr((__version__, self)).encode("utf-8", "backslashreplace")).hexdigest()[:32]
