"""When a value is made again, and who waits for it."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tb_perfcompare.workspace.sharing.background_refresh import REST, Refreshed
from tests.workspace.waiting import asked_by_another, becomes_true

KEPT_S = 5.0


class Making:
    """Numbers from 1 on, each made when it is let, in as many seconds of a clock of its own as `takes_s` says."""

    def __init__(self, takes_s: float = 0.0) -> None:
        self.takes_s = takes_s
        self.now_s = 100.0
        self.made = 0
        self.at_once = self.most_at_once = 0
        self.let = threading.Event()
        self.let.set()
        self.value = Refreshed(self._make, kept_s=KEPT_S, clock=lambda: self.now_s)

    def _make(self) -> int:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.let.wait()
        self.now_s += self.takes_s
        self.made += 1
        self.at_once -= 1
        return self.made

    def get(self, after_s: float, *, force: bool = False) -> int:
        self.now_s += after_s
        return self.value.get(force=force)

    def under_way(self) -> bool:
        return self.at_once == 1


@pytest.mark.parametrize("takes_s", [0.0, 10.0])
def test_it_is_kept_for_a_few_seconds(takes_s: float) -> None:
    making = Making(takes_s)
    assert [making.get(seconds) for seconds in (0, 1, 3.9)] == [1, 1, 1]


def test_what_is_made_in_no_time_is_made_again_when_it_is_old_or_whenever_it_is_asked_for() -> None:
    making = Making()
    assert [making.get(0), making.get(KEPT_S), making.get(1)] == [1, 2, 2]
    assert [making.get(0, force=True), making.get(0, force=True)] == [3, 4]


def test_what_takes_long_is_made_again_after_a_rest_only() -> None:
    making = Making(takes_s=10)
    assert making.get(0) == 1
    assert [making.get(REST * 2.4, force=True) for _ in range(4)] == [1, 1, 1, 1]  # 9.6 of 40 s, 19.2, 28.8, 38.4
    assert making.get(REST, force=True) == 2
    assert making.get(0, force=True) == 2


def test_what_takes_long_is_given_as_it_is_while_it_is_made_again() -> None:
    making = Making(takes_s=10)
    making.get(0)
    making.let.clear()
    assert making.get(10 * REST) == 1
    assert becomes_true(making.under_way)
    assert [making.get(seconds) for seconds in (0, 100, 1000)] == [1, 1, 1]
    making.let.set()
    assert becomes_true(lambda: making.get(0) == 2)


def test_what_suddenly_takes_long_is_given_as_it_is_after_a_moment() -> None:
    making = Making()
    making.get(0)
    making.let.clear()
    assert making.get(KEPT_S) == 1
    making.let.set()
    assert becomes_true(lambda: making.get(0) == 2)


def test_twenty_who_ask_for_a_new_one_share_one_making_and_keep_nobody_else_asked_by_another() -> None:
    making = Making(takes_s=10)
    making.get(0)
    making.let.clear()
    making.now_s += 10 * REST
    answers = [asked_by_another(lambda: making.value.get(force=True)) for _ in range(20)]
    assert becomes_true(making.under_way)
    assert making.get(0) == 1
    assert not any(answer.done() for answer in answers)
    making.let.set()
    assert {answer.result(10) for answer in answers} == {2}
    assert making.made == 2


def test_all_wait_for_the_first_one() -> None:
    making = Making()
    making.let.clear()
    answers = [asked_by_another(making.value.get) for _ in range(5)]
    assert becomes_true(making.under_way)
    making.let.set()
    assert {answer.result(10) for answer in answers} == {1}


def test_a_new_one_is_made_after_it_was_asked_for_not_before() -> None:
    """A run that appears behind the place where a short scan is would be missed."""
    making = Making()
    making.get(0)
    making.let.clear()
    first = asked_by_another(lambda: making.value.get(force=True))
    assert becomes_true(making.under_way)
    second = asked_by_another(lambda: making.get(0.01, force=True))
    assert not becomes_true(second.done, within_s=0.1)
    making.let.set()
    assert (first.result(10), second.result(10)) == (2, 3)


def test_an_equal_one_stays_the_same_object() -> None:
    numbers = itertools.count()
    value = Refreshed(lambda: [next(numbers) // 2], kept_s=KEPT_S, clock=lambda: 0.0)  # no making takes long
    before = value.get()
    assert value.get(force=True) is before
    assert value.get(force=True) == [1]


def test_an_error_goes_to_those_who_wait_and_the_next_one_may_succeed() -> None:
    makings = iter(list[Any]([KeyError("first"), 2]))

    def make() -> int:
        made = next(makings)
        if isinstance(made, BaseException):
            raise made
        return made

    value = Refreshed(make, kept_s=KEPT_S)
    with pytest.raises(KeyError, match="first"):
        value.get()
    assert value.get() == 2


def test_many_at_once_never_make_two_at_a_time() -> None:
    making = Making()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: making.value.get(force=number % 2 == 0), range(400)))
    assert making.most_at_once == 1
