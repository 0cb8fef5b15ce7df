"""The first reading of saved summaries by several threads at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tb_perfcompare.model.progress import silent
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tests.drawn_runs import write_run

_READ = """
import sys, threading
from pathlib import Path
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.saved.columnar import unpacked

stored = Path(sys.argv[1]).read_bytes()
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(4)
found = []

def read():
    barrier.wait()
    found.append(len(unpacked(stored, Summary).captures))

threads = [threading.Thread(target=read) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(found)
"""


def test_threads_can_read_the_first_summary_concurrently(tmp_path: Path) -> None:
    (file,) = side_from_path(str(write_run(tmp_path / "run")), None, None).files
    (tmp_path / "kept").write_bytes(packed(summarize_file(SummaryJob(file, "device"), silent)))
    done = subprocess.run([sys.executable, "-c", _READ, str(tmp_path / "kept")], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[1, 1, 1, 1]"), done.stderr[-1500:]
