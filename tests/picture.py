"""Traces as pictures: a lane per row, one character is a stretch of time.

    picture('''
        main     |[ProfilerStep#1.........][ProfilerStep#2.........]
        main     | [aten::mm...]
        main.api |  aa
        stream7  |     aaaa
    ''', us_per_char=10, names={"a": "gemm"})

draws two steps of 250 us, an operator from 10 to 140 us, its launch from 20 to 40 us and its kernel from 50 to 90 us.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.build import MAIN, TraceBuilder

_BOX = re.compile(r"\[([^\]]*)\]|(\w)\2*")
_STREAM = re.compile(r"(?:gpu(\d+)\.)?stream(\d+)$")
_HOST = re.compile(r"(?:main|thread(\d+))(\.api)?$")
_HOST_API = re.compile(r"(cuda|cu|hip|cn|mtia)[A-Z]")
_ANNOTATIONS = ("ProfilerStep#", "enumerate(", "Optimizer.", "nccl:", "rccl:", "cncl:", "gloo:")


def picture(text: str, *, us_per_char: float = 10, names: Mapping[str, str] | None = None,
            **options: Any) -> TraceBuilder:  # fmt: skip
    """A builder filled from a drawing: `lane |events`, a lane per row, the same lane again for what nests inside.

    `[name...]` is an event as long as its box, brackets included; `aaa` is one of three characters named by `names`
    (else by its letter). Lanes: `main` and `thread<N>` hold operators and annotations, `main.api` calls, `stream<N>`
    and `gpu<D>.stream<N>` device work. The n-th call of a name launches the n-th device event of that name; a call
    whose name is a host API's (cudaMalloc, hipFree) launches nothing. `options` go to TraceBuilder.
    """
    builder = TraceBuilder(**options)
    rows = [row.partition("|") for row in text.splitlines() if row.strip()]
    launches: dict[str, list[tuple[float, float, int]]] = {}
    device_rows: list[tuple[float, float, str, int, int]] = []
    # Operators before calls: a call takes the External id of the innermost operator already there.
    for label, bar, drawing in sorted(rows, key=lambda row: row[0].strip().endswith(".api")):
        lane = label.strip()
        stream, host = _STREAM.match(lane), _HOST.match(lane)
        if not bar or not (stream or host):
            raise ValueError(f"not a row of a picture (`main |...`, `thread1.api |...`, `stream7 |...`): {label}{bar}")
        for box in _BOX.finditer(drawing):
            name = box[2] or box[1].strip(". ")
            name, start, end = (names or {}).get(name, name), box.start() * us_per_char, box.end() * us_per_char
            if stream:
                device_rows.append((start, end, name, int(stream[1] or 0), int(stream[2])))
                continue
            assert host is not None
            thread = MAIN + int(host[1] or 0)
            if not host[2]:
                cat = "user_annotation" if name.startswith(_ANNOTATIONS) else "cpu_op"
                builder.op(name, start, end, thread=thread, cat=cat)
            elif _HOST_API.match(name):
                builder.call(name, start, end, thread=thread)
            else:
                launches.setdefault(name, []).append((start, end, thread))
    for start, end, name, device, stream_id in sorted(device_rows):
        _draw_device_work(builder, name, start, end, device, stream_id, launches.get(name, []))
    unused = sorted(name for name, calls in launches.items() if calls)
    if unused:
        raise ValueError(f"calls without device work of their name: {', '.join(unused)}")
    return builder


def _draw_device_work(builder: TraceBuilder, name: str, start: float, end: float, device: int, stream: int,
                      calls: list[tuple[float, float, int]]) -> None:  # fmt: skip
    where: dict[str, Any] = {"stream": stream, "device": device}
    if calls:
        launch_start, launch_end, thread = calls.pop(0)
        where |= {"launch": (launch_start, launch_end), "thread": thread}
    if name.startswith("Memcpy"):
        builder.memcpy(start, end, kind=name.removeprefix("Memcpy").strip() or "HtoD (Pinned -> Device)", **where)
    elif name.startswith("Memset"):
        builder.memset(start, end, **where)
    else:
        builder.kernel(name, start, end, **where)
