"""Recordings of torch programs that do not use the profiler."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tb_perfcompare.experiment.command import parse_command
from tests.capture.test_launch import LAUNCHER, ROOT
from tests.cli.invoke import tb_perfcompare

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="records with torch, which is not installed (the extra `record`)"
)

TRAINING = """
import sys, torch
from torch import nn
net = nn.Linear(8, 4)
optimizer, other = torch.optim.SGD(net.parameters(), 0.1), torch.optim.SGD(net.parameters(), 0.1)
def train_step():
    net(torch.randn(4, 8)).sum().backward()
    optimizer.step()
    other.step()
for number in range(12):
    train_step()
print("done", number)
sys.exit(3)
"""
DISTRIBUTED = """
import torch
from torch import distributed, nn
distributed.init_process_group("gloo")
net = nn.parallel.DistributedDataParallel(nn.Linear(8, 4))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(12):
    net(torch.randn(4, 8)).sum().backward()
    optimizer.step()
if distributed.get_rank() == 0:
    print(distributed.get_world_size(), "ranks")
distributed.destroy_process_group()
"""
FORWARD = "import torch\nnet = torch.nn.Linear(8, 4)\nfor _ in range(5): net(torch.randn(4, 8))\n"
OWN_PROFILER = """
import os, torch
os.makedirs(os.environ["TB_PERFCOMPARE_OUT"])
from torch.profiler import profile
net = torch.nn.Linear(8, 4)
net(torch.randn(4, 8))
with profile() as profiler:
    net(torch.randn(4, 8))
profiler.export_chrome_trace(os.path.join(os.environ["TB_PERFCOMPARE_OUT"], "own.pt.trace.json"))
"""
SHORT = ("--wait", "1", "--warmup", "1", "--active", "4")


def record(directory: Path, program: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (directory / "train.py").write_text(program, "utf-8")
    return subprocess.run(
        [sys.executable, str(LAUNCHER), *words, "train.py"], cwd=directory, capture_output=True, text=True,
        env=os.environ | {"TB_PERFCOMPARE_OUT": str(directory / "out")} | variables,
    )  # fmt: skip


def names(directory: Path, worker: int = 0) -> list[str]:
    """Names of the trace's events."""
    with gzip.open(directory / "out" / f"worker{worker}.pt.trace.json.gz", "rt") as file:
        return [event["name"] for event in json.load(file)["traceEvents"]]


def steps(directory: Path, worker: int = 0) -> int:
    return len({name for name in names(directory, worker) if name.startswith("ProfilerStep#")})


@pytest.mark.parametrize("options", [(), ("--step", "__main__:train_step")])
def test_steps_of_the_optimizer_or_of_a_function_are_recorded(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = record(tmp_path, TRAINING, *SHORT, *options)
    assert (found.returncode, found.stdout) == (3, "done 11\n")
    assert steps(tmp_path) == 4
    facts = json.loads((tmp_path / "out" / "facts.json").read_text("utf-8"))
    assert facts["torch"]


def test_the_program_can_be_stopped_after_the_recording(tmp_path: Path) -> None:
    found = record(tmp_path, TRAINING, *SHORT, "--stop-after-capture")
    assert (found.returncode, found.stdout, steps(tmp_path)) == (0, "", 4)


def test_each_rank_of_torchrun_is_a_worker(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(DISTRIBUTED, "utf-8")
    command = parse_command(f"{sys.executable} -m torch.distributed.run --nproc-per-node 2 --standalone train.py")
    found = subprocess.run(
        command.launched(SHORT), cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"TB_PERFCOMPARE_OUT": str(tmp_path / "out")},
    )  # fmt: skip
    assert (found.returncode, found.stdout) == (0, "2 ranks\n"), found.stderr
    assert [steps(tmp_path, worker) for worker in (0, 1)] == [4, 4]


@pytest.mark.parametrize("options", [(), ("--whole",)])
def test_without_an_optimizer_the_whole_program_is_recorded(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert record(tmp_path, FORWARD, *options).returncode == 0
    assert names(tmp_path).count("aten::linear") == 5
    assert steps(tmp_path) == 0


def test_a_program_with_its_own_profiler_is_not_recorded(tmp_path: Path) -> None:
    found = record(tmp_path, OWN_PROFILER)
    assert found.returncode == 0, found.stderr
    assert os.listdir(tmp_path / "out") == ["own.pt.trace.json"]


def test_a_program_without_modules_is_an_error(tmp_path: Path) -> None:
    found = record(tmp_path, "import torch\ntorch.randn(4) + 1\n")
    assert "nothing recorded: this process called no module and no optimizer" in found.stderr


def test_each_rank_of_mpirun_is_a_worker(tmp_path: Path) -> None:
    record(tmp_path, FORWARD, OMPI_COMM_WORLD_RANK="3")
    assert names(tmp_path, 3)


def test_a_program_that_ends_too_soon_is_an_error(tmp_path: Path) -> None:
    found = record(tmp_path, TRAINING, "--wait", "50")
    assert "nothing recorded: the program ended after 12 steps, recording begins after 54" in found.stderr
    assert not (tmp_path / "out").exists()


def test_the_experiment_of_the_readme_finds_its_cause(tmp_path: Path) -> None:
    script = ROOT / "demo_logs" / "train.py"
    baseline = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    found = tb_perfcompare(
        "ab", "--a", baseline, "--b", f"{baseline} --slow-loader", "--out", tmp_path / "logs", "--most-rounds", "1",
        "--wait", "2", "--warmup", "1", "--active", "8",
    )  # fmt: skip
    assert found.status == 0, found.err
    sides = re.findall(r"round 1 (\w+) [5-8] steps, mean", found.err)  # a busy machine's warm-up steps are left out
    assert sorted(sides) == ["baseline", "candidate"], found.err
    assert "Data loader wait: +" in found.out
