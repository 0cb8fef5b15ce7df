"""One torch.profiler trace as the events that its file holds, for a program that has its own idea of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note


@dataclass(frozen=True, slots=True, eq=False)
class TraceEvents:
    """
    events      decoded, in file order: `ph`, `cat`, `name`, `pid`, `tid`, `ts`, `dur`, `id`, `args` as far as written
    properties  root members other than traceEvents, decoded
    notes       damage and repairs
    """

    file: FileFacts
    events: Sequence[dict[str, Any]]
    properties: Mapping[str, Any]
    notes: tuple[Note, ...]
