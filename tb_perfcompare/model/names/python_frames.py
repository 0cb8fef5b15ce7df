"""Names of Python functions as in profilers: `/opt/site-packages/torch/nn/modules/module.py(1130): forward`."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

_FRAME = re.compile(r"(?P<file>[^()]+\.pyx?)\((?P<line>\d+)(?:/\d+)?\): (?P<function>.+)", re.DOTALL)
_INSTALLED = re.compile(r"^.*(?:(?:site|dist)-packages|[/\\]lib[/\\]python3(?:\.\d+)?)[/\\]", re.DOTALL)

_LIBRARIES = sys.stdlib_module_names | {"torch"}


class PythonFrame(NamedTuple):
    """A Python function; `file` is relative to its installation directory, `line` the first if the sides were joined
    ("model.py(10/12): f")."""

    file: str
    line: int
    function: str


def python_frame(name: str) -> PythonFrame | None:
    """Parses a Python function's name; None for anything else, such as `<built-in function len>`."""
    match = _FRAME.fullmatch(name)
    if match is None:
        return None
    return PythonFrame(_INSTALLED.sub("", match["file"]), int(match["line"]), match["function"])


def is_of_program(name: str) -> bool:
    """Whether this is a Python function of the program, and not of PyTorch, the standard library or an installed
    package. PyTorch shortens paths: `train.py(12): step`, `torch/nn/modules/module.py(1130): forward`."""
    match = _FRAME.fullmatch(name)
    if match is None or _INSTALLED.match(match["file"]):
        return False
    return re.split(r"[/\\]", match["file"])[0].removesuffix(".py") not in _LIBRARIES


def function_key(name: str) -> str:
    """The name without installation directory and line: the same in two versions of a package."""
    frame = python_frame(name)
    return name if frame is None else f"{frame.file}: {frame.function}"
