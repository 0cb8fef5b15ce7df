"""Several threads that read kept summaries in a process that has not read one before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tb_perfcompare.model.progress import silent
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tb_perfcompare.workspace.listing.index import side_from_path
from tests.drawn_runs import write_run

_READ = """
import sys, threading
from pathlib import Path
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.saved.columnar import unpacked

stored = Path(sys.argv[1]).read_bytes()
sys.setswitchinterval(1e-6)
together = threading.Barrier(4)
found = []

def read():
    together.wait()
    found.append(len(unpacked(stored, Summary).captures))

threads = [threading.Thread(target=read) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(found)
"""


def test_the_class_is_looked_at_by_one_of_them(tmp_path: Path) -> None:
    (file,) = side_from_path(str(write_run(tmp_path / "run")), None, None).files
    (tmp_path / "kept").write_bytes(packed(summarize_file(SummaryJob(file, "device"), silent)))
    done = subprocess.run([sys.executable, "-c", _READ, str(tmp_path / "kept")], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[1, 1, 1, 1]"), done.stderr[-1500:]
