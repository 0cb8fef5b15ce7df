"""Kernel names that two builds spell differently are joined, where there is no doubt which is which."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.alignment.same_names import alike_names, join_alike_names
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tests.analysis.summaries import summary
from tests.work_pictures import calls

ONE, TWO, THREE = (f"f::{{lambda(float)#{number}}}" for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        ([ONE], [TWO], {TWO: ONE}),
        ([TWO], [ONE], {TWO: ONE}),
        ([ONE], [ONE], {}),
        ([ONE, TWO], [ONE, THREE], {}),  # nobody can tell which of one side's is which of the other's
        ([ONE, TWO], [THREE], {}),
        ([ONE, "copy"], ["copy"], {}),
        (["void g<3ul>(int)"], ["void g<3>(int)"], {"void g<3ul>(int)": "void g<3>(int)"}),
    ],
)
def test_names_are_joined_only_one_to_one(a: list[str], b: list[str], joined: dict[str, str]) -> None:
    assert alike_names(a, b) == joined


def test_every_table_has_the_joined_name_and_a_note_says_so() -> None:
    a, b = (summary(calls(f"aten::mul[4] | {name} 5\naten::mm[4] | gemm 9")) for name in (ONE, TWO))
    got = compare_summaries(a, b, CompareOptions(resamples=200))
    for name in ("kernels", "kernels_by_operator", "kernels_by_launch", "kernels_by_type", "alignment"):
        table = got.tables[name]
        status = [column.name for column in table.columns].index("status")
        assert {row[status] for row in table.rows} == {"both"}, name
    kernels = {row[0]: row for row in got.tables["alignment"].rows}
    assert "same name" in kernels["aten::mul"]
    (note,) = [note for note in got.notes if note.code is NoteCode.ALIKE_NAMES]
    assert note.message.startswith("1 kernel name matched: ")
    assert all(row.status == "both" for row in got.ledger.rows if row.path[0] == "Kernel")


def test_names_that_agree_are_left_alone() -> None:
    a, b = summary(calls(f"aten::mul[4] | {ONE} 5")), summary(calls(f"aten::mul[4] | {ONE} 6"))
    assert join_alike_names(a, b) == (a, b, ())
