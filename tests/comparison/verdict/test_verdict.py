"""The headline: verdicts of drawn intervals, reasons, corner cases, laws, and recorded pairs."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.result.headline import Headline, Shift, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import noise_floor
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.verdict.rules import check_noise_floor, decide
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.arrays import each_side
from tests.shared_data import SHARED, needs_shared
from tests.thorough import sample

SLOWER, FASTER, SAME = Verdict.SLOWER, Verdict.FASTER, Verdict.SAME
PROBABLY_SLOWER, PROBABLY_FASTER = Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER
INCONCLUSIVE = Verdict.INCONCLUSIVE

SWAPPED = {
    SLOWER: FASTER,
    FASTER: SLOWER,
    PROBABLY_SLOWER: PROBABLY_FASTER,
    PROBABLY_FASTER: PROBABLY_SLOWER,
    SAME: SAME,
    INCONCLUSIVE: INCONCLUSIVE,
}

Side = Sequence[Sequence[float]]


def headline(baseline: Side, candidate: Side, options: CompareOptions | None = None, **words: object) -> Headline:
    """judge() over captures given as lists of step times in ms."""
    sides = baseline, candidate
    times = each_side(lambda side: np.array([round(t * 1e6) for part in side for t in part], dtype=np.int64), sides)
    captures = each_side(lambda side: np.repeat(np.arange(len(side)), [len(part) for part in side]), sides)
    return judge(times, captures, options or CompareOptions(), **words)


AXIS = "         -   0   +         "
"""- and + are the margin of 1 %; an interval is drawn as [ # ], or ( # ) for a range without a level."""


def drawn(picture: str, p: float = 0.01) -> ShiftEstimate:
    unit = math.log1p(0.01) / (AXIS.index("+") - AXIS.index("0"))
    zero = AXIS.index("0")
    low = max(picture.find("["), picture.find("("))
    high = max(picture.find("]"), picture.find(")"))
    some = estimate_shift(np.array([1, 2]), np.array([1, 2]), 0.05)
    return replace(
        some,
        theta=(picture.index("#") - zero) * unit,
        theta_low=(low - zero) * unit,
        theta_high=(high - zero) * unit,
        level=0.95 if "[" in picture else None,
        p=p,
    )


@pytest.mark.parametrize(
    ("picture", "p", "verdict"),
    [
        #         -   0   +
        ("                  [#]   ", 0.01, SLOWER),
        ("    [#]                 ", 0.01, FASTER),
        ("           [#]          ", 0.01, SAME),
        ("         [   #   ]      ", 0.50, SAME),
        ("              [#]       ", 0.01, SAME),
        ("              [  #   ]  ", 0.01, PROBABLY_SLOWER),
        ("                 [ # ]  ", 0.01, PROBABLY_SLOWER),
        ("  [   #     ]           ", 0.01, PROBABLY_FASTER),
        ("             [   # ]    ", 0.05, INCONCLUSIVE),
        ("            [  #   ]    ", 0.30, INCONCLUSIVE),
        ("      [      #      ]   ", 0.90, INCONCLUSIVE),
        ("       [     # ]        ", 0.90, INCONCLUSIVE),
        ("                  (#)   ", 0.04, SLOWER),
        ("   ( #  )               ", 0.04, FASTER),
        ("                  (#)   ", 0.06, INCONCLUSIVE),
        ("              (  #   )  ", 0.04, INCONCLUSIVE),
        ("           (#)          ", 0.90, INCONCLUSIVE),
    ],
)
def test_verdict_from_the_interval(picture: str, p: float, verdict: Verdict) -> None:
    assert decide(drawn(picture, p), 0.01) is verdict


@pytest.mark.parametrize(
    ("picture", "floor", "verdict"),
    [
        #         -   0   +         floor: how many characters from 0
        ("                  [#]   ", 4, SLOWER),
        ("                  [ # ] ", 5, PROBABLY_SLOWER),
        ("                  [#]   ", 6, INCONCLUSIVE),
        ("   [ #  ]               ", 4, FASTER),
        ("   [ #  ]               ", 6, PROBABLY_FASTER),
        ("   [ #  ]               ", 9, INCONCLUSIVE),
        ("              [  #   ]  ", 0, PROBABLY_SLOWER),
        ("              [  #   ]  ", 2, INCONCLUSIVE),
        ("           [#]          ", 4, SAME),
        ("           [#]          ", 5, INCONCLUSIVE),
        ("      [      #      ]   ", 0, INCONCLUSIVE),
    ],
)
def test_verdict_against_the_noise_floor(picture: str, floor: int, verdict: Verdict) -> None:
    estimate = drawn(picture)
    unit = math.log1p(0.01) / 4
    assert check_noise_floor(decide(estimate, 0.01), estimate, 0.01, floor * unit) is verdict
    assert check_noise_floor(decide(estimate, 0.01), estimate, 0.01, None) is decide(estimate, 0.01)


def test_a_clear_difference_is_slower() -> None:
    judged = headline([[100, 102, 101, 99, 103, 100.5]], [[120, 123, 119, 121, 122, 118]])
    assert judged.verdict is SLOWER
    assert judged.reason == "typical step +19.4 % (95 % CI +16.8 to +22.0 %)"
    assert judged.scope == "one capture per side: these two captures differ, not necessarily the configurations"
    assert judged.method.startswith("Hodges-Lehmann shift of the logarithms of step times; exact Mann-Whitney interval")
    assert judged.delta == pytest.approx(19_583.333333333332)
    assert judged.n == (6, 6)
    assert judged.unit == "us"


def test_exactly_the_margin_is_inside_it_in_any_unit() -> None:
    for scale in (1, 3, 7, 1000):
        a = np.full(8, 100 * scale, dtype=np.int64)
        b = np.full(8, 101 * scale, dtype=np.int64)
        zeros = np.zeros(8, dtype=np.int32)
        assert judge((a, b), (zeros, zeros), CompareOptions()).verdict is SAME
        assert judge((b, a), (zeros, zeros), CompareOptions()).verdict is SAME
        assert judge((a, b + scale), (zeros, zeros), CompareOptions()).verdict is SLOWER


def test_an_inconclusive_reason_has_the_detectable_change() -> None:
    judged = headline([[100, 110, 95, 105, 98, 102]], [[101, 96, 111, 104, 99, 103.5]])
    assert judged.verdict is INCONCLUSIVE
    assert "6 and 6 steps like these detect changes of at least" in judged.reason
    assert judged.certainty is not None and judged.certainty.steps_needed is not None
    assert f"{judged.certainty.steps_needed:,}" not in judged.reason, "the alternatives say how many to record"
    assert judged.scope.startswith("one capture per side")


def test_one_step_per_side_is_inconclusive() -> None:
    judged = headline([[6286.787]], [[1068.245]])
    assert judged.verdict is INCONCLUSIVE
    assert judged.reason == "one step per side, −83.0 %; the size is certain, its repeatability is not"
    assert judged.delta == -5_218_542.0
    assert judged.shift is not None
    assert judged.shift.low == judged.shift.estimate == judged.shift.high == pytest.approx(1068.245 / 6286.787 - 1)
    assert judged.shift.level is None
    assert judged.p is None
    assert judged.certainty is not None and judged.certainty.mean_low is None


def test_too_few_steps_for_an_interval_are_inconclusive() -> None:
    judged = headline([[100, 120, 99]], [[121, 152, 151]])
    assert judged.verdict is INCONCLUSIVE
    assert judged.reason.startswith("too few steps for a 95 % CI (3 and 3), all pairs differ by ")
    assert judged.shift is not None
    assert judged.shift.level is None
    assert (judged.shift.low_us, judged.shift.high_us) == (1_000.0, 53_000.0)


def test_three_steps_per_side_decide_when_the_gap_is_wider_than_both_samples() -> None:
    judged = headline([[100, 101, 99]], [[150, 152, 151]])
    assert judged.verdict is SLOWER
    assert "n too small for a 95 % CI or a rank test, but the gap is wider than both samples" in judged.reason
    assert judged.p == 0.1, "the smallest p of three and three"


def test_two_steps_per_side_are_inconclusive() -> None:
    assert headline([[100, 101]], [[150, 152]]).verdict is INCONCLUSIVE


def test_complete_separation_without_an_interval_decides() -> None:
    # two equal times leave the normal approximation, which finds no interval for 5 and 3 steps, but a p below 0.05
    judged = headline([[100, 103, 100, 102, 101]], [[200, 203, 201]])
    assert judged.verdict is SLOWER
    assert judged.shift is not None
    assert judged.shift.level is None
    assert judged.p is not None and judged.p < 0.05
    assert "n too small for a 95 % CI, p = 0.0" in judged.reason


def test_drifting_steps_far_apart_decide() -> None:
    """The rank test alone is not significant with so few autocorrelated steps."""
    judged = headline([[100, 101, 102, 103, 104, 105]], [[200, 203, 201, 202]])
    assert judged.verdict is SLOWER
    assert judged.inflation > 2
    assert "widened" in judged.method


def test_autocorrelated_steps_widen_the_interval() -> None:
    rising, falling = [100, 102, 104, 106, 108, 110, 112, 114], [123, 121, 119, 117, 115, 113, 111, 109]
    judged = headline([rising], [falling])
    mixed = headline([[108, 100, 112, 104, 102, 114, 106, 110]], [[115, 111, 123, 109, 119, 117, 121, 113]])
    assert judged.verdict is INCONCLUSIVE
    assert judged.certainty is not None and judged.certainty.autocorrelation == pytest.approx(0.9, abs=0.005)
    assert judged.shift is not None and mixed.shift is not None
    assert judged.shift.estimate == mixed.shift.estimate
    assert judged.shift.high > mixed.shift.high


def test_few_slow_steps_are_named_and_make_the_mean_tail_driven() -> None:
    usual = [100, 101.2, 99.5, 100.7, 100.2, 99.8, 100.4, 99.9, 100.9, 100.1]
    judged = headline([usual], [[*usual[:8], 150, 180]], labels=(list("abcdefghij"), list("ABCDEFGHIJ")))
    assert "a few long steps move the mean by +12.9 % (95 % CI" in judged.reason
    assert ": candidate steps I, J" in judged.reason
    unlabeled = headline([usual], [[*usual[:8], 150, 180]])
    assert "candidate steps 9, 10" in unlabeled.reason
    certainty = unlabeled.certainty
    assert certainty is not None and certainty.tail_driven
    assert (certainty.effect, certainty.captures) == ("negligible", (1, 1))
    assert certainty.detectable is not None and certainty.steps_needed is not None
    assert certainty.mean_low is not None and certainty.mean_high is not None
    assert certainty.mean_low < 0.129 < certainty.mean_high



def test_a_metric_of_cycles_counts_cycles() -> None:
    assert headline([[5]], [[6]], metric="cycle_time").reason.startswith("one cycle per side")
    assert headline([[5]], [[6]], metric="kernel_time").metric == "kernel_time"


def test_spans_of_one_run_that_differ_as_much_are_inconclusive() -> None:
    judged = headline(
        [[100, 101, 102, 99, 103], [80, 81, 79, 82, 80.5]], [[70, 71, 69, 70.5, 72], [70.2, 71.5, 69.4, 70.8, 72.3]]
    )
    assert judged.verdict is INCONCLUSIVE
    assert "but captures of one run vary by 20.3 %; 95 % CI over captures −51.9 to +27.7 %" in judged.reason
    assert judged.scope.startswith("2 and 2 captures; those of one run vary by 20.3 %")
    assert "the candidate is one capture" in headline([[100, 101], [80, 81]], [[70, 71]]).scope


def test_the_scope_has_the_p_of_medians_of_captures() -> None:
    fast, slow = [100.0, 100.1, 100.2, 99.9], [101.0, 101.1, 101.3, 100.9]
    low, high = [104.0, 104.1, 104.3, 103.9], [104.9, 105.1, 105.2, 105.01]
    judged = headline([fast, slow, fast], [low, high, low, high])
    assert judged.verdict is SLOWER
    assert "those of one run vary by 1.00 %" in judged.scope
    separated = headline([[100.0, 100.1], [100.2, 100.5], [100.9]], [[104.0], [105.0], [106.0]])
    assert separated.scope.endswith("; medians of captures: p = 0.10")


@pytest.mark.parametrize("captures", [[[100]], [[100, 101]], [[100, 90, 200, 100, 130, 99, 140]], [[100, 101], [140]]])
def test_a_run_against_itself_is_the_same(captures: list[list[float]]) -> None:
    for candidate in (captures, [steps[::-1] for steps in captures]):
        judged = headline(captures, candidate)
        assert judged.verdict is SAME
        assert judged.delta == 0.0
        assert judged.ratio == 1.0
        assert judged.shift == Shift(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, level=1.0)
        assert judged.p == 1.0
        assert judged.certainty is None


def test_steps_of_zero_length_equal_themselves() -> None:
    judged = judge(([0, 5], [5, 0]), ([0, 0], [0, 0]), CompareOptions())
    assert (judged.verdict, judged.delta, judged.p) == (SAME, 0.0, 1.0)
    nothing = judge(([0], [0]), ([0], [0]), CompareOptions())
    assert (nothing.verdict, nothing.delta, nothing.ratio) == (SAME, 0.0, None)


@pytest.mark.parametrize(
    ("baseline", "candidate", "reason"),
    [
        ([], [5], "the baseline has no step to compare"),
        ([], [], "the baseline has no step to compare; the candidate has no step to compare"),
        ([5, 0], [5, 6], "1 of 2 step times of the baseline are not positive"),
        ([5, 6], [-5, 0, 7], "2 of 3 step times of the candidate are not positive"),
        ([5.0, math.nan], [5.0], "the step times of the baseline are not all finite numbers below 2^62 ns"),
        ([5.0], [math.inf], "the step times of the candidate are not all finite numbers below 2^62 ns"),
        ([2**62], [5], "the step times of the baseline are not all finite numbers below 2^62 ns"),
        ([2**70], [5], "the step times of the baseline are not all finite numbers below 2^62 ns"),
    ],
)
def test_invalid_step_times_are_inconclusive_with_a_reason(
    baseline: list[float], candidate: list[float], reason: str
) -> None:
    judged = judge((baseline, candidate), ([0] * len(baseline), [0] * len(candidate)), CompareOptions())
    assert judged.verdict is INCONCLUSIVE
    assert judged.reason == reason
    assert judged.shift is None
    assert judged.p is None
    assert judged.n == (len(baseline), len(candidate))
    assert_finite(judged)


def assert_finite(judged: Headline) -> None:
    values = [getattr(judged, field.name) for field in fields(judged) if field.name != "shift"]
    if judged.shift is not None:
        values += [getattr(judged.shift, field.name) for field in fields(judged.shift)]
    assert all(math.isfinite(value) for value in values if isinstance(value, float))


anything = st.lists(st.integers(-3, 10) | st.integers(-(2**63), 2**63 - 1), max_size=9)
times = st.lists(
    st.integers(1, 20) | st.integers(1, 2**62 - 1) | st.integers(10**6, 10**6 + 10**5), min_size=1, max_size=9
)
usual = st.lists(st.integers(10**6, 2 * 10**6), min_size=1, max_size=12)
QUICK = CompareOptions(resamples=100)


@given(anything, anything, st.data())
def test_any_integers_have_a_verdict_and_a_reason(a: list[int], b: list[int], data: st.DataObject) -> None:
    captures = [data.draw(st.lists(st.integers(0, 3), min_size=len(side), max_size=len(side))) for side in (a, b)]
    judged = judge((np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)), captures, QUICK)
    assert_finite(judged)
    assert judged.reason
    assert judged.verdict is not Verdict.WITHHELD


