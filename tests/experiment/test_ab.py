"""`tb-perfcompare ab`: real processes that write traces, a real repository, a real interrupt."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.experiment.stopping import planned_levels
from tb_perfcompare.number_text import setting
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.listing.index import Index, Root
from tests.cli.invoke import Outcome, tb_perfcompare
from tests.experiment.programs import ab, command, manifest, write_program

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_program(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """An experiment with a slower candidate."""
    folder: Path = tmp_path_factory.mktemp("slower")
    write_program(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder / "logs", ab(folder / "logs", "--fail-if-slower", "3%", slower=1.3)


def test_a_slower_candidate_ends_it_at_the_first_look(slower: tuple[Path, Outcome]) -> None:
    out, found = slower
    assert found.status == 1
    assert found.out.startswith("Slower: the program takes ")
    assert "gate: tripped: the program takes more than 3 % longer" in found.err
    runs = find_runs(str(out)).runs
    assert [(run.name, [span.label for worker in run.workers for span in worker.spans]) for run in runs] == [
        ("baseline", ["1", "2", "3"]), ("candidate", ["1", "2", "3"]),
    ]  # fmt: skip
    recorded = manifest(out)
    assert [(one["round"], one["verdict"]) for one in recorded["looks"]] == [(3, "slower")]
    assert recorded["recordings"][0]["files"] == [f"{recorded['recordings'][0]['variant']}/worker0.1.pt.trace.json"]


def test_sides_take_turns_and_every_second_round_goes_backwards(slower: tuple[Path, Outcome]) -> None:
    order = [one["variant"] for one in manifest(slower[0])["recordings"]]
    assert sorted(order[:2]) == ["baseline", "candidate"]
    assert order[:2] == order[2:4][::-1]


def test_whoever_compares_the_runs_later_gets_the_verdict_of_the_last_look(
    slower: tuple[Path, Outcome], tmp_path: Path
) -> None:
    out = shutil.copytree(slower[0], tmp_path / "logs")
    report = slower[1].out
    (level,) = {look["level"] for look in manifest(out)["looks"]}
    words = f"experiment (ab), round 3 of at most 10: {setting(1 - level)} CI at this look, 95 % over all looks"
    assert words in " ".join(report.split())
    later = tb_perfcompare("diff", str(out / "baseline"), str(out / "candidate")).out
    assert later.splitlines()[:6] == report.splitlines()[:6]
    index = Index([Root(str(tmp_path), "named")])
    asked = ComparisonRequest(*(index.side(Selection(f"named/logs/{name}")) for name in ("baseline", "candidate")))
    assert asked.options.alpha == level
    (out / "candidate").rename(out / "moved")  # no run of the experiment any more
    moved = ComparisonRequest(asked.baseline, side_from_path(str(out / "moved"), None, None))
    assert moved.options == CompareOptions()


def test_equal_programs_are_the_same(tmp_path: Path) -> None:
    found = ab(tmp_path / "logs", "--fail-if-slower", "3%")
    assert (found.status, found.out.partition(":")[0]) == (0, "Same")


def test_a_round_says_what_was_recorded_and_what_is_known(slower: tuple[Path, Outcome]) -> None:
    lines = slower[1].err.splitlines()
    assert sum("10 steps, mean" in line for line in lines) == 6
    assert [line for line in lines if "first comparison" in line] == ["round 1 first comparison after round 3"]
    (known,) = [line for line in lines if line.startswith("round 3 program +")]
    assert known.endswith("CI: Slower")


def test_a_failing_command_shows_its_last_lines_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    out = tmp_path / "logs"
    (tmp_path / "other.fails").touch()
    found = ab(out, "--most-rounds", "1")
    assert found.status == 2
    assert "  | loss is nan" in found.err
    assert "candidate failed with exit status 7 in round 1" in found.err
    assert {one["variant"] for one in manifest(out)["recordings"]} <= {"baseline"}
    (tmp_path / "other.fails").unlink()
    assert ab(out, "--resume").status == 0
    assert len(manifest(out)["recordings"]) == 2


def test_an_experiment_whose_first_command_fails_can_begin_again(tmp_path: Path) -> None:
    wrong = tb_perfcompare("ab", "--a", "no_such_program", "--b", "no_such_program", "--out", tmp_path / "logs")
    assert wrong.status == 2
    assert ab(tmp_path / "logs", "--most-rounds", "1").status == 0


def test_recordings_that_are_there_already_are_no_part_of_an_experiment(tmp_path: Path) -> None:
    (tmp_path / "logs" / "candidate").mkdir(parents=True)
    (tmp_path / "logs" / "candidate" / "worker0.pt.trace.json").touch()
    refused = ab(tmp_path / "logs")
    assert (refused.status, "candidate: is there already" in refused.err) == (2, True)
    assert os.listdir(tmp_path / "logs") == ["candidate"]


def test_a_side_without_a_trace_says_where_it_looked(tmp_path: Path) -> None:
    (tmp_path / "other.silent").touch()
    found = ab(tmp_path / "logs")
    assert found.status == 2
    assert "candidate wrote no trace in round 1: looked for *.pt.trace.json[.gz] in " in found.err
    assert f"{tmp_path}/logs/output/candidate.1.log" in found.err
    assert "| training other" in found.err


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    found = tb_perfcompare("ab", "--a", "no_such_program x", "--b", "no_such_program y", "--out", tmp_path / "logs")
    assert (found.status, "no_such_program cannot be started" in found.err) == (2, True)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_and_reports_and_the_experiment_goes_on(how: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "logs"
    words = ["ab", "--a", command(1, "one"), "--b", command(1.002, "other"), "--out", str(out), "--most-rounds", "400"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tb_perfcompare", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not (out / "manifest.json").exists() or len(manifest(out)["recordings"]) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(how)
    printed, messages = process.communicate(timeout=60)
    assert process.returncode == 130, messages
    assert "Traceback" not in messages and "complete round" in messages and "continue with --resume" in messages
    assert "captures" in printed or "baseline" in printed
    before = len(manifest(out)["recordings"])
    again = tb_perfcompare(*words[:-2], "--resume", "--most-minutes", "0.001")
    assert again.status == 0, again.err
    assert len(manifest(out)["recordings"]) >= before


def test_what_is_resumed_is_the_same_experiment(tmp_path: Path) -> None:
    out = tmp_path / "logs"
    ab(out, "--most-rounds", "1")
    assert "holds an experiment already; continue with --resume" in ab(out).err
    assert "a different command of candidate" in ab(out, "--resume", slower=2.0).err
    assert "recorded with --wait 5 --warmup 3 --active 10" in ab(out, "--resume", "--active", "9").err
    assert "planned for 1 round" in ab(out, "--resume", "--most-rounds", "9").err
    assert "has no manifest.json" in ab(tmp_path / "other", "--resume").err


def git(directory: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", *who, *words], cwd=directory, check=True, capture_output=True, text=True).stdout


def test_another_commit_runs_in_a_worktree_of_its_own(tmp_path: Path) -> None:
    """The script writes at the second commit what it does not at the first; the first is the slower one."""
    script = (tmp_path / "train.py").read_text("utf-8")
    (tmp_path / "train.py").write_text(script.replace("5_000 * factor", "9_000 * factor"), "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "train.py")
    git(tmp_path, "commit", "-qm", "slow")
    (tmp_path / "train.py").write_text(script, "utf-8")
    git(tmp_path, "commit", "-qam", "fast")
    (tmp_path / "train.py").write_text(f"{script}\n# changed\n", "utf-8")
    found = tb_perfcompare("ab", "--a", command(1, "one"), "--b-git", "HEAD~1", "--out", tmp_path / "logs")
    assert found.out.startswith("Slower"), found.err
    assert len(git(tmp_path, "worktree", "list").splitlines()) == 1
    states = [variant["git"] for variant in manifest(tmp_path / "logs")["variants"]]
    commits = [git(tmp_path, "rev-parse", name).strip() for name in ("HEAD", "HEAD~1")]
    assert [(state["commit"], state["clean"], state["changes"] == "") for state in states] == [
        (commits[0], False, False), (commits[1], True, True),
    ]  # fmt: skip
    (tmp_path / "train.py").write_text(f"{script}\n# changed again\n", "utf-8")
    words = ("--a", command(1, "one"), "--b-git", "HEAD~1", "--out", tmp_path / "logs", "--resume")
    assert "was recorded with a different code of baseline" in tb_perfcompare("ab", *words).err
    refused = tb_perfcompare("ab", "--a", command(1, "one"), "--b-git", "nowhere", "--out", tmp_path / "more")
    assert (refused.status, f"there is no commit 'nowhere' in {tmp_path}; check" in refused.err) == (2, True)


def test_a_config_compares_several_with_one_baseline(tmp_path: Path) -> None:
    (tmp_path / "ab.toml").write_text(
        f"""
