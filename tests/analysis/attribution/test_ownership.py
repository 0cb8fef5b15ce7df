"""Exclusive ownership of time, in pictures and compared with the rule applied to every interval."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.ownership import LAST, Claims, owned_shares
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.summary.categories import DEVICE_CATEGORIES, StepCategory
from tests.analysis.passes_tools import FORMS, form, needs_compiled
from tests.analysis.summaries import categories_us, owners_us, summary
from tests.picture import picture

Ints = NDArray[np.int64]


def test_device_work_owns_time_before_the_host_and_gaps_are_other() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1.........]
        main     |[aten::mm...]
        main.api |  aa
        stream7  |     aaa
    """, names={"a": "gemm"}))  # fmt: skip
    assert owners_us(drawn) == {"gemm": 30, "cudaLaunchKernel": 20, "aten::mm": 80, "(nothing recorded)": 120}
    assert categories_us(drawn) == {"Kernel": 30, "Runtime": 20, "CPU Exec": 80, "Other": 120}


def test_kernels_running_at_once_share_their_time() -> None:
    drawn = summary(picture("""
        main    |[ProfilerStep#1.]
        stream7 |  aaaa
        stream8 |    bbbb
    """))  # fmt: skip
    assert owners_us(drawn) == {"a": 30, "b": 30, "(nothing recorded)": 110}


def test_the_latest_started_host_event_owns_the_time() -> None:
    drawn = summary(picture("""
        main    |[ProfilerStep#1.....]
        main    |[outer...]
        main    |  [in]
        thread1 |       [other...]
    """))  # fmt: skip
    assert owners_us(drawn) == {"outer": 30, "in": 40, "other": 100, "(nothing recorded)": 40}


def test_a_kernel_across_two_steps_owns_time_in_both() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1.][ProfilerStep#2.]
        main     |[aten::mm]       [aten::mm]
        main.api | a                a
        stream7  |              aaaaaaaaa    a
    """), window="marker")  # fmt: skip
    assert [owners_us(drawn, step)["a"] for step in (0, 1)] == [30, 70]


def owned_time(claims: Claims, entity: Ints, windows: Windows, entities: int) -> tuple[Ints, Ints]:
    """(entities, s) owned time by entity, and (s,) unclaimed time."""
    shares = owned_shares(claims, windows)
    steps = len(windows.label)
    owned = np.zeros((entities, steps), dtype=np.int64)
    np.add.at(owned, (entity[shares.claim], shares.step), shares.time_ns)
    rest = np.zeros(steps, dtype=np.int64)
    np.add.at(rest, shares.gap_step, shares.gap_end - shares.gap_start)
    return owned, rest


ROLES = [*StepCategory, LAST]


def naive(
    claims: list[tuple[StepCategory, int, int, int]], windows: list[tuple[int, int]]
) -> tuple[dict[tuple[int, int], int], list[int]]:
    """The rule for each interval between edges; concurrent device work shares it, the latest gets the remainder."""
    owned: dict[tuple[int, int], int] = defaultdict(int)
    rest = [0] * len(windows)
    spans = [(role, start, start + length, entity, rank) for rank, (role, start, length, entity) in enumerate(claims)]
    spans = [span for span in spans if span[1] < span[2]]
    edges = sorted({e for _, a, b, *_ in spans for e in (a, b)} | {e for w in windows for e in w})
    for low, high in pairwise(edges):
        for step, (begin, end) in enumerate(windows):
            if not begin <= low < end:
                continue
            active = [s for s in spans if s[1] <= low < s[2]]
            if not active:
                rest[step] += high - low
                continue
            role = min(s[0] for s in active)
            mine = sorted((s for s in active if s[0] == role), key=lambda s: s[4])
            if role in DEVICE_CATEGORIES:
                each, odd = divmod(high - low, len(mine))
                for s in mine:
                    owned[s[3], step] += each
                owned[mine[-1][3], step] += odd
            else:
                owned[mine[-1][3], step] += high - low
    return owned, rest


both_forms = pytest.mark.parametrize("compiled", FORMS)


@both_forms
def test_ownership_equals_the_naive_rule_and_sums_to_the_windows(compiled: bool) -> None:
    random = Random(1)
    for _ in range(300):
        claims = sorted(
            (
                (random.choice(ROLES), random.randint(0, 30), random.choice((0, 1, 2, 5, 11)), random.randint(0, 3))
                for _ in range(random.randint(0, 12))
            ),
            key=lambda claim: (claim[1], -claim[2]),
        )
        windows, at = list[tuple[int, int]](), 0
        for _ in range(random.randint(1, 4)):
            start = at + random.randint(0, 3)
            at = start + random.randint(0, 9)
            windows.append((start, at))
        begin, end = np.array(windows, dtype=np.int64).T
        role, first, length, entity = np.array(claims, dtype=np.int64).reshape(-1, 4).T
        drawn = Claims(first, length, role.astype(np.int8), (np.arange(len(claims)),))
        table = Windows(tuple(map(str, range(len(windows)))), begin, end, (), True, 0)
        with form(compiled):
            owned, rest = owned_time(drawn, entity, table, 4)
        expected, idle = naive(claims, windows)
        found = {(entity, step): int(owned[entity, step]) for entity, step in np.argwhere(owned).tolist()}
        assert found == {cell: ns for cell, ns in expected.items() if ns}
        assert rest.tolist() == idle
        assert (owned.sum(axis=0) + rest).tolist() == (end - begin).tolist()


@both_forms
def test_the_last_of_concurrent_kernels_owns_the_remainder(compiled: bool) -> None:
    zeros = np.zeros(3, dtype=np.int64)
    claims = Claims(zeros, zeros + 10, np.zeros(3, dtype=np.int8), (np.arange(3),))
    window = Windows(("0",), np.array([0]), np.array([10]), (), True, 0)
    with form(compiled):
        owned, rest = owned_time(claims, np.arange(3), window, 3)
    assert (owned[:, 0].tolist(), rest.tolist()) == ([3, 3, 4], [0])


@needs_compiled
def test_the_compiled_and_the_numpy_form_give_the_same_shares() -> None:
    """600 crowds of up to 60 claims, with many ties, over up to five windows: far more than hypothesis would try."""
    random = np.random.default_rng(1)
    for _ in range(600):
        n = int(random.integers(0, 60))
        claims = Claims(
            random.integers(0, 40, n), random.integers(0, 25, n), random.integers(-1, 8, n).astype(np.int8),
            (random.integers(0, 3, n), random.integers(0, 3, n)),
        )  # fmt: skip
        ends = np.cumsum(random.integers(0, 10, 2 * int(random.integers(0, 6))))
        windows = Windows(tuple(map(str, range(len(ends) // 2))), ends[::2].copy(), ends[1::2].copy(), (), True, 0)
        found = []
        for compiled in (False, True):
            with form(compiled):
                shares = owned_shares(claims, windows)
            assert (shares.claim.dtype, shares.step.dtype, shares.gap_step.dtype) == (np.int32, np.int32, np.int64)
            cells = sorted(zip(shares.claim.tolist(), shares.step.tolist(), shares.time_ns.tolist(), strict=True))
            found.append((cells, shares.gap_start.tolist(), shares.gap_end.tolist(), shares.gap_step.tolist()))
        assert found[0] == found[1]
