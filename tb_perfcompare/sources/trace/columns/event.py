"""One element of traceEvents, as decoded."""

from __future__ import annotations

import msgspec

NULL = msgspec.Raw(b"null")


class Event(msgspec.Struct, gc=False):
    """The members of an element that are used; numbers and arguments stay JSON text."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: msgspec.Raw = NULL
    dur: msgspec.Raw = NULL
    id: msgspec.Raw = NULL
    args: dict[str, msgspec.Raw] | None = None
