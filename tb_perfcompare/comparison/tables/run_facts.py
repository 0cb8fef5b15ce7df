"""Tables of what is known about a whole run: device figures, limits of launches, environment, recommendations; of two
sides or of one run."""

from __future__ import annotations

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.caveats import merged
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import setting_value, setting_words
from tb_perfcompare.comparison.tables.counter_join import device_labels
from tb_perfcompare.comparison.tables.step_tables import READING
from tb_perfcompare.model.summary.summary import BOUND, BOUND_CLASSES, CYCLE_TIME, Summary
from tb_perfcompare.units import Better

_BOUND_WHAT = (
    "limiting resource: a tensor-bound (memory-bound) launch keeps the tensor pipe (the memory) busy for at "
    f"least {100 * BOUND:g} % of its peak"
)
_BOUND_BY = columns.key("class", "Bound by", _BOUND_WHAT)
_BOUND_TITLE = "What limits the launches"


def bound_table(baseline: Summary, candidate: Summary) -> Table | None:
    """Table of device time per step by what limits it; None if a side's launches have no utilization."""
    if not baseline.bound_ns or not candidate.bound_ns:
        return None
    rows: list[tuple[Cell, ...]] = []
    for name in BOUND_CLASSES:
        x = baseline.bound_ns.get(name, 0) / len(baseline.steps) / 1000
        y = candidate.bound_ns.get(name, 0) / len(candidate.steps) / 1000
        if x or y:
            rows.append((name, x, y, y - x))
    shown = (_BOUND_BY, *columns.triple("", "", "Device time"))
    return Table("bound", _BOUND_TITLE, shown, tuple(rows), (_BOUND_WHAT,))


def own_bound(summary: Summary) -> Table | None:
    """Table of device time by what limits the launches; None if their utilization is not recorded."""
    if not summary.bound_ns:
        return None
    total = sum(summary.bound_ns.values())
    steps = len(summary.steps)
    rows = tuple(
        (name, ns / steps / 1000, ns / total if total else None) for name, ns in summary.bound_ns.items() if ns
    )
    shown = (
        _BOUND_BY,
        columns.time("mean_us", "Device time", f"device time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of all device time"),
    )
    return Table("bound", _BOUND_TITLE, shown, rows, (_BOUND_WHAT,))


_METRICS = {
    "tensor_active": (
        "Tensor pipe active",
        "busy time of the tensor pipe over kernel time, weighted by time",
        Better.HIGHER,
    ),
    "dram_active": ("DRAM throughput", "fraction of peak memory throughput, weighted by time", Better.HIGHER),
    "unused_headroom": (
        "Unused headroom",
        "1 - the busier of tensor pipe and memory, weighted by time",
        Better.LOWER,
    ),
    "utilisation": ("Utilization", "fraction of the compared window in which at least one kernel runs", Better.HIGHER),
    "sm_efficiency": (
        "Est. SM efficiency",
        "mean over time of min(1, blocks per SM of the running kernels)",
        Better.HIGHER,
    ),
    "occupancy": ("Est. achieved occupancy", "estimated occupancy of kernels, mean weighted by time", Better.HIGHER),
    "tensor_core_share": (
        "Tensor-core share",
        "fraction of kernel time in kernels whose names show tensor core use",
        Better.HIGHER,
    ),
}


def device_table(baseline: Summary, candidate: Summary) -> Table | None:
    """Table of device figures joined by metric and device; devices are named as in the table of counters."""
    sides = baseline, candidate
    labels = device_labels(*(dict.fromkeys(metric.device for metric in side.device_metrics) for side in sides))
    a, b = (_metrics(side, names) for side, names in zip(sides, labels, strict=True))
    keys = list(dict.fromkeys([*a, *b]))
    if not keys:
        return None
    rows: list[tuple[Cell, ...]] = []
    silent = [
        f"the {side} recorded the CPU alone"
        for side, own in zip(SIDES, sides, strict=True) if not own.has_device
    ]  # fmt: skip
    for key in keys:
        x, y = a.get(key), b.get(key)
        delta = y[1] - x[1] if x and y and x[1] is not None and y[1] is not None else None
        why = "; ".join([*silent, *dict.fromkeys(side[2] for side in (x, y) if side and side[2])])
        label = _METRICS[key[1]][0] if key[1] in _METRICS else key[1]
        figures = (side[part] if side else None for part in (0, 1) for side in (x, y))
        rows.append((key[0], label, *figures, delta, why))
    shown = (
        columns.key(
            "device", "Device", "device name; GPU #1, GPU #2, ... if the two sides number them differently"
        ),
        columns.key("metric", "Metric", "; ".join(f"{label}: {what}" for label, what, _ in _METRICS.values())),
        *columns.sides(columns.text, "device", "Device", "device of the {side}", shown=False),
        *columns.sides(columns.fraction, "", "", "value in the {side}", sided=True, better=Better.HIGHER),
        columns.fraction("delta", "Δ", "candidate minus baseline", role="delta", better=Better.HIGHER),
        columns.text("reason", "Not measured because", "reason why the value is missing"),
    )
    pairs = ((row[0], row[2], row[3]) for row in rows if row[2] and row[3] and row[2] != row[3])
    unlike = tuple(f"{label} is {x} of the baseline and {y} of the candidate." for label, x, y in dict.fromkeys(pairs))
    return Table("device", "Device summary", shown, tuple(rows), ("Figures cover the compared window only.", *unlike))


