"""What a command imports: a second of modules that it does not use is what its user waits for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAIR = ROOT / "demo_logs" / "cpu_training"
COMPUTING = ("scipy", "tb_perfcompare.analysis", "tb_perfcompare.comparison.causes", "tb_perfcompare.comparison.engine")


def imported(*command: str) -> set[str]:
    """The modules that a process has imported when the command is done."""
    code = (
        "import io, sys; from tb_perfcompare.cli.main import main; "
        "status = main(sys.argv[1:], io.StringIO(), sys.stderr); print('\\n'.join(sys.modules)); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_pairs_are_listed_without_what_reads_and_compares() -> None:
    assert not {*COMPUTING, "tb_perfcompare.workspace.workspace"} & imported("pairs", str(ROOT / "demo_logs"))


def test_a_kept_comparison_is_shown_without_what_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TB_PERFCOMPARE_CACHE", str(tmp_path))
    pair = ("diff", str(PAIR / "normal"), str(PAIR / "abnormal"))
    assert {*COMPUTING} <= imported(*pair)
    assert not {*COMPUTING} & imported(*pair)
