"""Where the launcher goes in a command, and what of a command is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import build_parser
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.experiment.command import LAUNCHER, parse_command
from tb_perfcompare.experiment.config import read_config
from tb_perfcompare.experiment.environment import relevant_variables, shown_command
from tb_perfcompare.experiment.experiment import round_orders


@pytest.mark.parametrize(
    ("given", "launched"),
    [
        ("python train.py --x 1", "python HERE train.py --x 1"),
        ("A=1 python3.12 -u -X dev train.py", "python3.12 -u -X dev HERE train.py"),
        ("python -m pkg.train --x", "python HERE -m pkg.train --x"),
        ("taskset -c 0 .venv/bin/python train.py", "taskset -c 0 .venv/bin/python HERE train.py"),
        ("torchrun --nproc-per-node 2 train.py --x.py", "torchrun --nproc-per-node 2 HERE train.py --x.py"),
        ("torchrun -m pkg.train", "torchrun HERE -m pkg.train"),
        ("accelerate launch --config_file a.yaml --module pkg.train",
         "accelerate launch --config_file a.yaml HERE -m pkg.train"),
        ("python -m torch.distributed.run --nproc-per-node 2 train.py",
         "python -m torch.distributed.run --nproc-per-node 2 HERE train.py"),
        ("uv run python train.py", "uv run python HERE train.py"),
        ("python -c 'import x'", "python -c import x"),
        ("python -mpkg.train --x 1", "python -mpkg.train --x 1"),
        ("./train.sh", "./train.sh"),
        ("python -m tb_perfcompare.capture train.py", "python -m tb_perfcompare.capture train.py"),
    ],
)  # fmt: skip
def test_the_launcher_is_put_before_the_script(given: str, launched: str) -> None:
    words = parse_command(given).launched(["--wait", "2"])
    assert " ".join(words).replace(f"{LAUNCHER} --wait 2", "HERE") == launched


@pytest.mark.parametrize("text", ["", "A=1", "python 'train.py"])
def test_no_command(text: str) -> None:
    with pytest.raises(PerfCompareError):
        parse_command(text)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["train", "--lr", "0.1"], "train --lr 0.1"),
        (["train", "--api-key", "abc"], "train --api-key ***"),
        (["train", "--token=abc"], "train --token=***"),
        (["WANDB_API_KEY=abc", "train"], "WANDB_API_KEY=*** train"),
        (["train", "--url=https://me:abc@host/x"], "train --url=https://***@host/x"),
        (["train", "https://host/x?sig=abc&expires=1"], "train https://host/x?***"),
        (["train", "hf_abcdefghijkl"], "train ***"),
    ],
)  # fmt: skip
def test_secrets_are_not_shown(words: list[str], shown: str) -> None:
    assert shown_command(words).replace("'", "") == shown


def test_only_variables_that_matter_are_kept() -> None:
    given = {"OMP_NUM_THREADS": "2", "HOME": "/root", "TORCH_API_TOKEN": "abc", "NCCL_DEBUG": "INFO"}
    assert relevant_variables(given) == {"NCCL_DEBUG": "INFO", "OMP_NUM_THREADS": "2"}


def test_turns_are_balanced_and_seeded() -> None:
    order = round_orders(["a", "b", "c"], 10, seed=3)
    assert order == round_orders(["a", "b", "c"], 10, seed=3)
    assert order != round_orders(["a", "b", "c"], 10, seed=4)
    for name in "abc":
        assert sum(one.index(name) for one in order) == 10  # in the middle on average


GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "ab.md").read_text("utf-8")


@pytest.mark.parametrize("text", re.findall(r"^```toml\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))
def test_the_guides_setups_can_be_used(text: str, tmp_path: Path) -> None:
    (tmp_path / "ab.toml").write_text(text, "utf-8")
    variants, _ = read_config(str(tmp_path / "ab.toml"))
    assert {variant.command.text for variant in variants} <= {"python train.py", "python train.py --compile"}


def test_the_guides_job_is_a_command_line_there_is() -> None:
    (job,) = re.findall(r"run: >\n(.*?)\n\s+- uses", GUIDE, re.DOTALL)
    found = build_parser(["ab"]).parse_args(shlex.split(job)[1:])
    assert (found.config, found.github_summary, found.format) == ("ab.toml", "", "html")
