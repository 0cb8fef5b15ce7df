"""One measurement in a fresh process: two traces in, a JSON line with seconds, peak memory and what was found out.

    python benchmarks/one_sample.py ours BASELINE CANDIDATE
    python benchmarks/one_sample.py torch-tb-profiler BASELINE CANDIDATE

The clock starts after the imports and stops when everything that a user can look at first is there: for ours the
comparison of the two runs, for torch-tb-profiler its views of both runs (its own diff is not counted).
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Work = Callable[[Path, Path], dict[str, Any]]


def ours() -> Work:
    """Read, summarise and compare."""
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.comparison.engine import compare_summaries
    from tb_perfcompare.comparison.options import CompareOptions
    from tb_perfcompare.model.progress import silent
    from tb_perfcompare.model.recording import Origin
    from tb_perfcompare.sources.torch_profiler import read_trace

    def work(baseline: Path, candidate: Path) -> dict[str, Any]:
        sides, events = [], 0
        for path in (baseline, candidate):
            recording = read_trace(path, report=silent, want_hash=False, skip_python_functions=True)
            events += recording.stats.events
            sides.append(
                summarize(recording, Origin(str(path), path.parent.name, "worker0", "1"))
            )
            del recording
        comparison = compare_summaries(sides[0], sides[1], CompareOptions())
        return {"events": events, "step_us": [side.steps.total_ns.mean() / 1000 for side in sides],
                "tables": sorted(comparison.tables)}  # fmt: skip

    return work


def torch_tb_profiler() -> Work:
    """Parse both files and build the profiles that its routes answer from."""
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.run_generator import RunGenerator

    logging.disable(logging.CRITICAL)

    def work(baseline: Path, candidate: Path) -> dict[str, Any]:
        profiles, steps, events = [], [], 0
        with tempfile.TemporaryDirectory() as cache:
            for path in (baseline, candidate):
                data = RunProfileData.parse("worker0", 1, str(path), cache)
                profiles.append(RunGenerator("worker0", 1, data).generate_run_profile())
                steps.append(float(data.avg_costs.costs[-1]))
                events += len(data.events)
        return {"events": events, "step_us": steps, "tables": sorted({str(v) for p in profiles for v in p.views})}

    return work


TOOLS: dict[str, Callable[[], Work]] = {"ours": ours, "torch-tb-profiler": torch_tb_profiler}


def main(tool: str, baseline: str, candidate: str) -> None:
    """Measures and prints one line."""
    work = TOOLS[tool]()
    before = _peak_bytes()
    cpu, wall = time.process_time(), time.perf_counter()
    found = work(Path(baseline), Path(candidate))
    found |= {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    found |= {"peak_bytes": _peak_bytes(), "imports_bytes": before}
    print(json.dumps(found), flush=True)
    os._exit(0)  # leaving without tearing down a large heap saves time and is not measured


def _peak_bytes() -> int:
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a new process on Linux starts at the size of the one that started it
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:4])
