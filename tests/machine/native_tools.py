"""What this machine has for building the compiled reader."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def native_tools() -> ModuleType:
    """build_support/native.py, which is no part of the installed package."""
    spec = importlib.util.spec_from_file_location("build_support_native", ROOT / "build_support" / "native.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def why_not_buildable() -> str:
    """What is missing for compiling a module for this Python; "" if nothing is."""
    if not native_tools().is_possible():
        return "a Python without the limited API"
    if os.name == "nt":
        return "" if shutil.which("cl") else "no compiler on PATH"
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"no compiler ({compiler})"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return "" if header.is_file() else f"no headers of Python ({header})"
