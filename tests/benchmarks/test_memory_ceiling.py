"""Memory stays a fraction of the text read: 20 MB of JSON, by both readers, in processes that may not take more.

The ceilings hold on any machine: memory, unlike time, does not depend on who else is busy. Measured memory and its
goals are in docs/internals/benchmarks.md.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import generated
from benchmarks.generated import Load
from benchmarks.rounds import REPOSITORY, Task, sample
from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE
from tests.thorough import THOROUGH

JSON_MB = 40 if THOROUGH else 20
MOST_READ_MB = 0.25 * JSON_MB + 30
"""Above the imports: columns of 160,000 events in 40 MB. This is the goal."""
MOST_TABLES_MB = 0.4 * JSON_MB + 40
"""And everything that is summarized: about 50 and 60 MB are taken for 40. This is the goal, too."""

_LIMITED = """
import resource, sys
from pathlib import Path
from benchmarks import our_work
work = our_work.tables()
lines = Path("/proc/self/status").read_text().splitlines()
data_kb = next(int(line.split()[1]) for line in lines if line.startswith("VmData:"))
most = data_kb * 1024 + int(sys.argv[2]) * 1_000_000
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
found = work(sys.argv[1])
print(found["steps"])
"""


KINDS: dict[str, dict[str, int]] = {"CPU and GPU": {}, "with_stack": {"frames": 12}}
LIMITS = [*(("read", reader, MOST_READ_MB) for reader in AVAILABLE), ("tables", AVAILABLE[0], MOST_TABLES_MB)]
MEASURED = [
    (kind, *limit) for kind, frames in KINDS.items() for limit in LIMITS
    if THOROUGH or limit[1] == AVAILABLE[0] or not frames
]  # fmt: skip
"""The slower reader reads one kind of trace; thoroughly both."""


@pytest.fixture(scope="module")
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of JSON_MB, not compressed."""
    path = tmp_path_factory.mktemp("large") / "worker0.1750000000000.pt.trace.json"
    generated.write(path, Load(JSON_MB, **KINDS[request.param]))
    assert path.stat().st_size == pytest.approx(JSON_MB * 1e6, rel=0.1)
    return path


@pytest.mark.parametrize(("trace", "work", "reader", "most_mb"), MEASURED, indirect=["trace"])
def test_the_peak_is_bounded(trace: Path, work: str, reader: str, most_mb: float) -> None:
    found = sample(Task(work, f"our_work.{work}", (str(trace),), environment={"TB_PERFCOMPARE_READER": reader}))
    assert found.result["bytes"] == trace.stat().st_size
    assert found.above_imports_bytes / 1e6 < most_mb


@pytest.mark.parametrize("trace", KINDS, indirect=True)
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts all of a process's own memory on Linux only")
def test_a_process_that_may_not_take_more_reads_it_all(trace: Path) -> None:
    command = [sys.executable, "-c", _LIMITED, str(trace), str(int(MOST_TABLES_MB) + 30)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(Load().steps)), done.stderr[-2000:]
