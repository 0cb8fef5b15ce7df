"""Compare two profiler runs: which is slower, by how much, is the difference real, and why.

    import tb_perfcompare
    comparison = tb_perfcompare.compare("logs/normal", "logs/abnormal")
    print(comparison.headline.verdict.value, comparison.headline.reason)

Importing this module imports nothing heavy; each name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tb_perfcompare._version import __version__

if TYPE_CHECKING:
    from tb_perfcompare.api import compare, open_logdir, side, view
    from tb_perfcompare.comparison.result.comparison import Comparison, View
    from tb_perfcompare.comparison.result.headline import Verdict
    from tb_perfcompare.comparison.result.options import CompareOptions
    from tb_perfcompare.comparison.result.table import Table
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
    "compare": "tb_perfcompare.api",
    "open_logdir": "tb_perfcompare.api",
    "side": "tb_perfcompare.api",
    "view": "tb_perfcompare.api",
    "Comparison": "tb_perfcompare.comparison.result.comparison",
    "Table": "tb_perfcompare.comparison.result.table",
    "Verdict": "tb_perfcompare.comparison.result.headline",
    "View": "tb_perfcompare.comparison.result.comparison",
    "CompareOptions": "tb_perfcompare.comparison.result.options",
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
    "CompareOptions",
    "Comparison",
    "CorruptInput",
    "InputError",
    "NotComparable",
    "PerfCompareError",
    "SelectionError",
    "Table",
    "UnrecognisedFormat",
    "Verdict",
    "View",
    "__version__",
    "compare",
    "open_logdir",
    "side",
    "view",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