out = "logs"
most_rounds = 3
[baseline]
command = {command(1, "one")!r}
[candidates.slow]
command = {command(1.5, "slow")!r}
[candidates.alike]
command = {command(1, "alike")!r}
""",
        "utf-8",
    )
    found = tb_perfcompare("ab", "--config", "ab.toml", "--fail-if-slower", "3%")
    assert found.status == 1, found.err
    rows = {line.split()[0]: line.split()[1] for line in found.out.splitlines() if line.startswith("  ")}
    assert rows["slow"].lower() == "slower"
    assert rows["alike"].lower() in ("same", "inconclusive")
    assert "at most 5 % of such experiments would show a difference" in " ".join(found.out.split())
    levels = [one["level"] for one in manifest(tmp_path / "logs")["looks"]]
    assert levels == [planned_levels(3, 0.025)[-1]] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[baseline]\ncommand = 'x'", "needs a table [baseline] and one or more [candidates.NAME]"),
        ("rounds = 3\n[baseline]\ncommand = 'x'\n[candidates.y]", "rounds: unknown"),
        ("out = 3\n[baseline]\ncommand = 'x'\n[candidates.y]", "out: 3 has the wrong type"),
        ("[baseline]\n[candidates.y]", "baseline: needs a command"),
        ("[baseline]\ncommand = 'x'\n[candidates.'../y']", "names have letters"),
        ("[baseline", "is not valid TOML"),
    ],
)  # fmt: skip
def test_a_config_that_cannot_be_used(text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "ab.toml").write_text(text, "utf-8")
    found = tb_perfcompare("ab", "--config", "ab.toml", "--out", "logs")
    assert (found.status, expected in found.err) == (2, True), found.err


def test_secrets_are_not_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("TORCH_HUB_TOKEN", "t0psecret")
    monkeypatch.setenv("WANDB_API_KEY", "t0psecret")
    one = f"API_KEY=t0psecret {command(1, 'one')} --password t0psecret"
    tb_perfcompare("ab", "--a", one, "--b", command(1, "other"), "--out", "logs", "--most-rounds", "1")
    text = (tmp_path / "logs" / "manifest.json").read_text("utf-8")
    assert "t0psecret" not in text
    assert manifest(tmp_path / "logs")["environment"]["variables"]["CUDA_VISIBLE_DEVICES"] == "0"
    assert shlex.quote(sys.executable) in text


def test_no_round_begins_that_would_end_too_late(tmp_path: Path) -> None:
    found = ab(tmp_path / "logs", "--most-minutes", "0.0001")
    assert found.status == 0
    assert len(manifest(tmp_path / "logs")["recordings"]) == 2
    assert "stopped after 1 round: another would exceed --most-minutes" in found.err
