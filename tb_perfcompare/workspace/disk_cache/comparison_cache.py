"""Finished comparisons on disk, so that opening a pair again computes nothing.

One file per comparison: the JSON of the tab's first response, then the comparison as MessagePack; reading them never
runs code. The key covers everything the comparison depends on: the names and content of all files, steps, options and
this package's code. Not cached: comparisons with files left out, as those may be readable the next time, and very large
ones, which are faster to compute again. Documented in docs/internals/reliability.md.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from tb_perfcompare.workspace.disk_cache.disk_store import COMPARISON
from tb_perfcompare.workspace.disk_cache.response_cache import ResponseCache

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest

MAX_ROWS = 500_000
"""Maximum rows of all tables together. Writing 800,000 takes twice as long as comparing, and 360 MB."""


class ComparisonCache(ResponseCache):
    """Comparisons by request, in the same directory as the summaries. Failures are never raised: the comparison is then
    not cached."""

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
