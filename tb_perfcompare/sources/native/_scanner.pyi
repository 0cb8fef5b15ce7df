from typing import Any

INTERFACE: int
SOURCE_HASH: str

def plain_strings(texts: bytes, text_ends: bytes, numbers: bytes, /) -> tuple[list[str | None], list[int]]: ...
def trim() -> None: ...

class Column:
    """Bytes that numpy accesses without a copy."""

    def __len__(self) -> int: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class Scan:
    def __new__(
        cls,
        keys: tuple[bytes, ...],
        kinds: bytes,
        memory: bytes,
        flows: tuple[bytes, ...],
        arrows: tuple[bytes, ...],
        handed_phases: tuple[bytes, ...],
        handed_names: tuple[bytes, ...],
        seed: int,
        /,
    ) -> Scan: ...
    def take(self, data: bytes, start: int, stop: int, /) -> int: ...  # below zero: -1 - end
    def settle(self, keep: bool, /) -> None: ...
    def absorb(self, other: Scan, /) -> None: ...
    def handed(self) -> bytes: ...
    def finish(self) -> dict[str, Any]: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...
    @property
    def ends_with_event(self) -> bool: ...
