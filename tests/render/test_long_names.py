"""Shortened names stay different; CSV and JSON have whole names."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.render.widths import display_width, elide_names
from tests.build import TraceBuilder
from tests.cli.invoke import tb_perfcompare

TILES = [f"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tile{size}_execute_segment_k_off_kernel" for size in "abc"]
TENSILE = [
    f"Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT{tile}_MI16x16x1_SN_LDSB1_AFC1_AFEM1_GRVWA8_WS64_WG32_8_1"
    for tile in ("128x144x64", "128x160x64", "128x224x64", "128x288x64", "16x16x128")
]


@pytest.mark.parametrize("width", [12, 20, 30, 44])
@pytest.mark.parametrize("names", [TILES, TENSILE, [f"{'x' * 60}{n}{'y' * 60}" for n in range(30)]])
def test_elided_names_stay_different(names: list[str], width: int) -> None:
    cut = elide_names(names, width)
    assert len({*cut}) == len(names)
    assert max(map(display_width, cut)) <= width


def test_differing_letters_are_kept() -> None:
    assert elide_names(TILES[:2], 30) == ["sm90_xmma_gemm_…a_execute_segm", "sm90_xmma_gemm_…b_execute_segm"]


def test_tiles_and_layouts_at_the_end_are_kept() -> None:
    tiles = ("64x64_32x6", "128x128_16x4", "256x128_32x3")
    names = [f"cutlass_80_tensorop_s1688gemm_{tile}_{layout}_align4" for tile in tiles for layout in ("nn", "nt")]
    cut = elide_names(names, 30)
    assert [tile in text and text.endswith(f"{layout}_align4") for text, tile, layout in zip(
        cut, [tile for tile in tiles for _ in range(2)], ["nn", "nt"] * 3, strict=True
    )] == [True] * 6  # fmt: skip


def test_names_with_two_differing_parts_stay_different() -> None:
    names = [f"{engine}/{fault * 6}/{side}_perf_data" for engine in ("sglang", "vllm")
             for fault in ("gpu_instability", "cpu_frequency") for side in ("normal", "abnormal")]  # fmt: skip
    for width in (20, 24, 30):
        assert len({*elide_names(names, width)}) == len(names)


def test_old_triton_kernels_that_differ_only_in_signature_stay_different() -> None:
    names = [f"triton__0d1d2d{'3d' * more}{4 if more else 3}de" for more in range(2)]
    assert len({kernel_key(name) for name in names}) == 2
    assert kernel_key("triton_poi_fused_add_0_0d1d2d3de") == "triton_poi_fused_add"


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Five Tensile kernels that differ in their tile alone, each of its own operator; other kernels before."""
    for folder, names in (("before", [f"gemm_{n}" for n in range(5)]), ("after", TENSILE)):
        trace = TraceBuilder()
        for step in range(2):
            trace.step(step, 1000 * step, 1000 * step + 990)
            for at, name in enumerate(names):
                start = 1000 * step + 100 * at
                trace.op(f"aten::mm_{at}", start + 1, start + 60)
                trace.kernel(name, start + 20, start + 80 + at, launch=(start + 5, start + 10))
        trace.write(tmp_path / folder / "w.1.pt.trace.json")
    return tmp_path / "before", tmp_path / "after"


def test_five_kernels_have_five_different_lines(runs: tuple[Path, Path]) -> None:
    lines = tb_perfcompare("view", runs[1], "--view", "kernels").out.splitlines()
    rows = [line.split("  ")[1] for line in lines if "Cijk" in line]
    assert len({*rows}) == len(rows) == 5
    assert all(tile in "".join(rows) for tile in ("MT128x144x64", "MT128x160x64", "MT16x16x128"))


@pytest.mark.parametrize("table", ["kernels", "alignment"])
def test_csv_and_json_hold_whole_names(runs: tuple[Path, Path], table: str) -> None:
    drawn = tb_perfcompare("diff", *runs, "--table", table, "--format", "csv").out
    cells = {cell for row in csv.reader(io.StringIO(drawn)) for cell in row}
    assert {*TENSILE} <= cells
    answer = json.loads(tb_perfcompare("diff", *runs, "--table", table, "--format", "json").out)
    assert {*TENSILE} <= {cell for row in answer["tables"][table]["rows"] for cell in row}