def _metrics(summary: Summary, names: dict[str, str]) -> dict[tuple[str, str], tuple[str, float | None, str]]:
    return {
        (names[metric.device], metric.name): (metric.device, metric.value, metric.reason)
        for metric in summary.device_metrics
    }


def own_device(summary: Summary) -> Table | None:
    """Table of the device summary; None for per-cycle tables."""
    if summary.metric == CYCLE_TIME:
        return None
    rows = tuple((m.device, m.name, m.value, "fraction", m.reason) for m in summary.device_metrics)
    shown = (
        columns.key("device", "Device", "device number in the trace"),
        columns.key("metric", "Metric", "metric of the device summary"),
        columns.fraction("value", "Value", "value; empty if not measured"),
        columns.text("unit", "Unit", "unit of the value"),
        columns.text("reason", "Not measured because", "reason why the value is missing"),
    )
    return Table("device", "Device summary", shown, rows, (READING,))


_SETTING_NAMES = "device.*: deviceProperties; version.*: libraries; profiler.*: recording flags; distributed.*: ranks"
_SETTING = (
    columns.key("setting", "Setting", "setting of the recording environment"),
    columns.text("name", "Name", _SETTING_NAMES, shown=False),
)


def environment_table(baseline: Summary, candidate: Summary) -> Table:
    """Table of the recorded environments; differences first."""
    a, b = dict(baseline.environment), dict(candidate.environment)
    keys = list(dict.fromkeys([*a, *b]))
    rows: list[tuple[Cell, ...]] = [
        (
            setting_words(key), key,
            *(setting_value(key, side[key]) if key in side else None for side in (a, b)),
            a.get(key) == b.get(key),
        )
        for key in keys
    ]
    rows.sort(key=lambda row: bool(row[-1]))
    shown = (
        *_SETTING,
        *columns.sides(columns.text, "", "", "value in the {side}'s trace; empty if not recorded"),
        columns.flag("same", "Same", "whether both traces have the same value"),
    )
    return Table("environment", "Environment", shown, tuple(rows))


def own_environment(summary: Summary) -> Table:
    """Table of the recorded settings."""
    shown = (*_SETTING, columns.text("value", "Value", "value as recorded"))
    rows = tuple((setting_words(name), name, value) for name, value in summary.environment)
    return Table("environment", "Environment", shown, rows)


def recommendations_table(baseline: Summary, candidate: Summary) -> Table:
    """Table of advice on each run, merged over its recordings; advice for both runs has one row."""
    a, b = (merged(side.recommendations) for side in (baseline, candidate))
    rows: list[tuple[Cell, ...]] = [
        (text, "both" if text in a and text in b else "baseline" if text in a else "candidate")
        for text in dict.fromkeys([*a, *b])
    ]
    shown = (
        columns.key("text", "Recommendation", "advice from fixed thresholds on the run's own figures"),
        columns.text("side", "Side", "side that the advice is about: baseline, candidate or both"),
    )
    return Table("recommendations", "Recommendations", shown, tuple(rows))


def own_recommendations(summary: Summary) -> Table:
    """Table of the advice on this run."""
    shown = (columns.key("text", "Recommendation", "advice from fixed thresholds on this run's figures"),)
    rows = tuple((text,) for text in merged(summary.recommendations))
    return Table("recommendations", "Recommendations", shown, rows)
