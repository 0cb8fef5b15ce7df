"""The benchmark of many ranks works; its figures are not tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.many_ranks import Job, write_job
from tb_perfcompare.workspace.inputs.run_files import side_from_path

REPOSITORY = Path(__file__).parents[2]


def test_a_small_job_is_measured_and_its_late_rank_found(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.ranks", "--ranks", "4", "--mb", "0.2", "--scratch", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "| 2 × 4 ranks |" in done.stdout
    assert list(tmp_path.iterdir()) == [], "traces are left behind"


def test_ranks_have_files_of_their_own_and_of_about_the_size(tmp_path: Path) -> None:
    side = side_from_path(str(write_job(tmp_path / "job", Job(3, 400_000))), None, None)
    contents = {Path(file.path).read_bytes() for file in side.files}
    assert len(contents) == 3
    assert all(320_000 < len(content) < 480_000 for content in contents)
