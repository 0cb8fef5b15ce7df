"""Compare two profiler runs: which is slower, by how much, is the difference real, and why.

    import tb_perfcompare
    comparison = tb_perfcompare.compare_runs("logs/normal", "logs/abnormal")
    print(comparison.headline.verdict, comparison.headline.reason)

Importing this module imports nothing heavy; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tb_perfcompare._version import __version__

if TYPE_CHECKING:
    from tb_perfcompare.api import compare_runs, open_logdir
    from tb_perfcompare.comparison.comparison import Comparison, Verdict
    from tb_perfcompare.errors import (
        Cancelled,
        CorruptInput,
        InputError,
        NotComparable,
        PerfCompareError,
        SelectionError,
        UnrecognisedFormat,
    )

_HOMES = {
    "compare_runs": "tb_perfcompare.api",
    "open_logdir": "tb_perfcompare.api",
    "Comparison": "tb_perfcompare.comparison.comparison",
    "Verdict": "tb_perfcompare.comparison.comparison",
    "Cancelled": "tb_perfcompare.errors",
    "CorruptInput": "tb_perfcompare.errors",
    "InputError": "tb_perfcompare.errors",
    "NotComparable": "tb_perfcompare.errors",
    "PerfCompareError": "tb_perfcompare.errors",
    "SelectionError": "tb_perfcompare.errors",
    "UnrecognisedFormat": "tb_perfcompare.errors",
}

__all__ = [
    "Cancelled",
    "Comparison",
    "CorruptInput",
    "InputError",
    "NotComparable",
    "PerfCompareError",
    "SelectionError",
    "UnrecognisedFormat",
    "Verdict",
    "__version__",
    "compare_runs",
    "open_logdir",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
