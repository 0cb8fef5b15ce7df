"""Which scanner reads traces: the compiled one where it is installed, unless the environment says otherwise.

The scanners are imported when one is made: a listing names the reader and reads no trace.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tb_perfcompare.errors import PerfCompareError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

VARIABLE = "TB_PERFCOMPARE_READER"
"""Environment variable: `native`, `python`, or empty for the faster one that there is."""

NATIVE, PYTHON = "native", "python"

_INTERFACE = 9
"""Of the compiled module that native_scanner.py is written for."""

try:
    from tb_perfcompare.sources.native import _scanner

    if getattr(_scanner, "INTERFACE", None) != _INTERFACE:
        raise ImportError("it is of another version of this package; install the package again")
except ImportError as error:  # no compiler when the package was installed, or a module of another version
    WHY_NOT_NATIVE = str(error)
    AVAILABLE: tuple[str, ...] = (PYTHON,)
else:
    WHY_NOT_NATIVE = ""
    AVAILABLE = (NATIVE, PYTHON)
"""Readers of this installation, the faster one first."""


def active_reader() -> str:
    """NATIVE or PYTHON. Raises PerfCompareError if the environment asks for what there is not."""
    asked = os.environ.get(VARIABLE, "")
    if not asked:
        return AVAILABLE[0]
    if asked in AVAILABLE:
        return asked
    if asked == NATIVE:
        message = f"{VARIABLE}={asked}, but the compiled reader is not installed ({WHY_NOT_NATIVE})"
        raise PerfCompareError(message, hint=f"install the package where there is a C compiler, or unset {VARIABLE}")
    raise PerfCompareError(f"{VARIABLE}={asked} is not a reader", hint=f"give {NATIVE} or {PYTHON}, or unset it")


def new_scanner(reader: str, threads: ThreadPoolExecutor | None = None, count: int = 1) -> PythonScanner:
    """A scanner for one list of events. The compiled one has `count` of these threads scan, if they are several."""
    if reader == NATIVE and threads is not None and count > 1:
        from tb_perfcompare.sources.trace.scanners.parallel_scanner import ParallelScanner

        return ParallelScanner(threads, count)
    if reader == NATIVE:
        from tb_perfcompare.sources.trace.scanners.native_scanner import NativeScanner

        return NativeScanner()
    from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

    return PythonScanner()
