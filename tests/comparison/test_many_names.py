"""Work grows in proportion to the number of names: function calls are counted, not timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from dataclasses import replace

import pytest

from tb_perfcompare.analysis.listings.attach_launches import match_names
from tb_perfcompare.comparison.alignment.truncated_names import matched_names
from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.ledger.truncate import cut_ledger
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.names.short_names import signature_of
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rows_of

FEW, MANY = 200, 800
GROWTH = 6
"""Four times the names are four times the work, and some for sorting; the square is sixteen times."""

OPTIONS = CompareOptions(resamples=200)
Names = Callable[[str, int], str]
"""(side, number) -> name."""


def one_operator(_: str, number: int) -> str:
    return "aten::op"


def operator_each(_: str, number: int) -> str:
    return f"aten::op{number}"


def other_kernels(side: str, number: int) -> str:
    return f"void at::native::elementwise_kernel<{number}, {side}Functor<float> >(int, float)"


def compiled_kernels(side: str, number: int) -> str:
    return f"triton_poi_fused_{number}x" if side == "a" or number % 2 else f"plain_{number}"


def renumbered_lambdas(side: str, number: int) -> str:
    return f"void k{number}<{{lambda(int)#{1 if side == 'a' else 2}}}>(int)"


def cut_kernels(side: str, number: int) -> str:
    whole = f"void at::native::elementwise_kernel<{number:04d}, at::native::AddFunctor<float> >(int)"
    return f"{whole[:45]}..." if side == "a" else whole


def run(side: str, kernel: Names, operator: Names, names: int) -> Summary:
    """Two steps in which each operator launches the kernel of its number."""
    return summary(drawn(side, kernel, operator, names))


def drawn(side: str, kernel: Names, operator: Names, names: int) -> TraceBuilder:
    trace, at = TraceBuilder(), 0.0
    for step in (1, 2):
        begin = at
        for number in range(names):
            called = trace.op(operator(side, number), at, at + 9)
            trace.kernel(kernel(side, number), at + 5, at + 7 + (side == "b"), launch=(at + 1, at + 2),
                         external_id=called)  # fmt: skip
            at += 10 + step
        trace.step(step, begin, at)
    return trace


def calls_by_file(work: Callable[[], object]) -> Counter[str]:
    """Function calls of some work, built-ins included, by calling file."""
    signature_of.cache_clear()
    profile = Profile()
    profile.runcall(work)
    calls: Counter[str] = Counter()
    for entry in profile.getstats():
        if isinstance(entry.code, str):  # built in: counted with its callers
            continue
        built_in = (called.callcount for called in entry.calls or () if isinstance(called.code, str))
        calls[entry.code.co_filename] += entry.callcount + sum(built_in)
    return calls


def counted(work: Callable[[], object], *, within: str = "") -> int:
    """The number of calls, of files with the name `within`."""
    return sum(number for file, number in calls_by_file(work).items() if file.endswith(within))


def grown(work: Callable[[int], Callable[[], object]], *, within: str = "") -> float:
    few, many = (counted(work(names), within=within) for names in (FEW, MANY))
    return many / few


@pytest.mark.parametrize(
    ("kernel", "operator"),
    [
        (other_kernels, one_operator),
        (compiled_kernels, one_operator),
        (cut_kernels, one_operator),
        (renumbered_lambdas, operator_each),
    ],
)
def test_comparing_takes_work_in_proportion_to_the_kernels(kernel: Names, operator: Names) -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, kernel, operator, names) for side in "ab"]
        return lambda: compare(sides[0], sides[1])

    counted(work(10))  # what is imported on the way
    assert grown(work) < GROWTH


def test_comparing_takes_work_in_proportion_to_the_operators() -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, lambda *_: "gemm", lambda side, number: f"{side}::op{number}", names) for side in "ab"]
        return lambda: compare(sides[0], sides[1])

    counted(work(10))
    assert grown(work) < GROWTH


def test_a_row_shortens_only_the_names_that_take_the_most_time() -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, lambda _, number: other_kernels("", number), one_operator, names) for side in "ab"]
        return lambda: compare(sides[0], sides[1])

    assert grown(work, within="short_names.py") < 1.2


def test_named_kernels_of_a_row_are_distinguishable() -> None:
    kernels = [other_kernels("", number) for number in range(50)]
    sides = [run(side, lambda _, number: kernels[number], one_operator, 50) for side in "ab"]
    (row,) = rows_of(compare(sides[0], sides[1]).tables["alignment"]).values()
    assert row["baseline_kernels"].split("; ") == [
        "elementwise_kernel ‹Functor› ‹0› ×1", "elementwise_kernel ‹Functor› ‹1› ×1",
        "elementwise_kernel ‹Functor› ‹10› ×1", "47 more",
    ]  # fmt: skip


def test_matching_cut_names_with_a_common_start_takes_work_in_proportion() -> None:
    def work(names: int) -> Callable[[], object]:
        cut = [f"void at::native::{'x' * length}..." for length in range(1, names + 1)]
        whole = [f"void at::native::{'x' * names}{number:05d}" for number in range(names)]
        return lambda: matched_names(cut, whole)

    assert grown(work) < GROWTH


def test_matching_cut_names_of_a_listing_takes_work_in_proportion() -> None:
    def work(names: int) -> Callable[[], object]:
        kernels = [f"void kernel_{number:05d}<float>(int)" for number in range(names)]
        return lambda: match_names(kernels, [f"kernel_{number:05d}<flo..." for number in range(names)])

    assert grown(work) < GROWTH


@pytest.mark.parametrize("most", [9, 12, 30, 70])
def test_a_ledger_of_columns_is_cut_like_one_of_rows(most: int) -> None:
    ledger = build_ledger(*(run(side, compiled_kernels, lambda _, number: f"op{number}", 40) for side in "ab"))
    rows = replace(ledger, rows=tuple(ledger.rows))
    named = [row.path for row in ledger.rows if len(row.path) == 2][-3:]
    assert cut_ledger(ledger, most, named) == cut_ledger(rows, most, named)
    assert [ledger.rows[at] for at in range(len(ledger.rows))] == list(rows.rows)
