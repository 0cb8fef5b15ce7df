"""Runs torch.profiler around a program that does not use it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tb_perfcompare.capture.options import OUT_VARIABLE, CaptureOptions
from tb_perfcompare.capture.step_marks import mark_calls, mark_optimizer_steps

FACTS_FILE = "facts.json"
"""File with facts about the program's own process, next to its traces."""

_RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


class Recorder:
    """Starts the profiler at the first step, follows the schedule, writes the traces.

    Without step marks the recording begins with the first module call and ends with the program. If the program starts
    a profiler itself, before or after this one, this one ends.
    """

    def __init__(self, options: CaptureOptions) -> None:
        self._options = options
        self._torch: Any = None
        self._profiler: Any = None
        self._scheduled = False
        self._ends: list[Callable[[], None]] = []
        self._over = False
        self._written = 0
        self._steps = 0
        self._process = os.getpid()

    def torch_imported(self, torch: Any) -> None:
        """Starts waiting for steps, or recording. Called once, after `import torch`."""
        self._torch = torch
        self._yield_to_other_profilers()
        if self._options.whole:
            self._start(None)
        elif not self._options.step:
            self._ends.append(mark_optimizer_steps(self.mark))
            self._ends.append(_at_first_module_call(lambda: self._start(None)))

    def watch(self) -> None:
        """Marks calls of the step function, if it is in another module than the script."""
        if self._options.step:
            mark_calls(self._options.step, self.mark)

    def mark(self) -> None:
        """Records the end of a step. Raises SystemExit after the last recording if the program should end then."""
        if self._over or self._torch is None or self._process != os.getpid():
            return
        self._steps += 1
        if not self._scheduled:
            self._discard()
            if self._is_busy():
                self._give_way()
                return
            self._scheduled = True
            self._start(self._options.schedule)
            return
        self._profiler.step()
        if self._written >= self._options.schedule.repeat:
            self.finish()
            if self._options.stop:
                raise SystemExit(0)

    def finish(self) -> None:
        """Ends the recording and writes what has not been written yet."""
        if self._over or self._process != os.getpid():  # a forked child also gets here
            return
        self._over = True
        self._end_marks()
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.stop()
        if self._written:
            self._write_facts()
        elif self._scheduled:
            wait, warmup = self._options.schedule.wait, self._options.schedule.warmup
            _say(f"nothing recorded: the program ended after {self._steps} steps, recording begins after "
                 f"{wait + warmup + 1}; run more steps, or lower --wait ({wait}) and --warmup ({warmup})")  # fmt: skip
        elif self._torch is not None and not self._options.step:
            _say("nothing recorded: this process called no module and no optimizer; --step names what is a step")
        elif self._options.step and not self._options.whole:
            missing = "torch was not imported" if self._torch is None else f"{self._options.step} was not called"
            _say(f"nothing recorded: {missing}")

    def _start(self, schedule: Any) -> None:
        if self._over or self._profiler is not None or self._is_busy():
            return
        profiler = self._torch.profiler
        plan = None
        if schedule is not None:
            plan = profiler.schedule(
                wait=schedule.wait, warmup=schedule.warmup, active=schedule.active, repeat=schedule.repeat
            )
        self._profiler = profiler.profile(
            schedule=plan, on_trace_ready=self._write, record_shapes=self._options.shapes,
            with_stack=self._options.stacks, profile_memory=self._options.memory,
        )  # fmt: skip
        self._profiler.start()

    def _write(self, profiler: Any) -> None:
        self._written += 1
        stamp = f".{time.time_ns()}" if self._options.schedule.repeat > 1 or OUT_VARIABLE not in os.environ else ""
        path = os.path.join(self._options.out, f"worker{_rank()}{stamp}.pt.trace.json.gz")
        try:
            os.makedirs(self._options.out, exist_ok=True)
            profiler.export_chrome_trace(path)
        except (OSError, RuntimeError) as error:  # the program continues
            _say(f"{path} cannot be written: {error}")

    def _discard(self) -> None:
        """Discards the recording that was started before the program turned out to have steps."""
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.on_trace_ready = None
            profiler.stop()

    def _is_busy(self) -> bool:
        from torch.autograd import profiler as autograd

        active = getattr(autograd, "_is_profiler_enabled", False)
        return bool(active() if callable(active) else active)

    def _yield_to_other_profilers(self) -> None:
        """Ends our profiler when the program starts one."""
        from torch.autograd.profiler import profile as legacy

        for kind, name in ((self._torch.profiler.profile, "start"), (legacy, "__enter__")):
            self._ends.append(_before(kind, name, self._other_starts))

    def _other_starts(self, profiler: Any) -> None:
        if profiler is not self._profiler:
            self._give_way()

    def _give_way(self) -> None:
        self._discard()
        self._over = True
        self._end_marks()

    def _end_marks(self) -> None:
        while self._ends:
            self._ends.pop()()

    def _write_facts(self) -> None:
        torch = self._torch
        facts: dict[str, object] = {"python": sys.version.split()[0], "torch": torch.__version__}
        if torch.version.cuda:
            facts["cuda"] = torch.version.cuda
        if getattr(torch.version, "hip", None):
            facts["hip"] = torch.version.hip
        facts["threads"] = torch.get_num_threads()
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            facts["device"] = torch.cuda.get_device_name()
        if _rank() == 0:
            with suppress(OSError), open(os.path.join(self._options.out, FACTS_FILE), "w", encoding="utf-8") as file:
                json.dump(facts, file)


def _before(kind: Any, name: str, first: Callable[[Any], None]) -> Callable[[], None]:
    """Makes a method of a class call `first` with the object beforehand; returns a function that undoes it."""
    method = getattr(kind, name)

    def called(self: Any, *positional: Any, **named: Any) -> Any:
        first(self)
        return method(self, *positional, **named)

    setattr(kind, name, called)
    return lambda: setattr(kind, name, method)


def _at_first_module_call(then: Callable[[], None]) -> Callable[[], None]:
    """Calls `then` before the first call of any torch.nn.Module; returns a function that cancels it."""
    from torch.nn.modules.module import register_module_forward_pre_hook

    waiting = [True]

    def called(*_: object) -> None:
        end()
        then()

    handle = register_module_forward_pre_hook(called)

    def end() -> None:
        if waiting:
            waiting.clear()
            handle.remove()

    return end


def _rank() -> int:
    """Returns the rank from RANK (torchrun, accelerate) or the variables of mpirun and srun; 0 without any."""
    ranks = (os.environ.get(name, "") for name in _RANK_VARIABLES)
    return next((int(rank) for rank in ranks if rank.isdecimal()), 0)


def _say(message: str) -> None:
    sys.stderr.write(f"tb_perfcompare.capture: {message}\n")
