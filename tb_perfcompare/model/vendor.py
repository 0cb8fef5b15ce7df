"""What a device vendor is: its words, its layers in traces, its calls, its names of operators and kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tb_perfcompare.model.events import Category
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProcessLayers:
    """Layers that a profiler writes as processes (sources/trace/columns/process_layers.py).

    categories   name of a process -> Category of its events without a `cat`
    collectives  processes that repeat the collectives, by group
    copy         name of a copy on the device
    work         `Task Type` of compute tasks; other tasks wait, signal or are steps of a collective
    arrows       `cat` of arrows from an operator directly to its device work, for traces without External ids
    """

    categories: Mapping[str, Category] = field(default_factory=dict)
    collectives: tuple[str, ...] = ()
    copy: str = ""
    work: frozenset[str] = frozenset()
    arrows: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Vendor:
    """One kind of accelerator.

    kind            key used in the JSON, such as cuda
    word            the users' word for the device: GPU, MLU
    aliases         other words for it in counter names
    name_marks      substrings of deviceProperties names (lower case)
    memory_types    `Device Type` numbers of its memory events (c10::DeviceType); 20 for out-of-tree back ends

    trace events:
    categories      `cat` (lower case) that only this vendor writes
    by_name         `cat` (lower case) -> pattern of lower-case names -> Category of its events with such a name
    of_both         `cat` (lower case) of device work that is also that of calls, in processes of hosts
    kernel_args     argument columns that only its kernels have
    layers          layers written as processes

    host API calls, as patterns of whole names:
    api_prefixes    prefixes of its names
    driver_prefix   the one whose names differ from the runtime's for the same call; `calls` joins them
    launches        launches one kernel
    graph_launches  launches all kernels of a captured graph
    waits           returns when the device has finished the work submitted to it
    allocations     allocates driver memory
    releases        returns memory to the driver, which synchronizes with the device
    calls           name -> another vendor's name for the same call, without that vendor's prefix

    names of operators and kernels:
    operator_libraries  libraries in the names of operators that PyTorch has once per library
                        (`aten::cudnn_convolution`)
    collectives     prefixes of collective annotations and kernels
    collective_kernels  name prefixes of collective device functions without such a prefix
    collective_ranges   name prefixes of host ranges around a collective, likewise
    tensor_cores    substrings of kernels that use tensor cores (matrix cores); () if names do not show it; None if
                    the device has none: the share of their time does not apply
    """

    kind: str
    word: str
    aliases: tuple[str, ...] = ()
    name_marks: tuple[str, ...] = ()
    memory_types: tuple[int, ...] = ()
    categories: Mapping[str, Category] = field(default_factory=dict)
    by_name: Mapping[str, Mapping[str, Category]] = field(default_factory=dict)
    of_both: str = ""
    kernel_args: tuple[str, ...] = ()
    layers: ProcessLayers = field(default_factory=ProcessLayers)
    api_prefixes: tuple[str, ...] = ()
    driver_prefix: str = ""
    launches: tuple[str, ...] = ()
    graph_launches: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    allocations: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    calls: Mapping[str, str] = field(default_factory=dict)
    operator_libraries: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    collective_kernels: tuple[str, ...] = ()
    collective_ranges: tuple[str, ...] = ()
    tensor_cores: tuple[str, ...] | None = ()

    def call_of(self, name: str) -> str | None:
        """Host API name without the vendor's prefix; None for a name without one."""
        for prefix in self.api_prefixes:
            rest = name.removeprefix(prefix)
            if rest != name and rest[:1].isupper():
                return self.calls.get(name, rest) if prefix == self.driver_prefix else rest
        return None

    def role_of(self, name: str) -> str | None:
        """The call under a name common to all vendors."""
        return self.calls.get(name) or self.call_of(name)
