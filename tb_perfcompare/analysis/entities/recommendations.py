"""Advice about one run: torch-tb-profiler's thresholds, applied to the corrected metrics (docs/method/metrics.md)."""

from __future__ import annotations

from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, DeviceMetric, OwnedTime, StepCategory
from tb_perfcompare.number_text import percent

LOADER_SHARE = 0.05
COMMUNICATION_SHARE = 0.1
LOW_UTILISATION = 0.5


def recommendations(timeline: InterpretedTrace, owned: OwnedTime, metrics: tuple[DeviceMetric, ...]) -> tuple[str, ...]:
    """Returns sentences of advice, in fixed order; empty if no threshold is exceeded."""
    total = int(owned.time_ns.sum())
    if not total:
        return ()
    share = owned.by_category().sum(axis=1) / total
    out: list[str] = []
    loader = float(share[StepCategory.DATALOADER])
    if loader > LOADER_SHARE:
        out.append(
            f"{percent(loader)} of step time waits for the data loader: raise num_workers, use pinned memory or "
            "move decoding off the training process."
        )
    wrapper = timeline.events.strings.find("DataParallel.forward")
    if wrapper >= 0 and (timeline.events.name[timeline.host.row] == wrapper).any():
        out.append("DataParallel drives the devices from one process: DistributedDataParallel is faster.")
    communication = float(share[StepCategory.COMMUNICATION])
    if communication > COMMUNICATION_SHARE:
        out.append(
            f"{percent(communication)} of step time is exposed {CATEGORY_LABELS[StepCategory.COMMUNICATION].lower()}: "
            "try gradient accumulation, larger batches, gradient compression or better overlap."
        )
    low = [
        f"{metric.device} ({percent(metric.value)})"
        for metric in metrics
        if metric.name == "utilisation" and metric.value is not None and metric.value < LOW_UTILISATION
    ]
    if low:
        out.append(f"Low device utilisation: {', '.join(low)}. A larger batch or fewer host-side waits would raise it.")
    return tuple(out)
