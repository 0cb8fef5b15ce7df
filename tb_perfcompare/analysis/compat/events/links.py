"""Device work to the API call that launched it, by correlation; collectives by External id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events.kinds import DEVICE_KINDS, Kind
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """R runtime calls, D device events that have one.

    runtime        (R,) stream positions, ascending
    device         (D,) stream positions, grouped by call
    offset         (R + 1,) call r launched device[offset[r]:offset[r + 1]]
    orphans        stream positions of kernels no call launched, by (start, -end)
    used_devices   distinct `pid`s of device events
    collectives    (c,) External ids of collectives' host events; ABSENT is an id like any other
    libraries      libraries whose collectives were seen
    """

    runtime: Ints
    device: Ints
    offset: Ints
    orphans: Ints
    used_devices: int
    collectives: Ints
    libraries: frozenset[str]

    def launched_sums(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """(R,) per call the sum, left to right, of `values` ((D,) parallel to `device`)."""
        owner = np.repeat(np.arange(len(self.runtime)), np.diff(self.offset))
        sums = np.zeros(len(self.runtime), dtype=values.dtype)
        np.add.at(sums, owner, values)
        return sums


def link(stream: EventStream) -> Links:
    """Links of a trace."""
    runtime = stream.of(Kind.RUNTIME)
    device = stream.of(*DEVICE_KINDS)
    owner, waiting = _owners(stream, runtime, device)
    orphans = device[(owner < 0) & (stream.kind[device] == Kind.KERNEL)]
    orphans = orphans[np.lexsort((-stream.end[orphans], stream.start[orphans]))]
    claimed = owner >= 0
    device, owner, waiting = device[claimed], owner[claimed], waiting[claimed]
    # work that started before its call is taken by the call as a block, by (start, -end); later work is appended
    order = np.lexsort(
        (device, np.where(waiting, -stream.end[device], 0), np.where(waiting, stream.start[device], 0), ~waiting, owner)
    )
    offset = np.searchsorted(owner[order], np.arange(len(runtime) + 1))
    collectives, libraries = _collectives(stream)
    lanes = np.unique(stream.lane[stream.of(*DEVICE_KINDS)]).tolist()
    return Links(
        runtime=runtime,
        device=device[order],
        offset=offset,
        orphans=orphans,
        used_devices=len({stream.table.lanes.pid[lane] for lane in lanes}),
        collectives=collectives,
        libraries=libraries,
    )


def _owners(
    stream: EventStream, runtime: Ints, device: Ints
) -> tuple[Ints, Flags]:
    """Per device event: index of its call (-1 for none), and whether it had to wait for the call to appear.

    The call is the latest one with that correlation before the event in time order, else the first one after it. A
    missing correlation is a value like any other.
    """
    if not len(runtime) or not len(device):
        return np.full(len(device), -1), np.zeros(len(device), dtype=np.bool_)
    code = np.unique(np.concatenate((stream.correlation[runtime], stream.correlation[device])), return_inverse=True)[1]
    of_runtime, of_device = code[: len(runtime)], code[len(runtime) :]
    by_code = np.argsort(of_runtime, kind="stable")
    stride = len(stream) + 1
    calls = of_runtime[by_code] * stride + runtime[by_code]
    slot = np.searchsorted(calls, of_device * stride + device) - 1
    first = np.searchsorted(of_runtime[by_code], of_device, side="left")
    after = np.searchsorted(of_runtime[by_code], of_device, side="right")
    waiting = slot < first
    slot = np.where(waiting, first, slot)
    found = first < after
    owner = np.where(found, by_code[np.where(found, slot, 0)], -1)
    return owner, waiting & found


def _collectives(stream: EventStream) -> tuple[Ints, frozenset[str]]:
    """External ids of the host events named like a collective, and the libraries in those names."""
    library = stream.variant.collective_library
    hosts = np.isin(stream.kind, (Kind.OPERATOR, Kind.PYTHON, Kind.ANNOTATION))
    named = hosts & stream.named(library)
    libraries = frozenset(library(stream.texts[index]) for index in np.unique(stream.name[named]).tolist())
    return np.unique(stream.external_id[named]), libraries
