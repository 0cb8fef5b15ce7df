"""The compiled module of the readers, where it is there and of this version: importing this fails where it is not.

Apart from what uses it, so that a listing can say what will read the traces without loading that."""

from __future__ import annotations

from tb_perfcompare.sources.native import _scanner

INTERFACE = 9
"""Of the compiled module that trace/scanners/native_scanner.py is written for."""

if getattr(_scanner, "INTERFACE", None) != INTERFACE:
    raise ImportError("it is of another version of this package; install the package again")
