"""May these two be compared? Each check says what it saw and which conclusions it weakens."""

from __future__ import annotations

from tb_perfcompare.comparison.checks.cycle_checks import cycle_checks
from tb_perfcompare.comparison.checks.metric_checks import utilisation_metrics
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_share
from tb_perfcompare.comparison.comparison import Check
from tb_perfcompare.model.summary import CYCLE_TIME, KERNEL_TIME, Summary

FEW_STEPS = 6
"""Below this many steps on a side an exact 95 % interval is wide or cannot be reached at all."""

_FLAGS = (
    "profiler.record_shapes",
    "profiler.with_stack",
    "profiler.profile_memory",
    "profiler.with_flops",
    "profiler.with_modules",
)


def check_comparability(baseline: Summary, candidate: Summary) -> tuple[Check, ...]:
    """All checks in fixed order, those that pass included."""
    return (
        _same_capture(baseline, candidate),
        _device(baseline, candidate),
        _device_count(baseline, candidate),
        *_unit_of_work(baseline, candidate),
        _steps(baseline, candidate),
        _ranks(baseline, candidate),
        _flags(baseline, candidate),
        _versions(baseline, candidate),
        utilisation_metrics(baseline, candidate),
        _complete(baseline, candidate),
    )


def _unit_of_work(a: Summary, b: Summary) -> tuple[Check, ...]:
    """Whether a step of one side is the same thing as a step of the other."""
    if a.metric == CYCLE_TIME:
        return cycle_checks(a, b)
    return (
        _markers(a, b),
        _work("kernels", "kernel launches", a, b),
        _work("operators", "operator calls", a, b),
    )


def _same_capture(a: Summary, b: Summary) -> Check:
    seen = [{(c.file.sha256, c.file.part) for c in side.captures if c.file.sha256} for side in (a, b)]
    shared = seen[0] & seen[1]
    if shared:
        return Check(
            "same_capture",
            "warn",
            f"{len(shared)} file(s) are on both sides: those steps are compared with themselves",
            ("verdict",),
        )
    return Check("same_capture", "ok", "no file is on both sides")


def _device(a: Summary, b: Summary) -> Check:
    if "unknown" in (a.device.kind, b.device.kind) and a.device.kind != b.device.kind:
        silent = "baseline" if a.device.kind == "unknown" else "candidate"
        return Check(
            "device_kind", "warn", f"the {silent} does not say which device it ran on: they may differ", ("cause",)
        )
    if a.device.kind != b.device.kind:
        return Check(
            "device_kind",
            "warn",
            f"different kinds of device: {_device_text(a)} against {_device_text(b)}; kernels have different names",
            ("kernels", "ledger entities"),
        )
    if a.device.name != b.device.name:
        return Check(
            "device_kind", "warn", f"different device models: {_device_text(a)} against {_device_text(b)}", ("cause",)
        )
    differing = _differences(a, b, ("device.compute_capability",))
    if differing:
        return Check("device_kind", "warn", f"different devices: {differing[0]}", ("cause",))
    return Check("device_kind", "ok", f"same device: {_device_text(a)}")


def _device_text(summary: Summary) -> str:
    return summary.device.name or (
        summary.device.word if summary.device.kind == "cpu" else f"{summary.device.word} (model not recorded)"
    )


def _device_count(a: Summary, b: Summary) -> Check:
    if a.device.count != b.device.count:
        return Check(
            "device_count",
            "warn",
            f"{a.device.count} against {b.device.count} devices at work",
            ("device", "communication"),
        )
    return Check("device_count", "ok", f"{a.device.count} device(s) at work on each side")


def _markers(a: Summary, b: Summary) -> Check:
    if a.metric == KERNEL_TIME:
        return Check("step_marker", "ok", "sources of this kind have no steps: all launches together are compared")
    if a.marked != b.marked:
        without = "baseline" if not a.marked else "candidate"
        return Check(
            "step_marker",
            "fail",
            f"the {without} has no step markers: its whole recording counts as one step",
            ("verdict", "ledger"),
        )
    if not a.marked:
        return Check(
            "step_marker", "warn", "neither side has step markers: whole recordings are compared", ("verdict",)
        )
    return Check("step_marker", "ok", "both sides have ProfilerStep markers")