@given(times, times, st.data())
def test_swapped_sides_mirror_every_figure(a: list[int], b: list[int], data: st.DataObject) -> None:
    captures = [data.draw(st.lists(st.integers(0, 3), min_size=len(side), max_size=len(side))) for side in (a, b)]
    forward, swapped = judge((a, b), captures, QUICK), judge((b, a), (captures[1], captures[0]), QUICK)
    assert swapped.verdict is SWAPPED[forward.verdict]
    assert forward.delta is not None
    assert forward.shift is not None
    assert swapped.shift is not None
    assert (swapped.delta, swapped.baseline, swapped.candidate) == (-forward.delta, forward.candidate, forward.baseline)
    assert (swapped.p, swapped.n, swapped.inflation) == (forward.p, forward.n[::-1], forward.inflation)
    assert (swapped.shift.estimate_us, swapped.shift.low_us, swapped.shift.high_us) == (
        -forward.shift.estimate_us,
        -forward.shift.high_us,
        -forward.shift.low_us,
    )
    # from the side with the larger fraction the other follows, -1 being as near as a float comes to 1/2^62 - 1
    for one, other in (
        (forward.shift.estimate, swapped.shift.estimate),
        (forward.shift.low, swapped.shift.high),
        (forward.shift.high, swapped.shift.low),
    ):
        larger = Fraction(max(one, other))
        assert min(one, other) == float(1 / (1 + larger) - 1)


