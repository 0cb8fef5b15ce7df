"""Generates traces of any size with thousands of different kernels, operators, shapes and modules.

The demo's synthetic run (demo_logs/synthetic.py) grows in length only, but tables grow with the number of different
names. These traces grow in both. They do not resemble a training run: they are a load for tables, pages and caches,
generated from a seed.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EVENTS_PER_LAYER = 6
"""Module, two operators, launch, kernel, and an allocation or a release."""
_START_MS = 1_750_000_000_000


@dataclass(frozen=True, slots=True)
class Wide:
    """Number of steps, layers per step, and different kernels, operators, shapes and modules. `slower` multiplies the
    time of every hundredth kernel."""

    steps: int = 100
    layers: int = 830
    kernels: int = 3000
    operators: int = 800
    shapes: int = 60
    modules: int = 1500
    seed: int = 1
    slower: float = 1.0

    @property
    def events(self) -> int:
        """Approximate number of events."""
        return self.steps * (1 + self.layers * EVENTS_PER_LAYER)


MILLION = Wide()
"""One side of a pair of a million events."""


def write_pair(folder: Path, wide: Wide) -> tuple[Path, Path]:
    """Writes runs `normal` and `abnormal` below the folder. In the latter, every hundredth kernel takes 1.5 times as
    long, and another hundredth has different names."""
    sides = wide, Wide(wide.steps, wide.layers, wide.kernels, wide.operators, wide.shapes, wide.modules, 2, 1.5)
    out = []
    for name, side in zip(("normal", "abnormal"), sides, strict=True):
        path = folder / name / f"worker0.{_START_MS}.pt.trace.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wb", compresslevel=1) as file:
            for part in text(side):
                file.write(part.encode())
        out.append(path)
    return out[0], out[1]


def text(wide: Wide) -> Iterator[str]:
    """Yields the trace, step by step."""
    draw = random.Random(wide.seed)
    names = random.Random(0)  # the same on both sides
    kernels = [_kernel(n, names, other=wide.slower != 1 and n % 100 == 50) for n in range(wide.kernels)]
    means = [2 + 30 * names.random() ** 4 for _ in kernels]
    shapes = [f"[[{names.randrange(1, 512)},{names.choice((64, 128, 256))}],[{n},{n}]]" for n in range(wide.shapes)]
    plan = [
        (names.randrange(wide.modules), names.randrange(wide.operators), names.randrange(wide.shapes),
         names.randrange(wide.kernels))
        for _ in range(wide.layers)
    ]  # fmt: skip
    yield (
        '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-40GB","numSms":108}],'
        '"record_shapes":1,"with_modules":1,"profile_memory":1,"baseTimeNanoseconds":1750000000000000000,'
        '"traceEvents":[\n'
    )
    now, number, python = 10.0, 0, 0
    free = held = 0.0
    for step in range(wide.steps):
        lines, start = [], now
        python += 1
        root = python
        for module, operator, shape, kernel in plan:
            number += 1
            python += 1
            busy = means[kernel] * (wide.slower if kernel % 100 == 0 else 1) * (0.97 + 0.06 * draw.random())
            begin, now = now, now + 9 + draw.random()
            free = max(free, begin + 7) + busy
            held += 4096 if number % 2 else -4096
            size = 4096 if number % 2 else -4096
            owner = 2 * number
            lines.append(
                f'{{"ph":"X","cat":"python_function","name":"nn.Module: Block{module % 40}_{module}","pid":40,"tid":40,'
                f'"ts":{begin:.3f},"dur":{now - begin - 0.2:.3f},'
                f'"args":{{"Python id":{python},"Python parent id":{root},"Python module id":{module}}}}},\n'
                f'{{"ph":"X","cat":"cpu_op","name":"aten::outer_{operator % 97}","pid":40,"tid":40,'
                f'"ts":{begin + 0.2:.3f},"dur":8.2,"args":{{"External id":{owner},"Input Dims":{shapes[shape]}}}}},\n'
                f'{{"ph":"X","cat":"cpu_op","name":"aten::inner_{operator}","pid":40,"tid":40,'
                f'"ts":{begin + 0.7:.3f},"dur":7.1,'
                f'"args":{{"External id":{owner + 1},"Input Dims":{shapes[shape]}}}}},\n'
                f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":40,"tid":40,"ts":{begin + 1.1:.3f},'
                f'"dur":5.5,"args":{{"External id":{owner + 1},"cbid":211,"correlation":{number}}}}},\n'
                f'{{"ph":"X","cat":"kernel","name":"{kernels[kernel]}","pid":0,"tid":7,"ts":{free - busy:.3f},'
                f'"dur":{busy:.3f},"args":{{"External id":{owner + 1},"device":0,"stream":7,"correlation":{number},'
                f'"grid":[{kernel % 64 + 1},1,1],"block":[{32 * (kernel % 8 + 1)},1,1],"registers per thread":32,'
                f'"blocks per SM":1.5,"est. achieved occupancy %":50}}}},\n'
                f'{{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":40,"tid":40,'
                f'"ts":{begin + 0.9:.3f},'
                f'"args":{{"Device Type":1,"Device Id":0,"Bytes":{size},"Addr":{owner},"Total Allocated":{held:.0f},'
                f'"Total Reserved":8000000}}}},\n'
            )
        now = max(now, free) + 5
        lines.append(
            f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":40,"tid":40,"ts":{start - 1:.3f},'
            f'"dur":{now - start:.3f},"args":{{"External id":{2 * number + 2}}}}},\n'
        )
        yield "".join(lines)
    yield (
        f'{{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,'
        f'"dur":{now + 10:.3f},"args":{{"Op count":0}}}}\n]}}\n'
    )


def _kernel(number: int, draw: random.Random, *, other: bool) -> str:
    """Returns a kernel name as long as those of template instances."""
    tile = f"{draw.choice((64, 128, 256))}x{draw.choice((32, 64, 128))}"
    functor = f"Functor{number}{'Renamed' if other else ''}"
    return (
        f"void at::native::vectorized_elementwise_kernel<{number % 4 + 1}, at::native::{functor}<float, {tile[:3]}>, "
        f"std::array<char*, {number % 3 + 1}ul> >(int, at::native::{functor}<float>, std::array<char*, 2ul>)"
    )
