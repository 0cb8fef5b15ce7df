"""Kernel names that two builds spell differently are joined, where there is no doubt which is which."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.alignment.same_names import alike_names, join_alike_names
from tb_perfcompare.model.note import NoteCode
from tests.analysis.summaries import summary
from tests.comparison.compare import compare, notes_of, rows_of
from tests.work_pictures import calls

ONE, TWO, THREE = (f"f::{{lambda(float)#{number}}}" for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        ([ONE], [TWO], {TWO: ONE}),
        ([TWO], [ONE], {TWO: ONE}),
        ([ONE], [ONE], {}),
        ([ONE, TWO], [ONE, THREE], {}),  # two candidates for one name
        ([ONE, TWO], [THREE], {}),
        ([ONE, "copy"], ["copy"], {}),
        (["void g<3ul>(int)"], ["void g<3>(int)"], {"void g<3ul>(int)": "void g<3>(int)"}),
    ],
)
def test_names_are_joined_only_one_to_one(a: list[str], b: list[str], joined: dict[str, str]) -> None:
    assert alike_names(a, b) == joined


def test_every_table_has_the_joined_name_and_a_note() -> None:
    a, b = (summary(calls(f"aten::mul[4] | {name} 5\naten::mm[4] | gemm 9")) for name in (ONE, TWO))
    got = compare(a, b)
    for name in ("kernels", "kernels_by_operator", "kernels_by_launch", "kernels_by_type", "alignment"):
        assert {row["status"] for row in rows_of(got.tables[name]).values()} == {"both"}, name
    assert rows_of(got.tables["alignment"])["aten::mul"]["kind"] == "same name"
    (note,) = notes_of(got, NoteCode.ALIKE_NAMES)
    assert note.startswith("1 kernel name matched: ")
    assert all(row.status == "both" for row in got.ledger.rows if row.path[0] == "Kernel")


def test_names_that_agree_are_left_alone() -> None:
    a, b = summary(calls(f"aten::mul[4] | {ONE} 5")), summary(calls(f"aten::mul[4] | {ONE} 6"))
    assert join_alike_names(a, b) == (a, b, ())
