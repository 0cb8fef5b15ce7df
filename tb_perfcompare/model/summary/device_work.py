"""What ran on the device, and below which operators."""

from __future__ import annotations

from dataclasses import dataclass

from tb_perfcompare.model.summary.split_time import SplitTime


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWork:
    """Device work by name and place (model/summary/launch_sites.py), and the operators that make up the places.

    work       keys (category label, kernel key, place) in the order in which they first ran; place "" is work whose
               operator is not known. Summed durations and launches: all device events that start in an admitted step
    operators  keys (operator, input shape, place above) in the order in which their work first ran. Summed durations
               of everything below; calls of the operator that launched anything, in the step where its work began
    """

    work: SplitTime
    operators: SplitTime
