"""The choice of a reader by the environment, and where it is shown."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import main
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.trace.scanners import scanner_choice
from tb_perfcompare.sources.trace.scanners.scanner_choice import NATIVE, PYTHON, VARIABLE, active_reader
from tests.sources.layouts import encode, op, read
from tests.sources.scanners import READERS, needs_native


@pytest.mark.parametrize("reader", READERS)
def test_the_environment_selects_the_reader_of_a_recording(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, reader)
    assert read(encode([op()])).stats.reader == f"torch_profiler/{reader}"


@needs_native
def test_the_compiled_reader_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert active_reader() == NATIVE
    monkeypatch.setenv(VARIABLE, "")
    assert active_reader() == NATIVE


def test_an_unknown_reader_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(PerfCompareError, match="TB_PERFCOMPARE_READER=fast is not a reader; give native or python"):
        active_reader()


def test_the_compiled_reader_is_refused_where_it_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner_choice, "AVAILABLE", (PYTHON,))
    monkeypatch.setenv(VARIABLE, NATIVE)
    with pytest.raises(PerfCompareError, match=r"not installed .*; install the package where there is a C compiler"):
        active_reader()


@pytest.mark.parametrize("module", ["None", "type(sys)('_scanner')", "types.SimpleNamespace(INTERFACE=0)"])
def test_a_module_that_is_missing_or_of_another_version_is_not_used(module: str) -> None:
    code = f"""
import sys, types
import tb_perfcompare.sources.native
sys.modules["tb_perfcompare.sources.native._scanner"] = tb_perfcompare.sources.native._scanner = {module}
if tb_perfcompare.sources.native._scanner is None:
    del tb_perfcompare.sources.native._scanner
from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE
print(AVAILABLE)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "('python',)"


@pytest.mark.parametrize("reader", READERS)
def test_the_list_of_runs_names_a_reader_that_is_slower_than_the_native_one(
    reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv(VARIABLE, reader)
    (tmp_path / "w.pt.trace.json").write_bytes(encode([op()]))
    assert main(["runs", str(tmp_path)]) == 0
    text = capsysbinary.readouterr().out.decode()
    assert ("traces are read in Python" in text) is (reader != "native")
    assert main(["runs", str(tmp_path), "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["reader"] == reader
    assert main(["runs", str(tmp_path), "--names-only"]) == 0
    assert b"reader" not in capsysbinary.readouterr().out
