"""What the queries need of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import CaptureFile, ComparisonRequest, Side
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.sharing.single_flight import Flight

T = TypeVar("T")


class Computations(Protocol):
    """Comparisons, summaries and work about files, each computed once however many ask. Workspace is one."""

    def ask(self, question: ComparisonRequest) -> AbstractContextManager[Flight[Comparison]]:
        """The comparison, finished, under way or started now, for as long as the body lasts."""
        ...

    def ask_strict(self, question: StrictRequest) -> AbstractContextManager[Flight[bytes]]:
        """The strict report in the same way."""
        ...

    def kept_answer(self, question: ComparisonRequest) -> bytes | None:
        """The first answer about the pair, if it is on disk."""
        ...

    def load(self, side: Side, window: str, report: Reporter) -> Summary:
        """One summary of the side."""
        ...

    def load_within(self, flight: Flight[Any], side: Side, window: str, *, paths: bool = False) -> Summary:
        """The same as a part of another computation; with `paths` the summary has the callers of rows."""
        ...

    def agreed(self, sides: Sequence[Side], window: str, report: Reporter) -> tuple[Side, Side]:
        """Both sides with one marker of steps for all their recordings."""
        ...

    def work(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], files: Sequence[CaptureFile]
    ) -> T:
        """`function(*arguments, report)` about some files."""
        ...
