"""The distribution functions of scipy, which take a tenth of a second to import: imported where a comparison computes
with them, or before it by whoever has the time."""

from __future__ import annotations


def load() -> None:
    """Imports them."""
    import scipy.special  # noqa: F401
