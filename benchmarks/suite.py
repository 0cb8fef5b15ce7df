"""All benchmarks by name, in the order of benchmarks/results.md."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.cases import (
    aggregate_10m,
    bound_fraction,
    compare_two_runs,
    damaged,
    every_core,
    fallback_parity,
    iteration_kinds,
    many_runs,
    mixed_http,
    peak_memory,
    read_vs_json,
    routes,
    scaling,
    start_up,
    tables_vs_tbp,
    work_models,
)
from benchmarks.figures import Section
from benchmarks.setting import Setting

_MODULES = (
    read_vs_json, tables_vs_tbp, compare_two_runs, peak_memory, scaling, bound_fraction, every_core, aggregate_10m,
    iteration_kinds, work_models, fallback_parity, damaged, mixed_http, many_runs, routes, start_up,
)  # fmt: skip

SUITE: dict[str, Callable[[Setting], Section]] = {module.NAME: module.run for module in _MODULES}
