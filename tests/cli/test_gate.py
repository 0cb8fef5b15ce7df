"""The gate on the command line: exit status, messages, written files."""

from __future__ import annotations

from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.cli.invoke import Outcome, tb_perfcompare
from tests.comparison.compare import sequence


def diff(pair: tuple[Path, Path], *words: str) -> Outcome:
    return tb_perfcompare("diff", *pair, *words, "-o", "/dev/null")


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["--fail-if-slower", "3%"], 1, "gate: tripped: the candidate is more than 3 % slower"),
        (["--fail-if-slower", "60%"], 0, "gate: passed: the candidate is not more than 60 % slower"),
        (["--fail-if-slower", "400us"], 1, "gate: tripped: the candidate is more than 400 µs slower"),
        (["--fail-if-slower", "1ms"], 0, "gate: passed: "),
        (["--budget", "DataLoader=+5%"], 1, "gate: tripped: DataLoader takes more than 5 % longer: 100 µs → 600 µs"),
        (["--budget", "DataLoader=+600us"], 0, "gate: passed: DataLoader does not take more than 600 µs longer"),
        (["--budget", "Kernel=+5%"], 0, "gate: passed: Kernel"),
        (["--fail-on", "data_loader"], 1, "gate: tripped: data_loader: Data loader wait: +500 µs"),
        (["--fail-on", "slow_steps"], 0, "gate: passed: slow_steps was not found"),
        (["--fail-on", "late_rank"], 3, "gate: cannot tell about late_rank: no collectives in the compared steps"),
        (["--fail-on", "function_time"], 3, "gate: cannot tell about function_time: these recordings do not hold"),
        (["--fail-if-slower", "3%", "--steps", "3"], 3, "gate: cannot tell whether the candidate is more than 3 %"),
        (["--budget", "DataLoader=+5%", "--steps", "3"], 3, "from too few steps for an interval"),
        (["--fail-on", "data_loader", "--steps", "3"], 3, "repeatability unknown"),
    ],
)
def test_a_gate_sets_the_exit_status_and_prints_its_decision(
    pair: tuple[Path, Path], words: list[str], status: int, expected: str
) -> None:
    found = diff(pair, *words)
    assert (found.status, found.out) == (status, "")
    assert expected in found.err


def test_swapped_sides_pass_the_gate(pair: tuple[Path, Path]) -> None:
    words = ["--fail-if-slower", "3%", "--budget", "DataLoader=+0%", "--fail-on", "data_loader"]
    assert diff((pair[1], pair[0]), *words).status == 0


def test_several_gates_print_a_line_each_and_the_worst_decides(pair: tuple[Path, Path]) -> None:
    budgets = ["--budget", "Kernel=+5%", "--budget", "DataLoader=+5%"]
    found = diff(pair, "--fail-if-slower", "60%", *budgets, "--fail-on", "slow_steps")
    assert found.status == 1
    assert [line.split(":")[1] for line in found.err.splitlines()] == [" passed", " passed", " tripped", " passed"]


def test_a_slower_machine_trips_limits_of_the_step_and_of_its_parts_only_on_request(tmp_path: Path) -> None:
    for side, pace in (("a", 1.0), ("b", 2.0)):
        for capture, own in enumerate((1.0, 1.01, 0.99)):
            calls = [(f"aten::op{at:02}", round((400 + 60 * at) * pace * own), [[at, 8]]) for at in range(12)]
            name = f"worker0.{2 * capture + (side == 'b')}.pt.trace.json"
            sequence([[*calls, ("", round(500 * pace * own))] for _ in range(8)]).write(tmp_path / side / name)
    words = ["--fail-if-slower", "5%", "--budget", "CPU Exec=+5%"]
    for options, status, decided in (([], 3, " cannot tell"), (["--fail-on-machine"], 1, " tripped")):
        found = diff((tmp_path / "a", tmp_path / "b"), *words, *options)
        assert [line.split(":")[1].startswith(decided) for line in found.err.splitlines()] == [True, True], found.err
        assert found.status == status


@pytest.mark.parametrize(("policy", "status"), [("report", 3), ("fail", 1), ("pass", 0)])
def test_an_undecided_gate_counts_as_the_option_says(
    pair: tuple[Path, Path], tmp_path: Path, policy: str, status: int
) -> None:
    written = tmp_path / "gate.xml"
    words = ["--fail-if-slower", "3%", "--steps", "3", "--cannot-tell", policy, "--junit", str(written)]
    found = diff(pair, *words)
    assert found.status == status
    assert "cannot tell whether" in found.err
    assert ("counts as" in found.err) is (policy != "report")
    (suite,) = JUnitXml.fromfile(str(written))
    assert (suite.errors, suite.failures, suite.skipped) == tuple(int(policy == p) for p in ("report", "fail", "pass"))


def test_a_finding_not_shown_in_the_report_trips_the_gate(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tb_perfcompare.cli import diff as command
    from tb_perfcompare.comparison.result.options import CompareOptions

    monkeypatch.setattr(command, "CompareOptions", lambda **given: CompareOptions(top_findings=0, **given))
    assert "No cause found; " in tb_perfcompare("diff", *pair).out
    assert diff(pair, "--fail-on", "data_loader").status == 1


def test_the_job_summary_is_appended(pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = tmp_path / "job.md"
    job.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    assert diff(pair, "--fail-if-slower", "3%", "--github-summary").status == 1
    text = job.read_text("utf-8")
    assert text.startswith("before\n## Performance gate: failed\n")
    other = tmp_path / "other.md"
    assert diff(pair, "--github-summary", str(other)).status == 0  # without a gate
    assert other.read_text("utf-8").startswith("## Slower in these two captures: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fail-if-slower", "3"], "'3' is not a limit; give a percentage or a time"),
        (["--budget", "Kernels=3%"], "no category 'Kernels'; did you mean 'Kernel'?"),
        (["--fail-on", "laterank"], "there is no rule 'laterank'; did you mean 'late_rank'?"),
        (["--junit", "gate.xml"], "--junit needs a gate; add --fail-if-slower"),
        (["--cannot-tell", "pass"], "--cannot-tell needs a gate"),
        (["--github-summary"], "--github-summary has no file, and GITHUB_STEP_SUMMARY is not set"),
        (["--fail-on", "late_rank", "--junit", "nowhere/gate.xml"], "nowhere/gate.xml: its directory does not exist"),
    ],
)
def test_usage_errors_are_found_before_the_comparison(
    pair: tuple[Path, Path], words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    found = diff(pair, *words)
    assert (found.status, found.out) == (2, "")
    assert expected in found.err
    assert found.err.count("\n") == 1


def test_written_files_contain_only_the_paths_given(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pair[0].parent
    monkeypatch.chdir(folder)
    words = ["--fail-if-slower", "3%", "--junit", "gate.xml", "--github-summary", "job.md", "-o", "report.json"]
    assert tb_perfcompare("diff", "normal", "abnormal", *words).status == 1
    for name in ("gate.xml", "job.md", "report.json"):
        assert str(folder) not in Path(name).read_text("utf-8")


def test_the_gate_decides_the_same_against_a_saved_baseline(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair[0].parent)
    tb_perfcompare("baseline", "save", "main", "normal")
    words = ["--fail-if-slower", "3%", "--budget", "DataLoader=+5%", "--fail-on", "data_loader"]
    by_name = tb_perfcompare("diff", "main", "abnormal", *words, "-o", "/dev/null")
    assert (by_name.status, by_name.err) == (1, diff(pair, *words).err)