@given(usual, usual, st.integers(2, 1000))
def test_the_unit_of_the_clock_changes_no_verdict(a: list[int], b: list[int], factor: int) -> None:
    zeros = [0] * len(a), [0] * len(b)
    plain = judge((a, b), (zeros[0], zeros[1]), QUICK)
    scaled = judge(([t * factor for t in a], [t * factor for t in b]), (zeros[0], zeros[1]), QUICK)
    assert (scaled.verdict, scaled.n) == (plain.verdict, plain.n)
    assert plain.p == scaled.p or scaled.p == pytest.approx(plain.p, rel=1e-6)
    assert plain.shift is not None
    assert scaled.shift is not None
    assert scaled.shift.estimate == pytest.approx(plain.shift.estimate, abs=1e-11)
    assert scaled.shift.low == pytest.approx(plain.shift.low, abs=1e-11)
    assert scaled.shift.high == pytest.approx(plain.shift.high, abs=1e-11)


@given(usual, usual)
def test_headline_figures_agree_with_each_other(a: list[int], b: list[int]) -> None:
    judged = judge((a, b), ([0] * len(a), [0] * len(b)), QUICK)
    means = Fraction(sum(a), 1000 * len(a)), Fraction(sum(b), 1000 * len(b))
    assert (judged.baseline, judged.candidate) == (float(means[0]), float(means[1]))
    assert judged.delta == float(means[1] - means[0])
    assert judged.ratio == float(means[1] / means[0])
    assert judged.shift is not None
    assert judged.shift.low <= judged.shift.estimate <= judged.shift.high
    assert judged.shift.low_us <= judged.shift.estimate_us <= judged.shift.high_us
    if judged.shift.level is None:
        assert judged.verdict not in (SAME, PROBABLY_SLOWER, PROBABLY_FASTER)


