"""Chooses the scanner for traces: the compiled one if installed, unless the environment says otherwise.

Scanners are imported only when created: a listing names the reader and reads no trace.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tb_perfcompare.errors import PerfCompareError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

VARIABLE = "TB_PERFCOMPARE_READER"
"""Environment variable: `native`, `python`, or empty for the fastest one available."""

NATIVE, PYTHON = "native", "python"

_INTERFACE = 9
"""Interface of the compiled module that native_scanner.py requires."""

try:
    from tb_perfcompare.sources.native import _scanner

    if getattr(_scanner, "INTERFACE", None) != _INTERFACE:
        raise ImportError("it is of another version of this package; install the package again")
except ImportError as error:  # installed without a compiler, or a module of another version
    WHY_NOT_NATIVE = str(error)
    AVAILABLE: tuple[str, ...] = (PYTHON,)
else:
    WHY_NOT_NATIVE = ""
    AVAILABLE = (NATIVE, PYTHON)
"""Readers of this installation, the faster one first."""


def active_reader() -> str:
    """NATIVE or PYTHON. Raises PerfCompareError if the environment requests an unavailable reader."""
    requested = os.environ.get(VARIABLE, "")
    if not requested:
        return AVAILABLE[0]
    if requested in AVAILABLE:
        return requested
    if requested == NATIVE:
        message = f"{VARIABLE}={requested}, but the compiled reader is not installed ({WHY_NOT_NATIVE})"
        raise PerfCompareError(message, hint=f"install the package where there is a C compiler, or unset {VARIABLE}")
    raise PerfCompareError(f"{VARIABLE}={requested} is not a reader", hint=f"give {NATIVE} or {PYTHON}, or unset it")


def new_scanner(reader: str, threads: ThreadPoolExecutor | None = None, count: int = 1) -> PythonScanner:
    """A scanner for one list of events. The compiled one scans in `count` threads if `count` is more than one."""
    if reader == NATIVE and threads is not None and count > 1:
        from tb_perfcompare.sources.trace.scanners.parallel_scanner import ParallelScanner

        return ParallelScanner(threads, count)
    if reader == NATIVE:
        from tb_perfcompare.sources.trace.scanners.native_scanner import NativeScanner

        return NativeScanner()
    from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

    return PythonScanner()
