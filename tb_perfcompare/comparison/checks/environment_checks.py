"""Checks of the devices and ranks that the sides ran on."""

from __future__ import annotations

from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, setting_change
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.vendors import CPU

_SIZES = ("device.compute_capability", "device.multiprocessors", "device.memory_bytes", "device.memory_mib")


def device(a: Summary, b: Summary) -> Check:
    """Device kinds and models; for equal models also their sizes, since a partition of a device is smaller."""
    if "unknown" in (a.device.kind, b.device.kind) and a.device.kind != b.device.kind:
        silent = "baseline" if a.device.kind == "unknown" else "candidate"
        detail = f"the {silent} does not name its device: the devices may differ"
        return Check("device_kind", "warn", detail, ("cause",))
    if on_cpu_alone(a, b):
        silent, other = ("candidate", a) if a.has_device else ("baseline", b)
        detail = f"the {silent} recorded no device work, the other side ran on {_text(other)}"
        return Check("device_kind", "warn", detail, ("kernels", "ledger entities", "verdict"))
    if a.device.kind != b.device.kind:
        devices = [_text(side) if a.device.name != b.device.name else side.device.word for side in (a, b)]
        detail = f"different kinds of device: {devices[0]} vs {devices[1]}; their kernels have different names"
        return Check("device_kind", "warn", detail, ("kernels", "ledger entities"))
    if a.device.name != b.device.name:
        return Check("device_kind", "warn", f"different device models: {_text(a)} vs {_text(b)}", ("cause",))
    differing = differences(a, b, _SIZES)
    if differing:
        return Check("device_kind", "warn", f"different devices: {'; '.join(differing)}", ("cause",))
    return Check("device_kind", "ok", f"same device: {_text(a)}")


def on_cpu_alone(a: Summary, b: Summary) -> bool:
    """Whether one side recorded only the CPU and the other a device."""
    return a.has_device != b.has_device


def _text(summary: Summary) -> str:
    device = summary.device
    return device.name or (device.word if device.kind == CPU.kind else f"{device.word} (model not recorded)")


def device_count(a: Summary, b: Summary) -> Check:
    """Number of devices that did work."""
    if a.device.count != b.device.count:
        detail = f"{a.device.count} vs {many(b.device.count, 'device')} in use"
        return Check("device_count", "warn", detail, ("device", "communication"))
    return Check("device_count", "ok", f"{many(a.device.count, 'device')} in use on each side")


def world_size(a: Summary, b: Summary) -> Check:
    """Number of processes of the program."""
    sizes = [_world_size(side) for side in (a, b)]
    if sizes[0] != sizes[1]:
        detail = f"world size {sizes[0] or 'not recorded'} vs {sizes[1] or 'not recorded'}"
        return Check("world_size", "warn", detail, ("communication", "verdict"))
    return Check("world_size", "ok", f"world size {sizes[0]}" if sizes[0] else "no world size recorded")


def ranks(a: Summary, b: Summary) -> Check:
    """Ranks that are compared: with only some of the ranks, the rank that they wait for is not known."""
    workers_of = [set(job_workers(side)) for side in (a, b)]
    if len(workers_of[0]) != len(workers_of[1]):
        detail = f"{many(len(workers_of[0]), 'worker')} in the baseline, {len(workers_of[1]):,} in the candidate"
        return Check("ranks", "warn", detail, ("communication", "verdict"))
    partly = [
        f"{len(workers)} of {size} ranks of the {side}"
        for side, workers, summary in zip(SIDES, workers_of, (a, b), strict=True)
        if (size := _world_size(summary)).isdecimal() and len(workers) < int(size) and "communication" in summary.groups
    ]
    if partly:
        detail = f"only {', '.join(partly)} compared: waiting for a late rank looks like a slow collective"
        return Check("ranks", "warn", detail, ("communication",))
    return Check("ranks", "ok", f"{many(len(workers_of[0]), 'worker')} on each side")


def _world_size(summary: Summary) -> str:
    return dict(summary.environment).get("distributed.world_size", "")


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """Differences of the named settings that both sides recorded: "device memory (MiB) 40960 → 81920"."""
    x, y = dict(a.environment), dict(b.environment)
    return [setting_change(name, x[name], y[name]) for name in names if name in x and name in y and x[name] != y[name]]
