"""How much is tried: a sample with the suite, everything with TB_PERFCOMPARE_THOROUGH=1 (CONTRIBUTING.md)."""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("TB_PERFCOMPARE_THOROUGH"))
EXAMPLES = 500 if THOROUGH else 8
"""Of each law."""


def sample(whole: int, share: int) -> int:
    """How many of so many are tried: one in `share` with the suite."""
    return whole if THOROUGH else whole // share
