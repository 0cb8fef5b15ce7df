"""Servers with planted faults: alternating prefill and decode, prompts in chunks, decodes with and without a graph
(demo_logs/server_traces.py).

`python -m tests.planted.servers 40` prints the figures of docs/method/iterations.md, so many pairs of each fault.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType

from tb_perfcompare.analysis.pooling.step_admission import admit_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.planted.sides import compared

ITERATIONS = 96
SLOWER = {Verdict.SLOWER, Verdict.PROBABLY_SLOWER}
FASTER = {Verdict.FASTER, Verdict.PROBABLY_FASTER}


@cache
def server_traces() -> ModuleType:
    """The generator of demo_logs."""
    folder = str(Path(__file__).parents[2] / "demo_logs")
    sys.path.insert(0, folder)
    try:
        import server_traces as module  # type: ignore[import-not-found]
    finally:
        sys.path.remove(folder)
    return module


@dataclass(frozen=True, slots=True)
class ServerFault:
    """`plant` changes the engine or the requests of the candidate; `expected`: the right verdicts."""

    name: str
    plant: Callable[[object], object]
    expected: frozenset[Verdict]


def _slower(part: str, factor: float) -> Callable[[object], object]:
    def plant(engine: object) -> object:
        kernel = getattr(engine, part)
        return replace(engine, **{part: replace(kernel, mean_ns=round(kernel.mean_ns * factor))})  # type: ignore[type-var]

    return plant


def _asked(**changed: object) -> Callable[[object], object]:
    return lambda engine: replace(engine, **changed)  # type: ignore[type-var]


NEITHER = frozenset(set(Verdict) - SLOWER - FASTER)
FAULTS = (
    ServerFault("nothing", _asked(), NEITHER),
    ServerFault("decode attention +60 %", _slower("decode_attention", 1.6), frozenset(SLOWER)),
    ServerFault("decode attention +30 %", _slower("decode_attention", 1.3), frozenset(SLOWER)),
    ServerFault("prefill attention +60 %", _slower("prefill_attention", 1.6), frozenset(SLOWER)),
    ServerFault("fewer prefills: every 6th iteration, not every 3rd", _asked(prefill_every=6), NEITHER),
    ServerFault("more prefills: every 2nd", _asked(prefill_every=2), NEITHER),
    ServerFault("larger batches: 12 to 24, not 8 to 16", _asked(requests=(12, 16, 24, 24)), NEITHER),
    ServerFault("fewer prefills, decode attention +60 %",
                lambda engine: _asked(prefill_every=6)(_slower("decode_attention", 1.6)(engine)), frozenset(SLOWER)),
    ServerFault("more prefills, decode attention −35 %",
                lambda engine: _asked(prefill_every=2)(_slower("decode_attention", 0.65)(engine)), frozenset(FASTER)),
)  # fmt: skip


@cache
def served(fault: str | None, seed: int, *, eager: bool = False) -> Summary:
    """A recording of a server, with the fault unless that is None; `eager`: 12 sequences or more have no graph."""
    made = server_traces()
    engine = replace(made.BASELINE, eager_from=12) if eager else made.BASELINE
    if fault is not None:
        (planted,) = [one for one in FAULTS if one.name == fault]
        engine = planted.plant(engine)
    trace = made.trace(engine, seed, 1_750_000_000_000, ITERATIONS)
    recording = read_trace(BytesIO(trace), name="worker0.1.pt.trace.json")
    return admit_steps(summarize(recording, Origin("drawn", "drawn", "worker0", "1")))


def server_pair(fault: str, seed: int, *, eager: bool = False) -> Comparison:
    """A baseline, and a candidate with the fault."""
    return compared(served(None, 2 * seed, eager=eager), served(fault, 2 * seed + 1, eager=eager))


def main(pairs: int) -> None:
    """A row per fault: how often which verdict."""
    print("| candidate | graphs: right | verdicts | graphs and eager: right | verdicts |\n|---|---:|---|---:|---|")
    for fault in FAULTS:
        cells = []
        for eager in (False, True):
            verdicts = [server_pair(fault.name, seed, eager=eager).headline.verdict for seed in range(pairs)]
            served.cache_clear()
            right = sum(verdict in fault.expected for verdict in verdicts)
            words = [f"{verdict.value.replace('_', ' ')} {count}" for verdict, count in Counter(verdicts).most_common()]
            cells += [f"{right} of {pairs}", ", ".join(words)]
        print(f"| {fault.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)
