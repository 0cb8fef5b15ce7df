"""Finished comparisons on disk, so that opening a pair again computes nothing.

One file per comparison: the JSON of the tab's first response, then the comparison as MessagePack; reading them never
runs code. The key covers everything the comparison depends on: the names and content of all files, steps, options and
this package's code. Not cached: comparisons with files left out, as those may be readable the next time, and very large
ones, which are faster to compute again. Imports nothing that compares, so that a newly started server can send a
response at once. Documented in docs/internals/reliability.md.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal

import msgspec

from tb_perfcompare.workspace.disk_cache.cache_keys import entry_key
from tb_perfcompare.workspace.disk_cache.disk_store import COMPARISON, DiskStore

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest

WORTH_KEEPING_BYTES = 16 * 2**10
"""Pairs with less input are not cached, as an entry is larger than that. Comparing costs a command at least 0.4 s of
CPU time, half of it for imports; reading an entry instead 0.2 s, and writing one 0.01 s."""

MAX_ROWS = 500_000
"""Maximum rows of all tables together. Writing 800,000 takes twice as long as comparing, and 360 MB."""


class _Answer(msgspec.Struct):
    """Schema that a cached response is checked against before it is sent; nested values are not decoded."""

    schema: Literal["tb_perfcompare.comparison/1"]
    version: str
    baseline: dict[str, msgspec.Raw]
    candidate: dict[str, msgspec.Raw]
    window: str
    headline: dict[str, msgspec.Raw]
    ledger: dict[str, msgspec.Raw]
    findings: list[msgspec.Raw]
    unexplained_us: float | None
    no_finding: str | None
    comparability: list[msgspec.Raw]
    peaks: dict[str, msgspec.Raw]
    caveats: list[msgspec.Raw]
    notes: list[msgspec.Raw]
    tables: dict[str, dict[str, msgspec.Raw]]


class ComparisonCache:
    """Comparisons and first responses by request, in the same directory as the summaries. Errors are never raised: the
    comparison then counts as not cached."""

    def __init__(self, entries: DiskStore) -> None:
        self._entries = entries

    def key(self, request: ComparisonRequest) -> str | None:
        """Key of a request, with the files as they are now; None if one cannot be read or the pair is too small to
        cache."""
        files = (*request.baseline.all_files, *request.candidate.all_files)
        if sum(file.bytes for file in files) < WORTH_KEEPING_BYTES:
            return None
        try:
            return entry_key(request, names=True)
        except OSError:
            return None

    def get_response(self, request: ComparisonRequest) -> bytes | None:
        """The response to a request if it is on disk, else None."""
        key = self.key(request)
        return None if key is None else self.read_response(key)

    def read_response(self, key: str) -> bytes | None:
        """The response under a key, as JSON from render/wire/pages.py, or None."""
        return self._entries.read(self._entries.path(key, COMPARISON), _checked_answer)

    def get(self, key: str) -> Comparison | None:
        """The comparison cached under the key, or None."""
        from tb_perfcompare.workspace.disk_cache.comparison_codec import from_bytes

        return self._entries.read(self._entries.path(key, COMPARISON), from_bytes, part=1)

    def put(self, key: str, request: ComparisonRequest, comparison: Comparison) -> None:
        """Writes the comparison, unless a file was left out or has changed since `key` was computed, or it has too many
        rows."""
        if comparison.files_left_out or sum(len(table.rows) for table in comparison.tables.values()) > MAX_ROWS:
            return
        if key != self.key(request):
            return
        from tb_perfcompare.render.wire.pages import comparison_answer
        from tb_perfcompare.workspace.disk_cache.comparison_codec import as_bytes

        try:
            body = as_bytes(comparison)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            return  # an integer beyond 64 bits, or a text that is not valid Unicode
        with contextlib.suppress(OSError):
            self._entries.write(self._entries.path(key, COMPARISON), comparison_answer(comparison), body)


def _checked_answer(body: bytes) -> bytes:
    """Returns the body. Raises ValueError (as msgspec's errors are) if it is not a valid response."""
    msgspec.json.decode(body, type=_Answer)
    return body
