"""Everything torch-tb-profiler computes from a trace, in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tb_perfcompare.analysis.compat.backward import reparent_backward
from tb_perfcompare.analysis.compat.device_metrics import (
    DeviceMetrics,
    TensorCoreTime,
    device_metrics,
    tensor_core_time,
)
from tb_perfcompare.analysis.compat.events.figures import LaunchFigures, NodeFigures, measure_launches, measure_nodes
from tb_perfcompare.analysis.compat.events.forest import Forest
from tb_perfcompare.analysis.compat.events.kinds import DATA_PARALLEL, DISTRIBUTED_DATA_PARALLEL
from tb_perfcompare.analysis.compat.events.links import Links, link
from tb_perfcompare.analysis.compat.events.roles import RoleRanges, classify
from tb_perfcompare.analysis.compat.events.steps import Steps, extend_steps, marked_steps
from tb_perfcompare.analysis.compat.events.stream import EventStream, read_stream
from tb_perfcompare.analysis.compat.events.variant import Variant, choose_variant
from tb_perfcompare.analysis.compat.kernel_launches import Launches, list_launches
from tb_perfcompare.analysis.compat.kernels import KernelTable, kernel_table
from tb_perfcompare.analysis.compat.memory.memory_records import MemoryRecords, read_memory
from tb_perfcompare.analysis.compat.nesting import build_forest
from tb_perfcompare.analysis.compat.operators import OperatorCalls, list_calls
from tb_perfcompare.analysis.compat.overview import StepCosts, step_costs
from tb_perfcompare.analysis.compat.recommendations import Evidence, recommend
from tb_perfcompare.model.recordings.recording import TraceRecording


@dataclass(frozen=True, eq=False)
class CompatProfile:
    """One trace as torch-tb-profiler reads it. Times are microseconds, ints if the trace has whole ones.

    variant, recording   which line's rules were used, and on what
    stream, links        retained events in time order; device work to API calls
    steps                steps after extension; `marked` before
    roles, costs         who owned which time, and how much of each step
    forest, figures      call trees and their figures
    calls, launches      operator calls and kernels in the order of the tables
    kernels              kernels by name
    tensor_cores, metrics   per device
    skipped              events and nodes left out, by reason
    """

    variant: Variant
    recording: TraceRecording
    stream: EventStream
    links: Links
    marked: Steps
    steps: Steps
    roles: RoleRanges
    costs: StepCosts
    forest: Forest
    figures: NodeFigures
    calls: OperatorCalls
    launches: Launches
    kernels: KernelTable
    tensor_cores: TensorCoreTime
    metrics: tuple[DeviceMetrics, ...]
    skipped: Mapping[str, int]

    @cached_property
    def recommendations(self) -> list[str]:
        """Advice as HTML fragments."""
        stream = self.stream
        names = {stream.texts[index] for index in stream.distinct_names}
        evidence = Evidence(
            costs=self.costs,
            data_parallel=DATA_PARALLEL in names,
            distributed=DISTRIBUTED_DATA_PARALLEL in names,
            used_devices=self.links.used_devices,
            libraries=self.links.libraries,
            properties=self.device_properties,
            metrics=self.metrics,
            tensor_core_share=self.kernels.tensor_core_share,
            eligible_share=self.tensor_cores.eligible,
            memory_peaks=self.memory.peaks(),
        )
        return recommend(evidence, self.variant)

    @cached_property
    def memory(self) -> MemoryRecords:
        """Memory records, charged to the nodes they fall into."""
        return read_memory(self.stream, self.forest)

    @property
    def device_properties(self) -> list[dict[str, Any]]:
        """Facts about the devices, index = device number."""
        return self.recording.device_properties


def read_compat(recording: TraceRecording) -> CompatProfile:
    """The compat reading of a trace; unusable events are skipped and counted, never fatal."""
    variant = choose_variant(recording)
    stream = read_stream(recording, variant)
    links = link(stream)
    marked = marked_steps(stream)
    steps = extend_steps(stream, links, marked)
    roles = classify(stream, links)
    forest = build_forest(stream, links)
    launch_figures: LaunchFigures = measure_launches(stream, links)
    figures = measure_nodes(stream, links, forest, launch_figures)
    reparent_backward(recording, forest, figures)
    tensor_cores = tensor_core_time(stream, links, forest, figures, launch_figures)
    skipped = {
        **stream.skipped,
        "host event on a thread without a number": forest.no_thread,
        "host event across the end of another": forest.overlapping,
    }
    return CompatProfile(
        variant=variant,
        recording=recording,
        stream=stream,
        links=links,
        marked=marked,
        steps=steps,
        roles=roles,
        costs=step_costs(steps, roles.parts(steps)),
        forest=forest,
        figures=figures,
        calls=list_calls(stream, forest, figures),
        launches=list_launches(stream, links, forest),
        kernels=kernel_table(stream),
        tensor_cores=tensor_cores,
        metrics=device_metrics(stream, steps, tensor_cores),
        skipped={reason: count for reason, count in skipped.items() if count},
    )
