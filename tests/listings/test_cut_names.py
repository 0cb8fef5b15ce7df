"""Kernel names cut by one tool and written in full by another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.alignment.truncated_names import join_truncated_names, matched_names
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import compare, notes_of
from tests.listings.drawn import column, listings, side

CUT = "ampere_fp16_s16816gemm_fp16_12..."
FULL = "ampere_fp16_s16816gemm_fp16_128x128_tn"
OTHER = "ampere_fp16_s16816gemm_fp16_128x64_tn"


def run(*launches: tuple[str, float]) -> Summary:
    return side([(name, round(us * 1000), 0.5, 0.5) for name, us in launches])


def joins(a: list[str], b: list[str]) -> dict[str, str]:
    return dict(matched_names(a, b)[0])


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        ([CUT], [FULL], {CUT: FULL}),
        ([FULL], [CUT], {CUT: FULL}),
        ([CUT, "copy"], [FULL, "copy"], {CUT: FULL}),
        ([CUT], [CUT, FULL], {}),  # both cut it: joined as it is
        ([CUT, FULL], [FULL], {}),  # the full name has its partner
        ([CUT], ["ampere_sgemm"], {}),
        ([CUT], [FULL, OTHER], {FULL: CUT, OTHER: CUT}),
        ([CUT], ["ampere_fp16_s16816gemm_fp16_128x1..."], {CUT: "ampere_fp16_s16816gemm_fp16_128x1..."}),
        (["void f<..."], ["void f<float, 128, 128, 4>(int)"], {}),  # too little to go by
        ([FULL], [OTHER], {}),
    ],
)
def test_a_cut_name_joins_the_only_name_that_starts_like_it(a: list[str], b: list[str], joined: dict[str, str]) -> None:
    assert joins(a, b) == joined


def test_a_joined_kernel_is_one_row_on_both_sides() -> None:
    got = compare(run((CUT, 10), ("copy", 1)), run((FULL, 30), ("copy", 1)))
    kernels = got.tables["kernels"]
    assert (column(kernels, "name")[0], column(kernels, "status")[0]) == (FULL, "both")
    assert (column(kernels, "delta_us")[0], column(kernels, "raw_name")[0]) == (20.0, CUT)
    assert column(got.tables["launches"], "status") == ["both", "both"]
    assert [row.delta for row in got.ledger.rows if row.path == ("Kernel", FULL)] == [20_000]
    notes = notes_of(got, NoteCode.CUT_NAMES)
    assert notes == ["1 kernel name cut on one side matched to the only name on the other that starts alike"]


def test_indistinguishable_names_share_a_row_with_a_note() -> None:
    got = compare(run((CUT, 10), (CUT, 20)), run((FULL, 10), (OTHER, 5), (FULL, 20)))
    kernels = got.tables["kernels"]
    assert column(kernels, "name") == [CUT]
    figures = [column(kernels, name)[0] for name in ("baseline_us", "candidate_us", "candidate_calls", "status")]
    assert figures == [30.0, 35.0, 3.0, "both"]
    assert column(got.tables["launches"], "status") == ["both", "both", "added"]
    notes = notes_of(got, NoteCode.CUT_NAMES)
    assert notes == [f"names that begin like a truncated one cannot be distinguished and share a row: {CUT} (2 names)"]


def test_listings_that_cut_alike_are_joined_by_the_cut_name() -> None:
    a, b = run((CUT, 1)), run((CUT, 2))
    assert join_truncated_names(a, b) == (a, b, ())
    assert column(compare(a, b).tables["kernels"], "status") == ["both"]


def test_facts_of_a_shared_row_are_weighted_by_time() -> None:
    full = side([(FULL, 30_000, 0.8, 0.2), (OTHER, 10_000, 0.0, 0.6)])
    _, joined, _ = join_truncated_names(run((CUT, 1)), full)
    kernels = joined.groups["kernels"]
    assert kernels.keys == ((CUT,),)
    assert kernels.facts["tensor_active"].tolist() == pytest.approx([0.6])
    assert kernels.facts["dram_active"].tolist() == pytest.approx([0.3])
    assert (kernels.min_ns.tolist(), kernels.max_ns.tolist()) == ([10_000], [30_000])


@given(listings(), listings())
def test_joining_names_keeps_times_and_calls(a: Summary, b: Summary) -> None:
    for before, after in zip((a, b), join_truncated_names(a, b)[:2], strict=True):
        assert after.owned.time_ns.sum() == before.owned.time_ns.sum()
        assert after.groups["kernels"].calls.sum() == before.groups["kernels"].calls.sum()
        assert after.groups["kernels"].measures_ns["total"].sum() == before.groups["kernels"].measures_ns["total"].sum()


NAMES = st.lists(st.sampled_from([CUT, FULL, OTHER, CUT[:20] + "...", FULL[:35] + "...", "copy"]), unique=True)


@given(NAMES, NAMES)
def test_swapping_the_sides_joins_the_same_names(a: list[str], b: list[str]) -> None:
    assert joins(a, b) == joins(b, a)
    left, right = joins(a, b), {*a} & {*b}
    assert not {*left} & right  # what both have stays
