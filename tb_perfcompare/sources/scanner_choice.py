"""Which scanner reads traces: the compiled one where it is installed, unless the environment says otherwise."""

from __future__ import annotations

import os

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.scan import PythonScanner

VARIABLE = "TB_PERFCOMPARE_READER"
"""Environment variable: `native`, `python`, or empty for the faster one that there is."""

NATIVE, PYTHON = "native", "python"

try:
    from tb_perfcompare.sources.native_scan import NativeScanner
except ImportError as error:  # no compiler when the package was installed, or a module of another version
    WHY_NOT_NATIVE = str(error)
    _SCANNERS: dict[str, type[PythonScanner]] = {PYTHON: PythonScanner}
else:
    WHY_NOT_NATIVE = ""
    _SCANNERS = {NATIVE: NativeScanner, PYTHON: PythonScanner}

AVAILABLE = tuple(_SCANNERS)
"""Readers of this installation, the faster one first."""


def active_reader() -> str:
    """NATIVE or PYTHON. Raises PerfCompareError if the environment asks for what there is not."""
    asked = os.environ.get(VARIABLE, "")
    if not asked:
        return AVAILABLE[0]
    if asked in _SCANNERS:
        return asked
    if asked == NATIVE:
        message = f"{VARIABLE}={asked}, but the compiled reader is not installed ({WHY_NOT_NATIVE})"
        raise PerfCompareError(message, hint=f"install the package where there is a C compiler, or unset {VARIABLE}")
    raise PerfCompareError(f"{VARIABLE}={asked} is no reader", hint=f"give {NATIVE} or {PYTHON}, or unset it")


def new_scanner(reader: str, *, skip_python_functions: bool = False) -> PythonScanner:
    """A scanner for one list of events."""
    return _SCANNERS[reader](skip_python_functions=skip_python_functions)