@pytest.mark.parametrize(("n", "sigma"), [(6, 0.03), (10, 0.1), (20, 0.03)])
def test_equal_captures_seldom_have_a_direction(n: int, sigma: float) -> None:
    generator = np.random.default_rng(n)
    zeros = np.zeros(n, dtype=np.int32)
    wrong, pairs = 0, sample(400, 2)
    for _ in range(pairs):
        a, b = np.rint(1e8 * np.exp(generator.normal(0, sigma, (2, n)))).astype(np.int64)
        wrong += judge((a, b), (zeros, zeros), QUICK).verdict not in (SAME, INCONCLUSIVE)
    assert wrong / pairs <= 0.05


def test_three_equal_noisy_spans_seldom_have_a_direction() -> None:
    generator = np.random.default_rng(8)
    captures = np.repeat(np.arange(3), 6)
    wrong, pairs = 0, sample(200, 2)
    for _ in range(pairs):
        levels = np.repeat(generator.normal(0, 0.05, (2, 3)), 6, axis=1)
        a, b = np.rint(1e8 * np.exp(levels + generator.normal(0, 0.02, (2, 18)))).astype(np.int64)
        wrong += judge((a, b), (captures, captures), QUICK).verdict in (SLOWER, FASTER)
    assert wrong / pairs <= 0.05


