"""Prefill and decode: compared kind by kind, and what a changed mix does to the verdict."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

from tests.analysis.iterations.loops import server
from tests.cli.invoke import tb_perfcompare

PREFILL, DECODE = "step[EXTEND bs=1]", "step[DECODE bs=8]"


def run(folder: Path, prefill_every: int, *, decode_us: int = 300, prefill_us: int = 1500, seed: int = 0) -> Path:
    """48 iterations; each takes up to 1 % more."""
    texts = [PREFILL if number % prefill_every == 0 else DECODE for number in range(48)]
    random.Random(seed).shuffle(texts)
    server(texts, us={DECODE: decode_us, PREFILL: prefill_us}).write(folder / "worker0.1700000000001.pt.trace.json")
    return folder


def compared(a: Path, b: Path) -> dict[str, object]:
    answer: dict[str, object] = json.loads(tb_perfcompare("diff", a, b, "--format", "json").out)
    return answer


def kinds(a: Path, b: Path, *options: str) -> dict[str, dict[str, str]]:
    text = tb_perfcompare("diff", a, b, "--table", "iteration_kinds", "--format", "csv", *options).out
    return {row["kind"]: row for row in csv.DictReader(io.StringIO(text))}


def test_each_kind_has_a_row_and_the_effects_add_up(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360)
    rows = kinds(a, b)
    assert set(rows) == {PREFILL, DECODE}
    assert float(rows[DECODE]["mean_delta_us"]) == 60 and float(rows[PREFILL]["mean_delta_us"]) == 0
    effects = [float(row[name]) for row in rows.values() for name in ("time_effect_us", "mix_effect_us")]
    delta = compared(a, b)["headline"]["delta"]  # type: ignore[index]
    assert abs(sum(effects) - delta) < 0.001
    assert abs(sum(float(row["delta_us"]) for row in rows.values()) - delta) < 0.001


def test_a_changed_mix_alone_is_neither_slower_nor_faster(tmp_path: Path) -> None:
    answer = compared(run(tmp_path / "a", 2), run(tmp_path / "b", 8))
    assert answer["headline"]["verdict"] not in ("slower", "faster", "probably_faster")  # type: ignore[index]
    assert "by mix alone" in answer["headline"]["reason"]  # type: ignore[index]


def test_slower_decodes_are_not_called_faster_by_their_mix(tmp_path: Path) -> None:
    answer = compared(run(tmp_path / "a", 2), run(tmp_path / "b", 8, decode_us=330))
    assert answer["headline"]["verdict"] not in ("faster", "probably_faster")  # type: ignore[index]


def test_one_kind_is_compared_by_itself(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360)
    assert kinds(a, b, "--kind", "step[DECODE*") == {}
    answer = json.loads(tb_perfcompare("diff", a, b, "--kind", "step[DECODE*", "--format", "json").out)
    assert answer["headline"]["delta"] == 60
    found = tb_perfcompare("diff", a, b, "--kind", "step[DECOD bs=8]")
    assert found.status != 0 and "did you mean 'step[DECODE bs=8]'" in found.err
