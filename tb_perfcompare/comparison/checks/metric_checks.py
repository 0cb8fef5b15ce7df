"""Whether both sides use the same metrics: profilers offer several for one figure such as "tensor pipe active", and
two of them differ even if the kernels do not."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.model.summary.summary import METRIC_SETTING, Summary

_FIGURES = {
    "tensor_active": "tensor pipe",
    "dram_active": "DRAM",
    "achieved_occupancy": "achieved occupancy",
    "sm_throughput": "SM throughput",
}


def utilisation_metrics(a: Summary, b: Summary) -> Check:
    """Warns if a figure that both sides have comes from different metrics, or if only one side names its metric."""
    found, figures = list[str](), list[str]()
    for figure, words in _FIGURES.items():
        if not (_has(a, figure) and _has(b, figure)):
            continue
        x, y = (dict(side.environment).get(METRIC_SETTING + figure, "") for side in (a, b))
        if x == y:
            continue
        figures.append(figure)
        if x and y:
            found.append(f"{words}: {x} vs {y}")
        else:
            silent, named = ("baseline", f"the candidate's is {y}") if y else ("candidate", f"the baseline's is {x}")
            found.append(f"{words}: the {silent} does not name its metric, {named}")
    if found:
        detail = f"figures of different metrics are not comparable: {'; '.join(found)}"
        bound = ("bound",) if {"tensor_active", "dram_active"} & set(figures) else ()
        return Check("utilisation_metrics", "warn", detail, (*figures, *bound))
    return Check("utilisation_metrics", "ok", "all figures come from the same metrics")


def _has(summary: Summary, figure: str) -> bool:
    kernels = summary.groups.get("kernels")
    return kernels is not None and figure in kernels.facts and bool(np.isfinite(kernels.facts[figure]).any())
