"""Names of Python functions as profilers write them: `/opt/site-packages/torch/nn/modules/module.py(1130): forward`."""

from __future__ import annotations

import re
from typing import NamedTuple

_FRAME = re.compile(r"(?P<file>[^()]+\.pyx?)\((?P<line>\d+)\): (?P<function>.+)", re.DOTALL)
_INSTALLED = re.compile(r"^.*(?:(?:site|dist)-packages|[/\\]lib[/\\]python3(?:\.\d+)?)[/\\]", re.DOTALL)


class PythonFrame(NamedTuple):
    """`file` is below where it is installed."""

    file: str
    line: int
    function: str


def python_frame(name: str) -> PythonFrame | None:
    """None for anything else, such as `<built-in function len>`."""
    found = _FRAME.fullmatch(name)
    if found is None:
        return None
    return PythonFrame(_INSTALLED.sub("", found["file"]), int(found["line"]), found["function"])


def function_key(name: str) -> str:
    """The name without where its file is installed and its line, the same in two versions of a package."""
    frame = python_frame(name)
    return name if frame is None else f"{frame.file}: {frame.function}"
