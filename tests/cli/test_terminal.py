"""Lines fit a terminal and verdicts have a color; a pipe gets wide plain text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import COMMANDS, main
from tb_perfcompare.cli.output import columns as terminal_columns
from tb_perfcompare.render.widths import display_width
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import drawn_trace, write_garbage, write_pair, write_run


@pytest.fixture(autouse=True)
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


def widest(shown: str) -> int:
    return max(map(display_width, shown.splitlines()))


@pytest.mark.parametrize("view", ["overview", "operators", "kernels_by_launch", "recommendations"])
def test_a_table_fits_the_terminal(pair: tuple[Path, Path], view: str) -> None:
    assert widest(tb_perfcompare("view", pair[0], "--view", view, screen=True).out) <= 80


@pytest.mark.parametrize(("table", "blank"), [("operators", "Status"), ("steps", "Reason")])
def test_columns_that_do_not_fit_follow_below_except_empty_ones(
    pair: tuple[Path, Path], table: str, blank: str
) -> None:
    narrow = tb_perfcompare("diff", *pair, "--table", table, screen=True).out
    wide = tb_perfcompare("diff", *pair, "--table", table).out
    assert widest(narrow) <= 80
    heads = wide.splitlines()[1].split("  ")
    assert [head.strip() for head in heads if head.strip() not in narrow] == [blank]


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_report_fits_the_terminal(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert widest(tb_perfcompare("diff", *pair, screen=True).out) <= columns


def test_titles_with_long_paths_fit_the_terminal(tmp_path: Path) -> None:
    long = tmp_path / ("nightly_runs_of_the_model_" * 5)
    baseline, candidate = write_pair(long)
    assert widest(tb_perfcompare("verdicts", baseline, candidate, screen=True).out) <= 80
    assert widest(tb_perfcompare("runs", long, screen=True).out) <= 80


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_kernel_name_has_at_least_30_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    trace = drawn_trace()
    name = "cutlass_80_tensorop_s1688gemm_128x128_16x4_nt_align1"
    trace.kernel(name, 5_000, 5_100, launch=(4_900, 4_910))
    trace.write(tmp_path / "w.1.pt.trace.json")
    shown = tb_perfcompare("view", tmp_path, "--view", "kernels", screen=True).out
    widths = [len(line.split()[0]) for line in shown.splitlines() if line.startswith("  cutlass_80")]
    assert widths and min(widths) >= 30


def test_tables_in_a_pipe_are_wide(pair: tuple[Path, Path]) -> None:
    assert widest(tb_perfcompare("diff", *pair, "--table", "operators").out) > 80


def test_the_verdict_has_a_color_on_a_terminal_unless_disabled(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in tb_perfcompare("diff", *pair, screen=True).out
    monkeypatch.delenv("NO_COLOR")
    shown = tb_perfcompare("diff", *pair, screen=True).out
    assert shown.startswith("\x1b[1m\x1b[31mSlower in these two captures: ")
    assert "\x1b" not in tb_perfcompare("diff", *pair).out
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in tb_perfcompare("diff", *pair, screen=True).out


def test_a_file_is_as_wide_as_a_pipe(pair: tuple[Path, Path], tmp_path: Path) -> None:
    tb_perfcompare("diff", *pair, "-o", tmp_path / "report.txt", screen=True)
    assert (tmp_path / "report.txt").read_text("utf-8") == tb_perfcompare("diff", *pair).out


def test_recommendations_are_not_shortened(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", extra_us=900)
    shown = tb_perfcompare("view", run, "--view", "recommendations").out
    assert "…" not in shown
    assert "\n  - " in shown
    both = tb_perfcompare("diff", run, run, "--table", "recommendations").out
    assert "…" not in both
    assert "\n  - both: " in both


def test_texts_contain_no_codes_of_notes(pair: tuple[Path, Path]) -> None:
    shown = " ".join(tb_perfcompare("diff", *pair).out.split())
    assert "table_absent" not in shown
    assert "- not recorded: nn.Module calls (with_stack=True), memory events" in shown


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("view", "RUN", "--view", "kernals"), "there is no view 'kernals'; did you mean 'kernels'?"),
        (("diff", "RUN", "RUN", "--table", "operator"), "no table 'operator'; did you mean 'operators'"),
        (("view", "RUN", "--compat", "--view", "kernl"), "no view 'kernl'; did you mean 'kernel'?"),
        (("diff", "RUN", "RUN", "--fail-on", "data_loaders"), "no rule 'data_loaders'; did you mean 'data_loader'?"),
        (("diff", "RUN", "RUN", "--budget", "Kernl=+5%"), "there is no category 'Kernl'; did you mean 'Kernel'?"),
        (("vew", "RUN"), "invalid choice: 'vew'; did you mean 'view'? See tb-perfcompare --help"),
    ],
)
def test_a_misspelled_name_has_a_suggestion(pair: tuple[Path, Path], words: tuple[str, ...], expected: str) -> None:
    assert expected in tb_perfcompare(*(pair[0] if word == "RUN" else word for word in words)).err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_the_terminal(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    assert widest(capsys.readouterr().out) <= 80


@pytest.mark.parametrize("given", [None, "33", "0", "-4", "wide"])
def test_the_width_is_that_of_the_standard_library(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if given:
        monkeypatch.setenv("COLUMNS", given)
    assert terminal_columns() == shutil.get_terminal_size().columns


def test_a_long_error_fits_the_terminal_and_is_one_line_in_a_pipe(pair: tuple[Path, Path]) -> None:
    words = ("diff", *pair, "--fail-on", "no rule is spelled like this one")
    assert widest(tb_perfcompare(*words, terminal=True).err.rpartition("\x1b[K")[2]) <= 80
    assert len(tb_perfcompare(*words).err.splitlines()) == 1


def test_a_file_that_is_not_json_is_one_short_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("hello")
    text = tb_perfcompare("view", path).err
    assert text.removeprefix(f"tb-perfcompare view: {path}: ") == (
        "not a torch.profiler trace: not JSON; give a file as the profiler wrote it\n"
    )
    assert len(tb_perfcompare("view", write_garbage(tmp_path)).err) < 200
    drawn_trace().write(tmp_path / "fine.json")
    assert tb_perfcompare("view", tmp_path / "fine.json").status == 0
