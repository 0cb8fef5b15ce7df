"""Checks that the compiled module exists and matches this version; importing this module fails otherwise.

Separate from its users, so that a listing can name the scanner without importing it.
"""

from __future__ import annotations

from tb_perfcompare.sources.native import _scanner

INTERFACE = 9
"""Interface of the compiled module that trace/scanners/native_scanner.py requires."""

if getattr(_scanner, "INTERFACE", None) != INTERFACE:
    raise ImportError("it is of another version of this package; install the package again")