def _steps(a: Summary, b: Summary) -> Check:
    n, m = len(a.steps), len(b.steps)
    noun = "cycles" if a.metric == CYCLE_TIME else "steps"
    if a.metric == KERNEL_TIME:
        return Check("steps", "warn", "one listing each: repeatability cannot be judged", ("verdict", "p"))
    if min(n, m) < FEW_STEPS:
        return Check(
            "steps",
            "warn",
            f"{n} against {m} {noun}; record at least {FEW_STEPS}, better 20, on each side",
            ("verdict", "p"),
        )
    return Check("steps", "ok", f"{n} against {m} {noun}")


def _work(table: str, what: str, a: Summary, b: Summary) -> Check:
    """Shared share: sum over names of min(calls) / sum of max(calls), calls per step."""
    one, two = a.groups.get(table), b.groups.get(table)
    if one is None or two is None:
        if one is None and two is None:
            return Check(table, "ok", f"neither side has {what}")
        return Check(table, "warn", f"only the {'candidate' if one is None else 'baseline'} has {what}", (table,))
    x = dict(zip(one.keys, (one.calls.sum(axis=1) / len(a.steps)).tolist(), strict=True))
    y = dict(zip(two.keys, (two.calls.sum(axis=1) / len(b.steps)).tolist(), strict=True))
    shared = shared_share(x, y)
    detail = f"{shared:.0%} of {what} per step are shared by name"
    if shared >= SIMILAR_WORK:
        return Check(table, "ok", detail)
    only = (
        f"{sum(k not in y for k in x)} names only in the baseline, {sum(k not in x for k in y)} only in the candidate"
    )
    return Check(table, "warn" if shared >= SOME_WORK else "fail", f"{detail}; {only}", ("cause", table))


def _ranks(a: Summary, b: Summary) -> Check:
    sizes = [dict(side.environment).get("distributed.world_size", "") for side in (a, b)]
    if sizes[0] != sizes[1]:
        return Check(
            "world_size",
            "warn",
            f"world size {sizes[0] or 'not recorded'} against {sizes[1] or 'not recorded'}",
            ("communication", "verdict"),
        )
    return Check("world_size", "ok", f"world size {sizes[0]}" if sizes[0] else "no world size recorded")


def _differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    x, y = dict(a.environment), dict(b.environment)
    return [f"{name} {x[name]} against {y[name]}" for name in names if name in x and name in y and x[name] != y[name]]


def _flags(a: Summary, b: Summary) -> Check:
    x, y = dict(a.environment), dict(b.environment)
    # traces name the flags that were on, and say nothing of the others
    off = "false" if "trace.schema" in x and "trace.schema" in y else None
    flags = [(name, x.get(name, off), y.get(name, off)) for name in _FLAGS]
    differing = [f"{name} {one} against {two}" for name, one, two in flags if one and two and one != two]
    if differing:
        return Check(
            "profiler_flags",
            "warn",
            "recorded with different flags, which cost time: " + "; ".join(differing),
            ("host time", "verdict"),
        )
    return Check("profiler_flags", "ok", "no differing recording flags")


def _versions(a: Summary, b: Summary) -> Check:
    names = tuple(name for name, _ in a.environment if name.startswith("version."))
    differing = _differences(a, b, names)
    if differing:
        return Check("versions", "warn", "different library versions: " + "; ".join(differing), ("cause",))
    return Check("versions", "ok", "no differing versions recorded")


def _complete(a: Summary, b: Summary) -> Check:
    weak = [
        note
        for side in (a, b)
        for note in side.notes
        if note.code.value in ("truncated", "repaired", "dropped_events", "file_failed")
    ]
    if weak:
        return Check(
            "complete_files", "warn", "; ".join(f"{note.where}: {note.message}" for note in weak), ("ledger", "counts")
        )
    return Check("complete_files", "ok", "every file was read whole")
