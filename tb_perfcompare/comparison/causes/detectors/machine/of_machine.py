"""Names of the findings on the machine, which explain the time of calls, not their number."""

from __future__ import annotations

from tb_perfcompare.comparison.causes.detectors.machine.cpu_contention import CPU_CONTENTION, WAITING_THREADS
from tb_perfcompare.comparison.causes.detectors.machine.device_contention import DEVICE_CONTENTION
from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import DEVICE_PACE, HOST_PACE

OF_CPU = frozenset({*HOST_PACE.names, *CPU_CONTENTION.names, *WAITING_THREADS.names})
OF_MACHINE = OF_CPU | {*DEVICE_PACE.names, *DEVICE_CONTENTION.names}
