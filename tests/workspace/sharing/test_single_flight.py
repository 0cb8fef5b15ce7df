"""One computation for everybody who asks the same, ended when nobody waits."""

from __future__ import annotations

import threading
from concurrent.futures import wait

import pytest

from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, wait_for_all
from tests.workspace.waiting import SOON_S, becomes_true


class Gate:
    """A computation that waits to be let go and counts how often it was started."""

    def __init__(self) -> None:
        self.started = 0
        self.ended_by: list[BaseException] = []
        self.go = threading.Event()

    def __call__(self, flight: Flight[str]) -> str:
        self.started += 1
        try:
            while not self.go.wait(0.01):
                flight.report(Progress("reading", "file", self.started))
        except Cancelled as error:
            self.ended_by.append(error)
            raise
        return "answer"


def work() -> SingleFlight[str]:
    return SingleFlight(1000)


def test_two_who_ask_the_same_share_one_computation() -> None:
    shared, gate = work(), Gate()
    with shared.joined("q", gate) as one, shared.joined("q", gate) as other:
        assert one is other
        gate.go.set()
        assert other.result(SOON_S) == "answer"
    assert gate.started == 1


def test_a_finished_answer_is_remembered() -> None:
    shared, gate = work(), Gate()
    gate.go.set()
    for _ in range(2):
        with shared.joined("q", gate) as flight:
            assert flight.result(SOON_S) == "answer"
    assert gate.started == 1


def test_work_goes_on_while_one_waits_and_ends_when_the_last_leaves() -> None:
    shared, gate = work(), Gate()
    first, second = shared.join("q", gate), shared.join("q", gate)
    shared.leave(first)
    assert wait([second], 0.1).not_done
    assert gate.ended_by == []
    shared.leave(second)
    with pytest.raises(Cancelled):
        second.result(SOON_S)
    assert len(gate.ended_by) == 1


def test_a_question_asked_while_its_old_work_dies_starts_afresh() -> None:
    shared, dying, fresh = work(), Gate(), Gate()
    shared.leave(shared.join("q", dying))
    fresh.go.set()
    with shared.joined("q", fresh) as flight:
        assert flight.result(SOON_S) == "answer"


def test_failures_reach_everybody_and_are_not_remembered() -> None:
    shared, calls = work(), []

    def fail(flight: Flight[str]) -> str:
        calls.append(1)
        raise PerfCompareError("no")

    for _ in range(2):
        with shared.joined("q", fail) as flight, pytest.raises(PerfCompareError, match="no"):
            flight.result(SOON_S)
    assert len(calls) == 2


def test_cancel_calls_what_was_registered_even_if_it_came_first() -> None:
    flight: Flight[str] = Flight("q")
    stopped: list[str] = []
    with flight.stopping(lambda: stopped.append("during")):
        flight.cancel()
    with flight.stopping(lambda: stopped.append("late")):
        pass
    assert stopped == ["during", "late"]


def test_follow_forwards_progress_of_all_and_ends_when_the_reporter_raises() -> None:
    shared, gates = work(), {"a": Gate(), "b": Gate()}
    flights = [shared.join(key, gate) for key, gate in gates.items()]
    seen: list[Progress] = []

    def report(progress: Progress, /) -> None:
        seen.append(progress)
        if len(seen) > 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        wait_for_all(flights, report)
    for flight in flights:
        shared.leave(flight)
    assert becomes_true(lambda: all(len(gate.ended_by) == 1 for gate in gates.values()))


def test_follow_repeats_itself_while_nothing_is_new_so_that_waiting_can_end() -> None:
    silent_work: Flight[str] = Flight("q")
    calls: list[Progress] = []

    def report(progress: Progress, /) -> None:
        calls.append(progress)
        if len(calls) == 3:
            silent_work.set_result("done")

    wait_for_all([silent_work], report)
    assert [progress.phase for progress in calls[:3]] == ["listing"] * 3


def test_news_are_the_latest_of_each_path_since_last_asked() -> None:
    flight: Flight[str] = Flight("q")
    flight.report(Progress("reading", "a", 1))
    flight.report(Progress("reading", "b", 1))
    flight.report(Progress("reading", "a", 2))
    version, news = flight.progress_since(0)
    assert [(progress.path, progress.done_bytes) for progress in news] == [("b", 1), ("a", 2)]
    assert flight.progress_since(version)[1] == []
