"""Work for names grows with their number, not with its square: counted, so that no clock decides."""

from __future__ import annotations

import io
import pickle
from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from dataclasses import replace

import pytest

from tb_perfcompare.analysis.listings.attach_launches import match_names
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.alignment import plain_places
from tb_perfcompare.comparison.alignment.truncated_names import matched_names
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.ledger.truncate import cut_ledger
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model import texts
from tb_perfcompare.model.names.short_names import signature_of
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

FEW, MANY = 200, 800
GROWTH = 6
"""Four times the names are four times the work, and some for sorting; the square is sixteen times."""

OPTIONS = CompareOptions(resamples=200)
Names = Callable[[str, int], str]
"""(side, number) -> name."""


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
    """Two steps, in which each kernel is launched once, by the operator of its number."""
    return summary(drawn(side, kernel, operator, names))


def long_run(side: str, kernel: Names, operator: Names, names: int) -> Summary:
    """The same, read by the product's reader: of so many names the obvious one takes long."""
    content = io.BytesIO(drawn(side, kernel, operator, names).encode())
    return summarize(read_trace(content, name=f"{side}.pt.trace.json"), Origin(side, side, "worker0", "1"))


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
    """Calls, of functions and of what is built in, that some work makes, by the file that makes them."""
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
    """The calls in all; `within`: in files with this name."""
    return sum(number for file, number in calls_by_file(work).items() if file.endswith(within))


def grown(work: Callable[[int], Callable[[], object]], *, within: str = "") -> float:
    few, many = (counted(work(names), within=within) for names in (FEW, MANY))
    return many / few


@pytest.mark.parametrize("operator", [lambda _, number: "aten::op", lambda _, number: f"aten::op{number}"],
                         ids=["one operator", "an operator each"])  # fmt: skip
@pytest.mark.parametrize("kernel", [other_kernels, compiled_kernels, renumbered_lambdas, cut_kernels])
def test_comparing_takes_work_in_proportion_to_the_kernels(kernel: Names, operator: Names) -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, kernel, operator, names) for side in "ab"]
        return lambda: compare_summaries(sides[0], sides[1], OPTIONS)

    counted(work(10))  # what is imported on the way
    assert grown(work) < GROWTH


def test_comparing_takes_work_in_proportion_to_the_operators() -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, lambda *_: "gemm", lambda side, number: f"{side}::op{number}", names) for side in "ab"]
        return lambda: compare_summaries(sides[0], sides[1], OPTIONS)

    counted(work(10))
    assert grown(work) < GROWTH


def test_of_a_row_only_those_names_are_shortened_that_take_the_most_time() -> None:
    def work(names: int) -> Callable[[], object]:
        sides = [run(side, lambda _, number: other_kernels("", number), lambda *_: "aten::op", names) for side in "ab"]
        return lambda: compare_summaries(sides[0], sides[1], OPTIONS)

    assert grown(work, within="short_names.py") < 1.2


def test_a_kernel_that_is_named_is_told_apart_from_others_of_its_row() -> None:
    kernels = [other_kernels("", number) for number in range(50)]
    sides = [run(side, lambda _, number: kernels[number], lambda *_: "aten::op", 50) for side in "ab"]
    table = compare_summaries(sides[0], sides[1], OPTIONS).tables["alignment"]
    named = str(table.rows[0][[column.name for column in table.columns].index("baseline_kernels")])
    assert named.split("; ") == [
        "elementwise_kernel ‹Functor› ‹0› ×1", "elementwise_kernel ‹Functor› ‹1› ×1",
        "elementwise_kernel ‹Functor› ‹10› ×1", "47 more",
    ]  # fmt: skip


def test_cut_names_that_begin_alike_are_joined_by_their_shortest() -> None:
    def work(names: int) -> Callable[[], object]:
        cut = [f"void at::native::{'x' * length}..." for length in range(1, names + 1)]
        whole = [f"void at::native::{'x' * names}{number:05d}" for number in range(names)]
        return lambda: matched_names(cut, whole)

    assert grown(work) < GROWTH


def test_cut_names_of_a_listing_are_looked_up_not_tried() -> None:
    def work(names: int) -> Callable[[], object]:
        kernels = [f"void kernel_{number:05d}<float>(int)" for number in range(names)]
        return lambda: match_names(kernels, [f"kernel_{number:05d}<flo..." for number in range(names)])

    assert grown(work) < GROWTH


PLAIN_NAMES = 3_000


@pytest.mark.parametrize("operator", [lambda *_: "aten::op", lambda _, number: f"aten::op{number}"],
                         ids=["one operator", "an operator each"])  # fmt: skip
def test_names_alike_on_both_sides_are_no_objects_until_they_are_shown(
    operator: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_places, "MANY", PLAIN_NAMES // 2)
    monkeypatch.setattr(texts, "_MANY", PLAIN_NAMES // 2)  # from which on a column is one of numbers
    sides = [long_run(side, lambda _, number: f"kernel_{number}", operator, PLAIN_NAMES) for side in "ab"]

    def work() -> object:
        return compare_summaries(sides[0], sides[1], OPTIONS)

    calls = calls_by_file(work)
    for within in ("alignment/kernel_matches.py", "alignment/operator_matches.py", "names/short_names.py"):
        assert sum(number for file, number in calls.items() if file.endswith(within)) < PLAIN_NAMES / 10, within


@pytest.mark.parametrize("kernel", [other_kernels, compiled_kernels, lambda _, number: f"kernel_{number // 2}"])
@pytest.mark.parametrize("operator", [lambda _, at: f"aten::op{at // 3}", lambda side, at: f"{side}{at}"])
def test_what_is_matched_all_at_once_is_what_the_rules_match(
    kernel: Names, operator: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = [run(side, kernel, operator, 40) for side in "ab"]
    one_by_one = compare_summaries(sides[0], sides[1], OPTIONS)
    monkeypatch.setattr(plain_places, "MANY", 0)
    at_once = compare_summaries(sides[0], sides[1], OPTIONS)
    assert pickle.loads(pickle.dumps(at_once)) == at_once == one_by_one


@pytest.mark.parametrize("most", [9, 12, 30, 70])
def test_a_ledger_of_columns_is_cut_as_one_of_rows(most: int) -> None:
    ledger = build_ledger(*(run(side, compiled_kernels, lambda _, number: f"op{number}", 40) for side in "ab"))
    rows = replace(ledger, rows=tuple(ledger.rows))
    named = [row.path for row in ledger.rows if len(row.path) == 2][-3:]
    assert cut_ledger(ledger, most, named) == cut_ledger(rows, most, named)
    assert [ledger.rows[at] for at in range(len(ledger.rows))] == list(rows.rows)