def test_noise_floor_is_the_largest_shift_between_captures_of_a_side() -> None:
    a, b = np.array([100, 110, 100, 110, 121]), np.array([5, 7])
    one = np.zeros(2, dtype=np.int32)
    assert noise_floor((a, b), (np.zeros(5, dtype=np.int32), one)) is None
    # the captures 100, 110, 100 and 110, 121: ratios 1, 1.1, 1.1, 1.1, 1.21, 1.21
    assert noise_floor((a, b), (np.array([0, 0, 0, 1, 1]), one)) == pytest.approx(math.log(1.1))
    many = np.arange(1000, 1020)
    assert noise_floor((many, b), (np.arange(20), one)) == pytest.approx(math.log(1.019))


@pytest.mark.parametrize(
    ("field", "value"),
    [("alpha", 0.0), ("alpha", math.nan), ("margin", -0.01), ("margin", 2.0), ("window", "host"), ("seed", -1)],
)
def test_options_outside_their_range_are_refused(field: str, value: object) -> None:
    with pytest.raises(PerfCompareError, match=f"{field} is .*must be"):
        CompareOptions(**{field: value})


class _Event(msgspec.Struct):
    name: str | int | None = None
    ts: float = 0.0
    dur: float = 0.0


class _Events(msgspec.Struct):
    traceEvents: list[_Event]


