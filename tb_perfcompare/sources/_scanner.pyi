from typing import Any

INTERFACE: int
ALL: int
ROOM: int
INPUT: int
FOREIGN: int
SOURCE_HASH: str

def checksum(data: bytes, before: int, /) -> int: ...  # only where it is quicker than zlib.crc32

class Scan:
    def __new__(
        cls,
        keys: tuple[bytes, ...],
        kinds: bytes,
        memory: bytes,
        flows: tuple[bytes, ...],
        arrows: tuple[bytes, ...],
        left_out: tuple[bytes, ...],
        handed_phases: tuple[bytes, ...],
        handed_names: tuple[bytes, ...],
        seed: int,
        /,
    ) -> Scan: ...
    def take(self, data: bytes, start: int, stop: int, /) -> int: ...
    def settle(self, keep: bool, /) -> None: ...
    def handed(self) -> bytes: ...
    def finish(self) -> dict[str, Any]: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...

class Inflate:
    def __new__(cls) -> Inflate: ...
    def more(self, data: bytes, start: int, is_all: bool, room: int, /) -> tuple[bytes, int, int]: ...
