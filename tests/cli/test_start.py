"""Start-up: a command imports only the modules that it uses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import build_parser

ROOT = Path(__file__).parents[2]
PAIR = ROOT / "demo_logs" / "gpu_decoding"
UNUSED = {
    "asyncio", "bz2", "csv", "html", "numpy.ma", "pandas", "scipy", "subprocess", "tempfile", "tensorboard", "unittest",
    "xml.etree.ElementTree", "zipfile",
    "tb_perfcompare.analysis.answers", "tb_perfcompare.analysis.attribution.call_paths",
    "tb_perfcompare.analysis.counters.counter_tables",
    "tb_perfcompare.gate.reports", "tb_perfcompare.sources.answers.reader",
    "tb_perfcompare.sources.ncu.csv_export", "tb_perfcompare.sources.perf_data.csv_tables",
    "tb_perfcompare.sources.saved.baseline_file",
}  # fmt: skip
"""Modules that a comparison of two small traces does not use."""
COMPUTING = ("tb_perfcompare.analysis", "tb_perfcompare.comparison.causes", "tb_perfcompare.comparison.engine")


def imported(*command: str) -> set[str]:
    """Modules imported by a process that runs the command, beyond those of numpy, whose releases differ."""
    code = (
        "import io, sys, numpy; of_numpy = set(sys.modules); from tb_perfcompare.cli.main import main; "
        "status = main(sys.argv[1:], io.StringIO(), sys.stderr); "
        "print('\\n'.join(set(sys.modules) - of_numpy)); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_listing_pairs_imports_no_reader_and_no_comparison() -> None:
    assert not {*COMPUTING, "tb_perfcompare.workspace.workspace"} & imported("pairs", str(ROOT / "demo_logs"))


def test_a_cached_comparison_is_shown_without_importing_the_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PERFCOMPARE_CACHE", str(tmp_path))
    pair = ("diff", str(PAIR / "normal"), str(PAIR / "abnormal"))
    computed = imported(*pair)
    assert {*COMPUTING} <= computed
    assert not UNUSED & computed
    assert not {*COMPUTING} & imported(*pair)


@pytest.mark.parametrize("given", [None, "3"])
def test_the_ab_command_leaves_the_number_of_threads_to_the_user(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    build_parser(["ab"])
    assert os.environ.get("OPENBLAS_NUM_THREADS") == given


def test_other_commands_use_one_thread_for_linear_algebra() -> None:
    code = (
        "import os; from tb_perfcompare.cli.main import build_parser; build_parser(['diff']); import numpy; "
        "print(len(os.listdir('/proc/self/task')) if os.path.isdir('/proc/self/task') else 1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout) == 1


def test_a_command_runs_no_garbage_collection() -> None:
    code = (
        "import atexit, gc, sys; from tb_perfcompare.cli.main import process; seen = []; gc.collect(); "
        "gc.callbacks.append(lambda phase, _: seen.append(phase)); "
        "atexit.register(lambda: sys.stderr.write(f'{len(seen)} collections')); process()"
    )
    pair = (str(PAIR / "normal"), str(PAIR / "abnormal"))
    done = subprocess.run([sys.executable, "-c", code, "diff", *pair], capture_output=True, text=True, check=True)
    assert done.stdout and done.stderr == "0 collections"
