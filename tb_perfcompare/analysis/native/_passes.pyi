from typing import TypeAlias

INTERFACE: int
SOURCE_HASH: str

Ties: TypeAlias = tuple[bytes | tuple[bytes, bytes], ...]

def nest(
    lane: bytes, lanes: int, start: bytes, end: bytes, ties: Ties, rows: bytes | None, /
) -> tuple[bytes, bytes, bytes, bytes, bytes, int]: ...
def innermost(
    node_lane: bytes,
    lanes: int,
    node_start: bytes,
    node_end: bytes,
    node_parent: bytes,
    lane: bytes,
    at: bytes,
    /,
) -> bytes: ...
def sum_upwards(parent: bytes, own: bytes, /) -> bytes: ...
def least_upwards(parent: bytes, own: bytes, /) -> bytes: ...
def order(first: bytes, second: bytes, ties: Ties, /) -> bytes: ...
def sweep(
    start: bytes,
    end: bytes,
    role: bytes,
    shared: int,
    ties: Ties,
    step_start: bytes,
    step_end: bytes,
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]: ...
def number(first: bytes, second: bytes | None, seconds: int, size: int, /) -> tuple[bytes, bytes]: ...
def paths(
    above: bytes, root: bytes, key: bytes, wanted: bytes, roots: int, /
) -> tuple[bytes, bytes, bytes, bytes]: ...
