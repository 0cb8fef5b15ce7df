"""Protocol of what queries need of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import CaptureFile, ComparisonRequest, Side
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight

T = TypeVar("T")


class Computations(Protocol):
    """Comparisons, summaries and work on files; equal requests are computed once. Workspace implements it."""

    def flights(self, cache_bytes: int) -> SingleFlight[Any]:
        """A new kind of computation, with a cache of so many bytes; its work ends with the workspace."""
        ...

    def ask(self, request: ComparisonRequest) -> AbstractContextManager[Flight[Comparison]]:
        """Joins the computation of a comparison for the `with` body."""
        ...

    def ask_strict(self, request: StrictRequest) -> AbstractContextManager[Flight[bytes]]:
        """Joins the computation of a strict report for the `with` body."""
        ...

    def cached_response(self, request: ComparisonRequest) -> bytes | None:
        """The first response about the pair if it is cached on disk, else None."""
        ...

    def load(self, side: Side, window: str, report: Reporter) -> Summary:
        """One summary of the side."""
        ...

    def load_within(self, flight: Flight[Any], side: Side, window: str, *, paths: bool = False) -> Summary:
        """`load` as part of another computation; with `paths` the summary has the callers of rows."""
        ...

    def agreed(self, sides: Sequence[Side], window: str, report: Reporter) -> tuple[Side, Side]:
        """Returns both sides with one step marker for all their recordings."""
        ...

    def work(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], files: Sequence[CaptureFile]
    ) -> T:
        """Calls `function(*arguments, report)` on `files`."""
        ...
