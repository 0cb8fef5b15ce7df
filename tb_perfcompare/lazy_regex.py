"""`regex` in place of `re.compile` for the constants of a module: compiles a pattern when it is first used.

Compiling takes 0.07 ms per pattern; of the 190 patterns that a comparison imports, it uses 80, and a list of pairs uses
28 of 85.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _LazyRegex:
    """Has the attributes of an `re.Pattern`."""

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self.pattern = pattern
        self._given_flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compiles the pattern and keeps its methods as attributes, so that Python does not ask here again."""
        compiled = re.compile(self.pattern, self._given_flags)
        self.__dict__ |= {method: getattr(compiled, method) for method in _METHODS}
        return getattr(compiled, name)


if TYPE_CHECKING:
    regex = re.compile
else:
    regex = _LazyRegex
