INTERFACE: int
SOURCE_HASH: str

def nest(
    lane: bytes, lanes: int, start: bytes, end: bytes, ties: tuple[bytes, ...], /
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
def order(first: bytes, second: bytes, ties: tuple[bytes, ...], /) -> bytes: ...
def sweep(
    start: bytes,
    end: bytes,
    role: bytes,
    shared: int,
    ties: tuple[bytes, ...],
    step_start: bytes,
    step_end: bytes,
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]: ...
