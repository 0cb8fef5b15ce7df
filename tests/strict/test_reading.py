"""Reading per-cycle tables: accepted variants, and errors."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.strict.answer import weaknesses
from tb_perfcompare.comparison.strict.report import strict_report
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.recordings.counter_units import counter_unit, unit_notes
from tb_perfcompare.render.strict.report import strict_markdown
from tb_perfcompare.render.strict.tables import strict_csv
from tb_perfcompare.sources.perf_data.csv_tables import companion_counters, read_counters, read_perf_data
from tb_perfcompare.sources.storage import csv_columns
from tb_perfcompare.sources.storage.csv_columns import MISSING
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import ABNORMAL, HEADER, NORMAL, row, write


def error_text(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_perf_data(str(path))
    return str(caught.value)


def test_columns_of_the_example() -> None:
    table = read_perf_data(str(NORMAL))
    assert len(table) == 14
    assert table.pids() == (10, 11)
    assert table.anchors() == ("run_batch",)
    assert table.strings[table.function[0]] == "gemm<64, 64>", "a comma inside quotes"
    assert table.metric[3] == -1 and math.isnan(table.mu_pct[3]), "N/A and an empty cell"
    assert table.of_pid(10).cycle_lengths_us().tolist() == [1000.0, 1010.0, 990.0]
    assert table.instances is not None and table.instances[0] == 4
    assert table.interpolated is not None and table.interpolated.tolist()[:4] == [True, True, True, False]


@pytest.mark.parametrize("change", ["byte order mark", "CRLF", "other order", "one column more", "blank line"])
def test_other_spellings_of_a_table_read_the_same(tmp_path: Path, change: str) -> None:
    path = tmp_path / "a_perf_data.csv"
    header = list(HEADER)
    rows = [row(cycle=n, beta_pct=n / 8) for n in range(1, 5)]
    if change == "other order":
        header.reverse()
    if change == "one column more":
        header.append("note")
    write(path, rows, header)
    text = path.read_text("utf-8")
    if change == "byte order mark":
        text = "\ufeff" + text
    if change == "CRLF":
        text = text.replace("\n", "\r\n")
    if change == "blank line":
        text += "\n"
    path.write_bytes(text.encode("utf-8"))
    table = read_perf_data(str(path))
    assert table.cycle.tolist() == [1, 2, 3, 4]
    assert table.beta_pct.tolist() == [0.125, 0.25, 0.375, 0.5]


def test_long_names_and_all_characters(tmp_path: Path) -> None:
    names = ["x" * 5000, 'void f<"a", b>(int, char)', "核", "a\nb"]
    table = read_perf_data(str(write(tmp_path / "a_perf_data.csv", [row(function_name=name) for name in names])))
    assert [table.strings[code] for code in table.function] == names


def test_long_files_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_perf_data(str(ABNORMAL))
    monkeypatch.setattr(csv_columns, "BLOCK_ROWS", 7)
    parts = read_perf_data(str(ABNORMAL))
    assert list(parts.strings.texts) and len(parts) == len(whole) == 17
    for name in ("cycle", "pid", "beta_pct", "mu_pct", "cycle_us", "duration_us", "instances", "interpolated"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    for name in ("function", "metric", "device", "anchor"):
        ours, theirs = (
            [table.strings[code] if code >= 0 else None for code in getattr(table, name)] for table in (parts, whole)
        )
        assert ours == theirs


def test_lines_are_counted_across_blocks_and_line_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_columns, "BLOCK_ROWS", 2)
    rows = [row(function_name="two\nlines"), row(), row(), row(beta_pct="?")]
    assert "line 6, column beta_pct: '?' is not a number" in error_text(write(tmp_path / "a_perf_data.csv", rows))


def test_optional_columns_may_be_absent(tmp_path: Path) -> None:
    header = [name for name in HEADER if name not in ("anchor_name", "duration", "instances_count")]
    table = read_perf_data(str(write(tmp_path / "a_perf_data.csv", [row()], header)))
    assert table.anchor is None and table.duration_us is None and table.instances is None
    assert table.anchors() == ()


def test_numbers_equal_those_of_python(tmp_path: Path) -> None:
    """18 digits and a long exponent give the nearest double."""
    texts = ["7266.123456789012345", "0.1", "1762935807026558.7500", "2.2250738585072014e-308"]
    path = write(tmp_path / "a_perf_data.csv", [row(beta_pct=text) for text in texts])
    assert read_perf_data(str(path)).beta_pct.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("word", sorted(MISSING))
def test_words_for_missing_values(tmp_path: Path, word: str) -> None:
    table = read_perf_data(str(write(tmp_path / "a_perf_data.csv", [row(metric_name=word, mu_pct=word)])))
    assert table.metric[0] == -1 and math.isnan(table.mu_pct[0])


def test_a_cell_that_is_not_a_number_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "a_perf_data.csv", [row(), row(beta_pct="12,5%")])
    assert error_text(path) == (
        f"{path}: line 3, column beta_pct: '12,5%' is not a number; write the table again, or remove the damaged line"
    )


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"beta_pct": "inf"}, "'inf' is not finite"),
        ({"cycle": "1.5"}, "line 2, column cycle: '1.5' is not a whole number"),
        ({"pid": "main"}, "line 2, column pid: 'main' is not a number"),
    ],
)
def test_invalid_cells_are_errors(tmp_path: Path, cells: dict[str, str], words: str) -> None:
    assert words in error_text(write(tmp_path / "a_perf_data.csv", [row(**cells)]))


def test_counters_of_the_example() -> None:
    counters = companion_counters(str(ABNORMAL))
    assert counters is not None
    assert counters.values("gpu_frequency").tolist() == [210.0, 210.0, 1410.0]
    assert companion_counters(str(NORMAL)) is None
    notes = {note.metric: note for note in unit_notes(read_perf_data(str(ABNORMAL)), counters)}
    assert (notes["gpu_frequency"].unit.mu, notes["gpu_frequency"].unit.factor) == ("MHz", 100.0)
    assert (notes["gpu_frequency"].low, notes["gpu_frequency"].high) == (210.0, 1410.0)
    assert notes["gpu_pcie_transmit"].low is None


def test_counters_of_processes_share_the_name_without_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a_counters_data.csv"
    path.write_text(
        "counter_name,timestamp,value,hostname\nprocess_cpu_usage_17,1,2.0,\nprocess_cpu_usage_2.5e+06,2,3.0,\n"
        "process_cpu_usage_total,3,9.0,\n"
    )
    assert read_counters(str(path)).values("process_cpu_usage").tolist() == [2.0, 3.0]


def test_units_of_counters() -> None:
    assert counter_unit("cpu_frequency", 87.5).mu == "% of the maximum"
    assert counter_unit("cpu_frequency", 350000.0).mu == "MHz"
    assert counter_unit("gpu_mem_used", 85.7).mu == "% of the capacity"
    assert counter_unit("something_new", 1.0).mu == "raw"


@needs_shared
def test_the_clock_of_the_recorded_example() -> None:
    """mu 118,687.50 is 1,186.875 MHz; the counters file has samples between 210 and 1,410 MHz."""
    path = str(SHARED / "latencyprism/SGLang/gpu_instability/normal_perf_data/result_perf_data.csv")
    notes = {note.metric: note for note in unit_notes(read_perf_data(path), companion_counters(path))}
    assert notes["gpu_frequency"].unit.factor == 100.0
    assert (notes["gpu_frequency"].low, notes["gpu_frequency"].high) == (210.0, 1410.0)
    assert notes["cpu_frequency"].unit.mu == "% of the maximum"


@given(st.integers(0, 2000), st.binary(max_size=8), st.integers(0, 40))
def test_a_damaged_file_is_a_table_or_an_error_for_the_user(
    tmp_path_factory: pytest.TempPathFactory, place: int, put: bytes, cut: int
) -> None:
    whole = ABNORMAL.read_bytes()
    path = tmp_path_factory.getbasetemp() / "damaged_perf_data.csv"
    path.write_bytes(whole[:place] + put + whole[place + cut :])
    try:
        table = read_perf_data(str(path))
    except InputError as error:
        assert str(path) in str(error) and error.hint
        return
    pid = table.pids()[0]
    own = table.of_pid(pid)
    strict_markdown(strict_report(own, own, ("a", "b")), "damaged")
    strict_csv(strict_report(own, read_perf_data(str(NORMAL)).of_pid(10), ("a", "b")))


def test_huge_figures_give_a_report(tmp_path: Path) -> None:
    rows = [
        row(cycle=n, beta_pct=f"{sign}1e308", mu_pct=f"{sign}1e308", anchor_dur_us="1e308")
        for n, sign in ((1, ""), (2, "-"))
    ]
    table = read_perf_data(str(write(tmp_path / "a_perf_data.csv", rows)))
    report = strict_report(table, table, ("a", "b"))
    assert "Suspicion Score" in strict_markdown(report, "absurd") and strict_csv(report)
    assert weaknesses(table, table, report)
