"""Exclusive ownership of time, in pictures and compared with the rule applied to every interval."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
CLAIM = st.tuples(st.sampled_from(ROLES), st.integers(0, 30), st.sampled_from((0, 1, 2, 5, 11)), st.integers(0, 3))
WINDOWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=4)


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
@given(claims=st.lists(CLAIM, max_size=12), gaps=WINDOWS)
def test_ownership_equals_the_naive_rule_and_sums_to_the_windows(
    compiled: bool, claims: list[tuple[StepCategory, int, int, int]], gaps: list[tuple[int, int]]
) -> None:
    windows: list[tuple[int, int]] = []
    at = 0
    for gap, length in gaps:
        windows.append((at + gap, at + gap + length))
        at += gap + length
    claims = sorted(claims, key=lambda c: (c[1], -c[2]))
    start = np.array([c[1] for c in claims], dtype=np.int64)
    table = Windows(
        tuple(str(i) for i in range(len(windows))),
        np.array([w[0] for w in windows], dtype=np.int64),
        np.array([w[1] for w in windows], dtype=np.int64),
        (),
        True,
        0,
    )
    drawn = Claims(
        start,
        np.array([c[2] for c in claims], dtype=np.int64),
        np.array([c[0] for c in claims], dtype=np.int8),
        (np.arange(len(claims), dtype=np.int64),),
    )
    with form(compiled):
        owned, rest = owned_time(drawn, np.array([c[3] for c in claims], dtype=np.int64), table, 4)
    expected, idle = naive(claims, windows)
    assert {(e, s): int(owned[e, s]) for e, s in np.argwhere(owned).tolist()} == {
        k: v for k, v in expected.items() if v
    }
    assert rest.tolist() == idle
    assert (owned.sum(axis=0) + rest).tolist() == [b - a for a, b in windows]


@both_forms
def test_the_last_of_concurrent_kernels_owns_the_remainder(compiled: bool) -> None:
    zeros = np.zeros(3, dtype=np.int64)
    claims = Claims(zeros, zeros + 10, np.zeros(3, dtype=np.int8), (np.arange(3),))
    window = Windows(("0",), np.array([0]), np.array([10]), (), True, 0)
    with form(compiled):
        owned, rest = owned_time(claims, np.arange(3), window, 3)
    assert (owned[:, 0].tolist(), rest.tolist()) == ([3, 3, 4], [0])


TIE = st.integers(0, 2)


@needs_compiled
@given(
    st.lists(st.tuples(st.integers(-1, 7), st.integers(0, 40), st.integers(0, 25), TIE, TIE), max_size=40),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=6),
)
def test_the_compiled_and_the_numpy_form_give_the_same_shares(
    drawn: list[tuple[int, int, int, int, int]], gaps: list[tuple[int, int]]
) -> None:
    role, start, length, *ties = (np.array([claim[i] for claim in drawn], dtype=np.int64) for i in range(5))
    claims = Claims(start, length, role.astype(np.int8), tuple(ties))
    ends = np.cumsum(np.array(gaps, dtype=np.int64).reshape(-1))
    windows = Windows(tuple(map(str, range(len(gaps)))), ends[::2].copy(), ends[1::2].copy(), (), True, 0)
    found = []
    for compiled in (False, True):
        with form(compiled):
            shares = owned_shares(claims, windows)
        assert (shares.claim.dtype, shares.step.dtype, shares.gap_step.dtype) == (np.int32, np.int32, np.int64)
        cells = sorted(zip(shares.claim.tolist(), shares.step.tolist(), shares.time_ns.tolist(), strict=True))
        found.append((cells, shares.gap_start.tolist(), shares.gap_end.tolist(), shares.gap_step.tolist()))
    assert found[0] == found[1]
