"""The input formats: keys used in answers, their names for users, and the extensions of their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TRACE = "torch_profiler_trace"
ANSWERS = "profiler_answers"
LISTING = "kernel_listing"
NCU = "ncu_csv"
CYCLES = "perf_data"
BASELINE = "baseline"


class Format(NamedTuple):
    """A format: its name for users, its article ("" for a plural), and the extensions that its files usually have."""

    title: str
    article: str
    endings: tuple[str, ...] = ()

    @property
    def with_article(self) -> str:
        """The name with its article."""
        return f"{self.article} {self.title}".strip()


FORMATS: Mapping[str, Format] = {
    TRACE: Format("torch.profiler trace", "a", (".json",)),
    ANSWERS: Format("saved torch-tb-profiler answers", "", (".jsonl", ".ndjson")),
    LISTING: Format("kernel listing", "a", (".txt", ".log", ".lst")),
    CYCLES: Format("perf_data table", "a", (".csv",)),
    NCU: Format("ncu --csv export", "an", (".csv",)),
    BASELINE: Format("saved baseline", "a", (".baseline", ".perfcompare")),
}