def span_steps(path: Path) -> list[float]:
    """Marker-to-marker step times in ms."""
    with gzip.open(path) as file:
        events = msgspec.json.decode(file.read(), type=_Events).traceEvents
    steps = sorted((e.ts, e.dur) for e in events if str(e.name).startswith("ProfilerStep#"))
    ends = [*(ts for ts, _ in steps[1:]), sum(steps[-1])]
    return [(end - ts) / 1000 for (ts, _), end in zip(steps, ends, strict=True)]


def complete_cycles(path: Path) -> list[float]:
    """Cycle times in ms of cycles with at least 98 % of the maximum number of launches."""
    durations: dict[str, float] = {}
    launches: dict[str, dict[tuple[str, str, str], int]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            durations[row["cycle"]] = float(row["anchor_dur_us"]) / 1000
            if row["device"] != "Host":
                entity = row["pid"], row["function_name"], row["device"]
                launches.setdefault(row["cycle"], {})[entity] = int(row["instances_count"])
    counts = {cycle: sum(by_entity.values()) for cycle, by_entity in launches.items()}
    return [t for cycle, t in durations.items() if counts.get(cycle, 0) >= 0.98 * max(counts.values())]


@needs_shared
def test_recorded_resnet_pair_is_inconclusive_because_spans_of_one_run_differ() -> None:
    runs = [
        [span_steps(path) for path in sorted((SHARED / "kineto" / f"resnet50_num_workers_{k}").glob("*.gz"))]
        for k in (0, 4)
    ]
    judged = headline(runs[0], runs[1])
    assert judged.verdict is INCONCLUSIVE
    assert judged.delta == pytest.approx(-22_670.333, abs=0.001)
    assert judged.shift is not None
    assert judged.shift.estimate == pytest.approx(-0.194, abs=0.001)
    assert "captures of one run vary by 13.1 %" in judged.reason
    spans_of_one_run = headline(runs[0][:1], runs[0][1:])
    assert spans_of_one_run.verdict is FASTER
    assert "not necessarily the configurations" in spans_of_one_run.scope


@needs_shared
@pytest.mark.parametrize(
    ("engine", "n", "percent", "low", "high", "p", "inflation", "mean"),
    [
        ("SGLang", (10, 6), 0.87, -3.07, 29.7, 0.624, 1.70, 1.0780),
        ("vLLM", (16, 16), 1.90, -14.2, 23.8, 0.776, 8.01, 1.0223),
    ],
)
def test_recorded_servers_with_an_unstable_gpu_are_inconclusive(
    engine: str, n: tuple[int, int], percent: float, low: float, high: float, p: float, inflation: float, mean: float
) -> None:
    folder = SHARED / "latencyprism" / engine / "gpu_instability"
    sides = [complete_cycles(folder / f"{side}_perf_data" / "result_perf_data.csv") for side in ("normal", "abnormal")]
    judged = headline([sides[0]], [sides[1]], metric="cycle_time")
    assert judged.verdict is INCONCLUSIVE
    assert judged.n == n
    assert judged.shift is not None
    assert 100 * judged.shift.estimate == pytest.approx(percent, abs=0.01)
    assert 100 * judged.shift.low == pytest.approx(low, abs=0.06)
    assert 100 * judged.shift.high == pytest.approx(high, abs=0.06)
    assert judged.p == pytest.approx(p, abs=0.005)
    assert judged.inflation == pytest.approx(inflation, abs=0.006)
    assert judged.ratio == pytest.approx(mean, abs=0.0001)
    assert ("a few long cycles move the mean" in judged.reason) == (engine == "SGLang")


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [
        ([[100, 102, 101, 99, 103, 100.5]], [[120, 123, 119, 121, 122, 118]]),
        ([[120, 123, 119, 121, 122, 118]], [[100, 102, 101, 99, 103, 100.5]]),
        ([[100, 110, 95, 105, 98, 102]], [[101, 96, 111, 104, 99, 103.5]]),
        ([[100, 101, 99]], [[150, 152, 151]]),
        ([[100]], [[150]]),
        ([[100, 101, 102, 99, 103], [80, 81, 79, 82, 80.5]], [[70, 71, 69, 70.5, 72], [70.2, 71.5, 69.4, 70.8, 72.3]]),
    ],
    ids=["slower", "faster", "inconclusive", "few steps", "one step", "two spans"],
)
def test_the_first_line_has_at_most_twelve_words(baseline: list[list[float]], candidate: list[list[float]]) -> None:
    judged = headline(baseline, candidate)
    line = f"{judged.verdict.value.replace('_', ' ')}: {judged.reason.partition('; ')[0]}"
    words = [word for word in line.split() if any(letter.isalpha() for letter in word)]
    assert len(words) <= 12, line


def test_swapped_sides_name_the_threshold_of_their_direction() -> None:
    times = [[100, 100.2, 99.9, 100.1, 100.3, 99.8]], [[101, 101.5, 100.4, 101.2, 100.6, 100.9]]
    assert headline(*times).reason.endswith("partly below the 1 % threshold")
    assert headline(*times[::-1]).reason.endswith("partly above the −0.99 % threshold")


def test_steps_of_any_length_detect_hardly_any_change() -> None:
    """A change of 276,338 % is no figure to read."""
    wild = [100, 9_000, 40, 300_000, 900, 7]
    other = [99, 8_000, 50, 310_000, 850, 9]
    assert "6 and 6 steps like these detect hardly any change" in headline([wild], [other]).reason
