"""Faults of a program with a device, as edits of a recorded step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from tests.planted.replay.recorded import OPERATORS, RUNTIME, Args, DeviceEvent, HostEvent, Step
from tests.planted.replay.replay import Block, Edit

_NUMBERS = count(10**12)
_COPY = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::"
    "{lambda()#3}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2> >"
)
_OTHER_GEMM = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"


def healthy(step: Step, number: int) -> Edit:
    """The step as recorded."""
    return Edit()


# -- the device ---------------------------------------------------------------------------------------------------


def kernel_slower(step: Step, number: int) -> Edit:
    return Edit(device=_times(_heaviest(step, 0), 1.6))


def third_kernel_slower(step: Step, number: int) -> Edit:
    return Edit(device=_times(_heaviest(step, 2), 2.5))


def faster_kernel(step: Step, number: int) -> Edit:
    edit = Edit(device=_times(_heaviest(step, 0), 0.4))
    edit.names = {id(one): "fast_fused_kernel<128, 64>(Params)" for one in _heaviest(step, 0)}
    return edit


def kernel_replaced(step: Step, number: int) -> Edit:
    edit = Edit(device=_times(_heaviest(step, 0), 1.7))
    edit.names = {id(one): _OTHER_GEMM for one in _heaviest(step, 0)}
    return edit


def device_clock(step: Step, number: int) -> Edit:
    return Edit(device=_times(_kernels(step), 1.18))


def memory_clock(step: Step, number: int) -> Edit:
    """Kernels that move data take longer, those that compute do not."""
    moving = ("elementwise", "vectorized", "reduce", "copy", "norm", "softmax", "cat")
    return Edit(device=_times([one for one in _compute(step) if any(word in one.name.lower() for word in moving)], 1.5))


def collectives(step: Step, number: int) -> Edit:
    return Edit(device=_times([kernel for kernel in _kernels(step) if "nccl" in kernel.name.lower()], 2.5))


def no_overlap(step: Step, number: int) -> Edit:
    return Edit(one_stream=True)


def fusion_lost(step: Step, number: int) -> Edit:
    """The kernel of the operator with most device time, matrix products aside, becomes three."""
    edit = Edit()
    for one in _of_operator(step, ("mm", "conv", "linear")):
        edit.device[id(one)], edit.names[id(one)] = 0.8, "unfused_part_one_kernel(float*, int)"
        for part in ("two", "three"):
            launch = _call(step, _vendor(step, "LaunchKernel"), 0, 6, one.launch.thread, operator_of(one))
            _launched(step, launch, f"unfused_part_{part}_kernel(float*, int)", one.us * 0.8)
            edit.blocks.append(Block(one.launch.end, 7, [launch], inside=True))
    return edit


# -- the inputs ---------------------------------------------------------------------------------------------------


def data_type(step: Step, number: int) -> Edit:
    edit = Edit(device=_times(_compute(step), 1.9))
    narrow = ("float", "c10::Half", "c10::BFloat16")
    for event in _operators(step):
        types = event.args.get("Input type")
        if types:
            wide = ["double" if one in narrow else one for one in types]
            edit.args[id(event)] = {**event.args, "Input type": wide}
    for one in _compute(step):
        name = one.name.replace("float", "double").replace("BFloat16", "double").replace("sgemm", "dgemm")
        edit.names[id(one)] = name.replace("bf16", "f64")
    return edit


def larger_batch(step: Step, number: int) -> Edit:
    edit = Edit(device=_times(_compute(step), 1.45))

    def larger(dims: Any) -> Any:
        sized = isinstance(dims, list) and len(dims) > 1 and isinstance(dims[0], int) and dims[0] > 1
        return [dims[0] * 3 // 2, *dims[1:]] if sized else dims

    for event in _operators(step):
        for name in ("Input Dims", "Input dims"):
            if name in event.args:
                edit.args[id(event)] = {**event.args, name: list(map(larger, event.args[name]))}
    for one in _compute(step):
        if "grid" in one.args:
            edit.args[id(one)] = {**one.args, "grid": larger(one.args["grid"])}
    return edit


# -- the host -----------------------------------------------------------------------------------------------------


def operator_slower(step: Step, number: int) -> Edit:
    """One that is often called takes an eighth of the step more."""
    name = frequent_operator(step)
    events = [event for event in _operators(step) if event.name == name]
    return Edit(added={id(event): 0.12 * step.us / len(events) for event in events})


def host_pace(step: Step, number: int) -> Edit:
    return Edit(pace=1.25)


def contention(step: Step, number: int) -> Edit:
    return Edit(contended=0.08)


def launches_slower(step: Step, number: int) -> Edit:
    return Edit(host=dict.fromkeys([id(one) for one in step.host if "aunchKernel" in one.name], 2.5))


def pauses(step: Step, number: int) -> Edit:
    """Python code between operators."""
    return Edit(blocks=[Block(event.end, 0.03 * step.us) for event in _spread(step, 4)])


def pause_every_other(step: Step, number: int) -> Edit:
    return Edit(blocks=[Block(event.end, 0.25 * step.us) for event in _spread(step, 1)] if number % 2 else [])


def slow_step(step: Step, number: int) -> Edit:
    return Edit(blocks=[Block(event.end, 1.2 * step.us) for event in _spread(step, 1)] if number == 3 else [])


def waiting_for_data(step: Step, number: int) -> Edit:
    operator, us = _spread(step, 1)[0], 0.15 * step.us
    cat = operator.cat if operator.cat == "Operator" else "user_annotation"
    name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    wait = HostEvent(name, cat, operator.thread, operator.process, 0, us, {"External id": next(_NUMBERS)})
    return Edit(blocks=[Block(_top_level(step)[0].start, us + 2, [wait])])


# -- more work ----------------------------------------------------------------------------------------------------


def item(step: Step, number: int) -> Edit:
    """A value read on the host, six times."""
    edit = Edit()
    for event in _spread(step, 6):
        outer, inner = _operator(step, "aten::item", 0, 30), _operator(step, "aten::_local_scalar_dense", 2, 29)
        copying = _copy(step, inner, 5, 28, "DtoH", 1.5, 4)
        edit.blocks.append(Block(event.end, 32, [outer, inner, *copying]))
    return edit


def copies(step: Step, number: int) -> Edit:
    """Five more copies to the device."""
    edit = Edit()
    for event in _spread(step, 5):
        names = ("aten::to", "aten::_to_copy", "aten::copy_")
        nested = [_operator(step, name, 2 * at, 40 - at) for at, name in enumerate(names)]
        copying = _copy(step, nested[-1], 8, 36, "HtoD", 0.02 * step.us, 40_000_000)
        edit.blocks.append(Block(event.end, 42, [*nested, *copying]))
    return edit


def clones(step: Step, number: int) -> Edit:
    """Forty clones of tensors."""
    edit = Edit()
    for event in _spread(step, 40):
        outer, inner = _operator(step, "aten::clone", 0, 28), _operator(step, "aten::copy_", 8, 27)
        launch = _call(step, _vendor(step, "LaunchKernel"), 12, 22, inner.thread, inner)
        _launched(step, launch, _COPY, 0.004 * step.us)
        edit.blocks.append(Block(event.end, 30, [outer, inner, launch]))
    return edit


def block_repeated(step: Step, number: int) -> Edit:
    """A sixth of the operators of the main thread runs twice."""
    operators = _top_level(step)
    first = len(operators) // 3
    last = operators[first + max(2, len(operators) // 6)]
    low, high = operators[first].start, last.end
    inside = [one for one in step.host if one.thread == last.thread and one.start >= low and one.end <= high]
    return Edit(blocks=[Block(high, high - low, _copied(inside, low))])


def operator_twice(step: Step, number: int) -> Edit:
    """The operator with most device time below it runs twice each time."""
    edit = Edit()
    name = _device_operator(step, ())
    for event in _operators(step):
        if event.name == name:
            inside = [
                one for one in step.host
                if one.thread == event.thread and one.start >= event.start and one.end <= event.end
            ]  # fmt: skip
            edit.blocks.append(Block(event.end, event.end - event.start, _copied(inside, event.start)))
    return edit


def allocator(step: Step, number: int) -> Edit:
    """Memory that is given back and allocated again, eight times."""
    edit = Edit()
    for event in _spread(step, 8):
        us = 0.012 * step.us
        calls = [
            _call(step, _vendor(step, name), start, end, event.thread, event)
            for name, start, end in (("Free", 1.0, 0.4 * us), ("Malloc", 0.4 * us + 1, us))
        ]
        edit.blocks.append(Block(event.start, us + 1, calls, begins=True))
    return edit


Fault = Callable[[Step, int], Edit]

FAULTS: Mapping[str, tuple[Fault, str]] = {
    "kernel slower": (kernel_slower, "kernel_slower"),
    "third kernel slower": (third_kernel_slower, "kernel_slower"),
    "kernel faster": (faster_kernel, "kernel_replaced fusion_gained tensor_cores_gained"),
    "kernel replaced": (kernel_replaced, "kernel_replaced tensor_cores_lost fusion_lost"),
    "fusion lost": (fusion_lost, "fusion_lost kernel_replaced"),
    "device clock": (device_clock, "device_pace"),
    "memory clock": (memory_clock, "device_pace kernel_time kernel_slower"),
    "collectives slower": (collectives, "collective_slower late_rank communication_time"),
    "no overlap": (no_overlap, "overlap_lost communication_time"),
    "data type": (data_type, "data_type_changed kernel_replaced"),
    "larger batch": (larger_batch, "workload_changed"),
    "operator slower": (operator_slower, "operator_slower"),
    "host pace": (host_pace, "host_pace host_interrupted"),
    "contention": (contention, "host_pace host_interrupted"),
    "launches slower": (launches_slower, "launch_bound"),
    "pauses": (pauses, "unrecorded_time"),
    "pause every other step": (pause_every_other, "unrecorded_time slow_steps"),
    "one slow step": (slow_step, "slow_steps"),
    "waiting for data": (waiting_for_data, "data_loader"),
    "item": (item, "aten::item synchronization more_copies"),
    "copies": (copies, "more_copies aten::to synchronization"),
    "clones": (clones, "aten::clone layout_copies"),
    "block repeated": (block_repeated, "more_calls operators_changed operator_replaced"),
    "operator twice": (operator_twice, "more_calls operators_changed operator_replaced"),
    "allocator": (allocator, "allocator_calls memory_pressure"),
    "equal 1": (healthy, ""),
    "equal 2": (healthy, ""),
    "equal 3": (healthy, ""),
}
"""Name -> the fault, and globs of the first finding: a rule, or a name in its sentence."""

NEEDS_COLLECTIVES = frozenset({"collectives slower", "no overlap"})


def frequent_operator(step: Step) -> str:
    """The third by number of calls: the same in all steps."""
    calls: dict[str, int] = defaultdict(int)
    for event in _operators(step):
        calls[event.name] += 1
    return sorted(calls, key=lambda name: (-calls[name], name))[min(2, len(calls) - 1)]


def operator_of(one: DeviceEvent) -> HostEvent | None:
    """The innermost operator that launches it."""
    return _enclosing(one.launch)


def _enclosing(event: HostEvent) -> HostEvent | None:
    found = event.parent
    while found is not None and found.cat not in OPERATORS:
        found = found.parent
    return found


def _operators(step: Step) -> list[HostEvent]:
    return [event for event in step.host if event.cat in OPERATORS]


def _top_level(step: Step) -> list[HostEvent]:
    """Operators of the thread that has most of those that no other operator calls, the backward pass aside."""
    outer = [event for event in _operators(step) if _enclosing(event) is None]
    threads: dict[Any, int] = defaultdict(int)
    for event in outer:
        threads[event.thread] += "ackward" not in event.name
    main = max(threads, key=lambda thread: threads[thread])
    return [event for event in outer if event.thread == main]


def _spread(step: Step, number: int) -> list[HostEvent]:
    """So many operators of the main thread, evenly spread."""
    operators = _top_level(step)
    apart = max(1, len(operators) // (number + 1))
    return [operators[min(len(operators) - 1, apart * (at + 1))] for at in range(number)]


def _kernels(step: Step) -> list[DeviceEvent]:
    return [one for one in step.device if one.cat in ("kernel", "Kernel")]


def _compute(step: Step) -> list[DeviceEvent]:
    return [kernel for kernel in _kernels(step) if "nccl" not in kernel.name.lower()]


def _times(events: Sequence[DeviceEvent], factor: float) -> dict[int, float]:
    return dict.fromkeys(map(id, events), factor)


def _heaviest(step: Step, rank: int) -> list[DeviceEvent]:
    """Launches of the kernel that takes most time, or is so far behind it."""
    by_name: dict[str, list[DeviceEvent]] = defaultdict(list)
    for one in _compute(step):
        by_name[one.name].append(one)
    order = sorted(by_name.values(), key=lambda launches: -sum(launch.us for launch in launches))
    return order[min(rank, len(order) - 1)]


def _device_operator(step: Step, without: Sequence[str]) -> str:
    """The operator whose own launches take most time."""
    total: dict[str, float] = defaultdict(float)
    for one in _compute(step):
        operator = operator_of(one)
        if operator is not None and not any(word in operator.name for word in without):
            total[operator.name] += one.us
    return max(total, key=lambda name: total[name])


def _of_operator(step: Step, without: Sequence[str]) -> list[DeviceEvent]:
    name = _device_operator(step, without)
    return [one for one in _compute(step) if (operator := operator_of(one)) is not None and operator.name == name]


def _vendor(step: Step, call: str) -> str:
    return ("hip" if any(event.name.startswith("hip") for event in step.host) else "cuda") + call


def _operator(step: Step, name: str, start: float, end: float) -> HostEvent:
    """An operator of the main thread that was not recorded."""
    like = _top_level(step)[0]
    args: dict[str, Any] = {"External id": next(_NUMBERS)}
    for dims in ("Input Dims", "Input dims"):
        if dims in like.args:
            args |= {dims: [[1024, 1024]], "Input type": ["float"]}
    return HostEvent(name, like.cat, like.thread, like.process, start, end, args)


def _call(
    step: Step, name: str, start: float, end: float, thread: object, operator: HostEvent | None = None
) -> HostEvent:
    like = next(event for event in step.host if event.cat in RUNTIME and event.launches)
    kept = {key: value for key, value in like.args.items() if key in ("cbid", "cid", "correlation", "External id",
                                                                      "external id")}  # fmt: skip
    call = HostEvent(name, like.cat, thread, like.process, start, end, kept)
    call.operator = operator
    return call


def _launched(
    step: Step, launch: HostEvent, name: str, us: float, cat: str = "kernel", args: Args | None = None
) -> DeviceEvent:
    every = _compute(step)
    like = every[len(every) // 2]
    own = {key: value for key, value in like.args.items() if cat == "kernel" or key in (
        "device", "stream", "context", "correlation", "External id", "external id")}  # fmt: skip
    old = {"kernel": "Kernel", "gpu_memcpy": "Memcpy"}
    event = DeviceEvent(
        name, old[cat] if like.cat == "Kernel" else cat, like.stream, like.process, 0, us, {**own, **(args or {})},
        launch,
    )  # fmt: skip
    launch.launches.append(event)
    return event


def _copy(step: Step, operator: HostEvent, start: float, end: float, way: str, us: float, size: int) -> list[HostEvent]:
    """Calls that copy and wait for the copy: one with HIP, two with CUDA."""
    hip = _vendor(step, "") == "hip"
    ends = {"DtoH": ("Device -> Host", "Device -> Pageable"), "HtoD": ("Host -> Device", "Pageable -> Device")}[way]
    name = "hipMemcpyWithStream" if hip else "cudaMemcpyAsync"
    call = _call(step, name, start, start + 10, operator.thread, operator)
    copied = _launched(step, call, f"Memcpy {way} ({ends[not hip]})", us, "gpu_memcpy", {"bytes": size})
    if hip:
        call.waits_for, call.lag = copied, 3.0
        return [call]
    wait = _call(step, "cudaStreamSynchronize", start + 12, end, operator.thread, operator)
    wait.waits_for, wait.lag = copied, 3.0
    return [call, wait]


def _copied(events: Sequence[HostEvent], begin: float) -> list[HostEvent]:
    """The same operators and calls once more, which count from `begin`."""
    copies: dict[int, HostEvent] = {}
    launched: dict[int, DeviceEvent] = {}
    for event in events:
        if event.cat not in OPERATORS | RUNTIME:
            continue
        args = dict(event.args)
        if event.cat in OPERATORS:
            args |= {name: next(_NUMBERS) for name in ("External id", "external id") if name in args}
        caller = _enclosing(event)
        own = replace(event, start=event.start - begin, end=event.end - begin, args=args, launches=[])
        own.operator = None if caller is None else copies.get(id(caller), caller)
        copies[id(event)] = own
        for launch in event.launches:
            launched[id(launch)] = replace(launch, launch=own, after=None)
            own.launches.append(launched[id(launch)])
        own.waits_for = launched.get(id(event.waits_for)) if event.waits_for != "all" else "all"
    return list(copies.values())
