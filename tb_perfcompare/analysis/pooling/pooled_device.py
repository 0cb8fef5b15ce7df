"""The device of several captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_perfcompare.model.summary.summary import DeviceFacts, Summary


def pooled_device(summaries: Sequence[Summary]) -> DeviceFacts:
    """Kind and word of the first capture that has device work, all models, and how many devices did work."""
    devices = [summary.device for summary in summaries]
    names = sorted({device.name for device in devices if device.name})
    busiest: dict[str, int] = {}
    for summary in summaries:
        # Workers bring devices of their own, spans of one worker use the same ones again.
        worker = summary.captures[0].worker
        busiest[worker] = max(busiest.get(worker, 0), summary.device.count)
    told = next((one for one in devices if one.count), next((one for one in devices if one.name), devices[0]))
    return replace(told, name=", ".join(names), count=sum(busiest.values()))
