"""One element of traceEvents as the decoder gives it."""

from __future__ import annotations

import msgspec

NULL = msgspec.Raw(b"null")


class Event(msgspec.Struct, gc=False):
    """An element as far as anything is kept of it; numbers and arguments stay JSON text."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: msgspec.Raw = NULL
    dur: msgspec.Raw = NULL
    id: msgspec.Raw = NULL
    args: dict[str, msgspec.Raw] | None = None
