"""Where modules are looked for: not in the working directory, which may be a log directory that others write to."""

from __future__ import annotations

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""This package lies here."""


def without_here() -> list[str]:
    """sys.path without the working directory, however it is written, and without what is relative to it. This package's
    own directory is always there; where it is the working directory, as in a checkout, it comes last."""
    here = _resolved(os.curdir)
    kept = [entry for entry in sys.path if os.path.isabs(entry) and _resolved(entry) != here]
    return kept if _HOME in kept else [*kept, _HOME]


def _resolved(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except OSError:  # the working directory was removed
        return ""
