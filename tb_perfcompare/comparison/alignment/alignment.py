"""Matches the work of two runs whose names differ: across devices, libraries and versions.

Operators are matched first, then the kernels below them. All device work of both sides is in exactly one match, so
that times add up to the nanosecond. Rules, confidence and limits: docs/method/alignment.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.comparison.alignment.kernel_matches import ALONE, ONE_BY_ONE, OTHERS, SAME, WEAK, KernelMatch
from tb_perfcompare.comparison.alignment.operator_matches import BY_OPERATOR, OperatorMatch, match_operators
from tb_perfcompare.comparison.alignment.place_tree import PlaceTree, has_shapes, side_of, units_of_work
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Alignment:
    """Result of the alignment.

    steps         admitted steps of both sides: times and calls are totals over them
    units         units of work to which calls of both sides are related; the steps unless a side has no step markers
    has_shapes    both sides recorded input shapes, and operators were matched by them
    has_operators per side, whether any device work has an operator
    """

    steps: tuple[int, int]
    units: tuple[int, int]
    has_shapes: bool
    has_operators: tuple[bool, bool]
    matches: tuple[OperatorMatch, ...]

    def total_ns(self, side: int) -> int:
        """Time of all device work of a side: kernels, copies, sets and collectives, overlaps counted twice."""
        return sum(match.time_ns[side] for match in self.matches)

    def matched_ns(self, side: int) -> int:
        """Device time below matched operators, without weak matches."""
        return sum(
            match.time_ns[side] for match in self.matches if match.rule in BY_OPERATOR and match.confidence != WEAK
        )

    def weak_ns(self, side: int) -> int:
        """Device time in weak matches."""
        return sum(match.time_ns[side] for match in self.matches if not match.is_alone and match.confidence == WEAK)

    def alone_ns(self, side: int) -> int:
        """Device time without a counterpart on the other side."""
        return sum(match.time_ns[side] for match in self.matches if match.is_alone)

    def kernels_ns(self, side: int, kinds: frozenset[str] = ONE_BY_ONE) -> int:
        """Time of kernels with particular counterparts on the other side (match kinds `kinds`), without weak
        matches."""
        return sum(
            kernel.time_ns(side)
            for match, kernel in self.kernel_matches()
            if kernel.kind in kinds and kernel.confidence != WEAK and (match.confidence != WEAK or kernel.kind == SAME)
        )

    def kernel_matches(self) -> Iterator[tuple[OperatorMatch, KernelMatch]]:
        """Yields matches of kernels, each with its match of operators."""
        for match in self.matches:
            for kernel in match.kernels:
                yield match, kernel


def align(baseline: Summary, candidate: Summary) -> Alignment | None:
    """Aligns the device work of two sides; None unless both have some."""
    a, b = baseline.work, candidate.work
    if a is None or b is None or not len(a.work) or not len(b.work):
        return None
    steps = (len(baseline.steps), len(candidate.steps))
    shapes = has_shapes(a) and has_shapes(b)
    units = steps if baseline.marked and candidate.marked else units_of_work(a, b, steps)
    operators = (len(a.operators) > 0, len(b.operators) > 0)
    tree = PlaceTree()
    side_a, side_b = (side_of(work, tree, shapes=shapes) for work in (a, b))
    matches = match_operators(tree, side_a, side_b, units)
    return Alignment(steps, units, shapes, operators, matches)


def row_kind(kernels: tuple[KernelMatch, ...]) -> str:
    """Kind of the kernels' correspondence in a match of operators: the kind with most of the time of both sides;
    `same name` only if there is no other."""
    time: dict[str, int] = {}
    for kernel in kernels:
        time[kernel.kind] = time.get(kernel.kind, 0) + kernel.time_ns(0) + kernel.time_ns(1)
    if set(time) <= {SAME}:
        return SAME
    if set(time) == {ALONE}:
        return ALONE
    pairs = {kind: ns for kind, ns in time.items() if kind not in (SAME, ALONE)}
    most = [kind for kind, ns in pairs.items() if ns == max(pairs.values())]
    return most[0] if len(most) == 1 else OTHERS  # a draw, or one-sided kernels next to kernels of the same name
