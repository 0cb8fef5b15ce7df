"""Who owns the time: role ranges and torch-tb-profiler's priority algebra."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events.intervals import Ranges, intersect, subtract, union
from tb_perfcompare.analysis.compat.events.kinds import Kind, is_loader
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.steps import Steps
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Flags


class Role(IntEnum):
    """Owners of time in priority order; OTHER is what none of them covers."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    COMMUNICATION = 3
    RUNTIME = 4
    DATALOADER = 5
    CPU_OP = 6
    OTHER = 7


ROLE_LABELS = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")


@dataclass(frozen=True, slots=True, eq=False)
class RoleRanges:
    """`ranges` per Role below OTHER: disjoint and sorted, not clipped to steps, roles overlapping each other."""

    ranges: tuple[Ranges, ...]

    def has(self, *roles: Role) -> bool:
        """True if any of the roles has a range."""
        return any(len(self.ranges[role]) for role in roles)

    @property
    def has_device(self) -> bool:
        """Kernels (outside collectives) or copies were recorded."""
        return self.has(Role.KERNEL, Role.MEMCPY, Role.MEMSET)

    @property
    def has_device_or_runtime(self) -> bool:
        """As has_device, or API calls were recorded."""
        return self.has_device or self.has(Role.RUNTIME)

    def parts(self, steps: Steps) -> tuple[Ranges, ...]:
        """Per Role (OTHER included) the time it owns.

        A role takes what higher roles left free of the steps. Kept for equal figures: the first role is not clipped to
        the steps, and when the roles so far leave nothing free, the next one is taken whole and the free time starts
        again with all steps, so that parts may sum to more than the steps.
        """
        whole = union(steps.start, steps.end)
        free = Ranges(whole.start[:0], whole.end[:0])
        parts = []
        for role in self.ranges:
            if len(free):
                part = intersect(free, role)
            else:
                part, free = role, whole
            parts.append(part)
            free = subtract(free, part)
        return (*parts, free)


def classify(stream: EventStream, links: Links) -> RoleRanges:
    """Role ranges of a trace."""
    kind = stream.kind
    collective = np.isin(stream.external_id, links.collectives)
    hosts = _is(kind, Kind.PYTHON, Kind.OPERATOR, Kind.ANNOTATION)
    communication = hosts & stream.named(stream.variant.collective_library)
    kernel, memcpy = kind == Kind.KERNEL, kind == Kind.MEMCPY
    device_communication = kernel & collective
    if stream.variant.copies_in_collectives:
        device_communication |= memcpy & collective
    loader = stream.named(is_loader) & _is(kind, Kind.OPERATOR, Kind.ANNOTATION) & ~communication
    masks = (
        kernel & ~device_communication,
        memcpy & ~device_communication,
        kind == Kind.MEMSET,
        communication | device_communication,
        kind == Kind.RUNTIME,
        loader,
        hosts & ~communication & ~loader,
    )
    return RoleRanges(tuple(union(stream.start[mask], stream.end[mask]) for mask in masks))


def _is(kind: NDArray[np.int8], *kinds: Kind) -> Flags:
    return np.isin(kind, kinds)
