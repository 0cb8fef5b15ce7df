"""Keeps modules from being imported from the working directory, which may be a log directory that others write to."""

from __future__ import annotations

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""Directory that contains this package."""


def without_working_directory() -> list[str]:
    """sys.path without the working directory, however it is spelled, and without relative entries.

    The directory of this package is always included; if it is the working directory, as in a checkout, it comes last.
    """
    here = _resolved(os.curdir)
    entries = [entry for entry in sys.path if os.path.isabs(entry) and _resolved(entry) != here]
    return entries if _HOME in entries else [*entries, _HOME]


def _resolved(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except OSError:  # the working directory was removed
        return ""
