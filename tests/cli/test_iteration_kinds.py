"""Prefill and decode compared by kind, and the effect of a changed mix on the verdict."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tb_perfcompare import api
from tests.analysis.iterations.loops import server
from tests.cli.invoke import csv_rows, json_of, tb_perfcompare

PREFILL, DECODE = "step[EXTEND bs=1]", "step[DECODE bs=8]"


def run(folder: Path, prefill_every: int, *, decode_us: int = 300, prefill_us: int = 1500, seed: int = 0) -> Path:
    """48 iterations in random order, every `prefill_every`-th a prefill."""
    texts = [PREFILL if number % prefill_every == 0 else DECODE for number in range(48)]
    random.Random(seed).shuffle(texts)
    server(texts, us={DECODE: decode_us, PREFILL: prefill_us}).write(folder / "worker0.1700000000001.pt.trace.json")
    return folder


def kinds(a: Path, b: Path, *options: str) -> dict[str, dict[str, str]]:
    return {row["kind"]: row for row in csv_rows("diff", a, b, "--table", "iteration_kinds", *options)}


def test_effects_of_kinds_sum_to_the_delta(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360)
    rows = kinds(a, b)
    assert set(rows) == {PREFILL, DECODE}
    assert float(rows[DECODE]["mean_delta_us"]) == 60 and float(rows[PREFILL]["mean_delta_us"]) == 0
    effects = [float(row[name]) for row in rows.values() for name in ("time_effect_us", "mix_effect_us")]
    delta = json_of("diff", a, b)["headline"]["delta"]
    assert abs(sum(effects) - delta) < 0.001
    assert abs(sum(float(row["delta_us"]) for row in rows.values()) - delta) < 0.001


def test_a_changed_mix_alone_has_the_verdict_same(tmp_path: Path) -> None:
    answer = json_of("diff", run(tmp_path / "a", 2), run(tmp_path / "b", 8))
    assert answer["headline"]["verdict"] == "same"
    assert "by mix alone" in answer["headline"]["reason"]


def test_slower_decodes_are_found_when_their_share_grows(tmp_path: Path) -> None:
    sides = run(tmp_path / "a", 2), run(tmp_path / "b", 8, decode_us=420)
    answer, swapped = json_of("diff", *sides), json_of("diff", *sides[::-1])
    assert answer["headline"]["verdict"] == "slower" and answer["headline"]["delta"] < 0
    assert "typical step of its kind" in answer["headline"]["reason"]
    assert swapped["headline"]["verdict"] == "faster"
    shift, opposite = answer["headline"]["shift"], swapped["headline"]["shift"]
    assert shift["low_us"] == -opposite["high_us"] > 0 > opposite["low_us"]


def test_slower_prefills_are_found_among_many_decodes(tmp_path: Path) -> None:
    answer = json_of("diff", run(tmp_path / "a", 8), run(tmp_path / "b", 8, prefill_us=2100))
    assert answer["headline"]["verdict"] == "slower"


def test_a_single_kind_can_be_compared(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360)
    assert kinds(a, b, "--kind", "step[DECODE*") == {}
    answer = json_of("diff", a, b, "--kind", "step[DECODE*")
    assert answer["headline"]["delta"] == 60
    found = tb_perfcompare("diff", a, b, "--kind", "step[DECOD bs=8]")
    assert found.status != 0 and "did you mean 'step[DECODE bs=8]'" in found.err


def test_every_command_accepts_a_kind(tmp_path: Path) -> None:
    a, b, kept = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360), str(tmp_path / "kept")
    strict = tb_perfcompare("strict", a, b, "--kind", PREFILL, "--format", "csv").out
    assert "aten::linear" in strict and strict != tb_perfcompare("strict", a, b, "--format", "csv").out
    saved = tb_perfcompare("baseline", "save", "decodes", a, "--kind", DECODE, "--baselines", kept)
    assert "32 of 48 steps" in saved.out
    found = tb_perfcompare("diff", "decodes", b, "--kind", DECODE, "--baselines", kept, "--format", "json").out
    assert json.loads(found)["headline"]["delta"] == 60
    assert found == tb_perfcompare("diff", "decodes", b, "--baselines", kept, "--format", "json").out
    assert found != tb_perfcompare("diff", a, b, "--format", "json").out
    saved_strict = tb_perfcompare("strict", "decodes", b, "--baselines", kept, "--format", "csv").out
    assert saved_strict == tb_perfcompare("strict", a, b, "--kind", DECODE, "--format", "csv").out
    recorded = tb_perfcompare("record", a, "--into", tmp_path / "series", "--series", "s", "--kind", DECODE)
    assert "32 of 48 steps" in recorded.out


def test_the_python_api_accepts_a_kind(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", 3), run(tmp_path / "b", 3, decode_us=360)
    assert api.compare(a, b, kind=DECODE).headline.delta == 60
    assert ("Steps", 32, "count") in api.view(a, kind=DECODE).table.rows
