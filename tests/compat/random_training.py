"""Random training loops: modules, backward work on another thread, arrows between them; all follows from the seed."""

from __future__ import annotations

from typing import Any

from tests.compat.random_traces import OPERATORS, RandomTrace

MODULE_PREFIX = "nn.Module: "
ROOT_OF_BACKWARD = "autograd::engine::evaluate_function: "


def training_trace(seed: int, fractional: bool | None) -> dict[str, Any]:
    """Steps of forward modules and backward work on another thread, tied by forward-to-backward arrows."""
    trace = _Training(seed, fractional)
    trace.text_tids = False
    steps = trace.random.choice((0, 1, 1, 2, 3))
    at = 0
    for step in range(max(steps, 1)):
        end = trace.iteration(at + 5)
        if steps:
            trace.add("cpu_op", f"ProfilerStep#{step}", at, end - at, 100, External_id=trace.new_id())
        at = end + trace.random.randrange(5)
    trace.arrows()
    if trace.chance(0.3):
        trace.add("cpu_op", "aten::other", 0, trace.random.choice((5, 10000)), trace.random.choice((99, 105)))
    return trace.document()


class _Training(RandomTrace):
    def __init__(self, seed: int, fractional: bool | None) -> None:
        super().__init__(seed, fractional)
        self.base += 1000
        self.backward_thread = 100 if self.chance(0.2) else 101
        self.ids = 0
        self.functions = 0
        self.forward: list[dict[str, Any]] = []
        self.pairs: list[tuple[float, float]] = []

    def new_id(self) -> int:
        self.ids += 1
        return self.ids

    def launch(self, start: int, thread: int, external_id: int) -> None:
        number, pick = self.new_id(), self.random
        self.add("Runtime", "cudaLaunchKernel", start, 2, thread, External_id=external_id, correlation=number)
        name, late = pick.choice(("k1", "h884", "k3")), pick.randrange(500)
        self.add("Kernel", name, start + late, pick.randrange(1, 30), 7, correlation=number, device=0)

    def function(self, name: str, start: int, dur: int, parent: int | None, module: int | None) -> int:
        self.functions += 1
        ids = {"Python_id": self.functions, "Python_parent_id": parent, "Python_module_id": module}
        self.add("python_function", name, start, dur, 100, **ids)
        return self.functions

    def module(self, low: int, high: int, depth: int, parent: int | None, number: int) -> None:
        pick = self.random
        name = f"{MODULE_PREFIX}{pick.choice('ABC')}{number}"
        inner = self.function(name, low, high - low, parent, number)
        if self.chance(0.3):
            inner = self.function("f.py(1): forward", low + 1, high - low - 2, inner, None)
        at, width = low + 2, (high - low) // 4 - 3
        for child in range(pick.randrange(1, 4) if width >= 10 else 0):
            if depth and child and width > 40 and self.chance(0.5):
                self.module(at, at + width, depth - 1, inner, pick.randrange(3))
            else:
                self.operator(at, width)
            at += width + 2

    def operator(self, at: int, width: int) -> None:
        number, pick = self.new_id(), self.random
        outer = self.add("cpu_op", pick.choice(OPERATORS[:4]), at, width, 100, External_id=number)
        self.forward.append(outer)
        if self.chance(0.7):
            self.launch(at + 2, 100, number)
        if self.chance(0.3):
            nested = self.add(
                "cpu_op", "aten::inner", at + pick.choice((0, 1)), width // 2, 100, External_id=self.new_id()
            )
            self.forward += [nested] if self.chance(0.3) else []

    def iteration(self, at: int) -> int:
        """One forward and backward pass; returns its end."""
        pick = self.random
        self.forward = []
        for number in range(pick.randrange(1, 3)):
            width = pick.randrange(60, 150)
            self.module(at, at + width, 2, None, number)
            at += width + pick.randrange(1, 5)
        end = self.backward(at)
        at = end if self.chance(0.8) else max(at, end - 20)
        if self.chance(0.5):
            self.add("cpu_op", "Optimizer.step#SGD", at, 20, 100, External_id=self.new_id())
            at += 22
        if self.chance(0.3):
            self.add("cpu_op", f"{ROOT_OF_BACKWARD}Foo", at, 6, 100, External_id=self.new_id())
            at += 9
        return at

    def backward(self, at: int) -> int:
        pick, thread = self.random, self.backward_thread
        for operator in reversed(self.forward):
            width = pick.randrange(10, 30)
            name = pick.choice(("MmBackward0", "AddBackward0"))
            root = self.add("cpu_op", f"{ROOT_OF_BACKWARD}{name}", at, width, thread, External_id=self.new_id())
            number = self.new_id()
            work = self.add("cpu_op", "MmBackward0", at + 1, width - 3, thread, External_id=number)
            if self.chance(0.5):
                self.add("cpu_op", "aten::mm", at + 2, width - 6, thread, External_id=self.new_id())
            self.launch(at + 3, thread, number)
            self.pairs.append((operator["ts"], root["ts"] if self.chance(0.1) else work["ts"]))
            at += width + 1
            while self.chance(0.3):
                name = f"{ROOT_OF_BACKWARD}torch::autograd::AccumulateGrad"
                self.add("cpu_op", name, at, 6, thread, External_id=self.new_id())
                if self.chance(0.5):
                    self.add("cpu_op", "torch::autograd::AccumulateGrad", at + 1, 4, thread, External_id=self.new_id())
                at += 8
        return at

    def arrows(self) -> None:
        arrow = {"cat": "forward_backward", "name": "fwd_bwd", "pid": 1}
        for number, (start, end) in enumerate(self.pairs):
            self.events.append({**arrow, "ph": "s", "id": number, "tid": 100, "ts": start})
            self.events.append({**arrow, "ph": "f", "id": number, "tid": self.backward_thread, "ts": end, "bp": "e"})
