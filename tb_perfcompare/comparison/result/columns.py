"""Column catalogue: labels, units, directions and definitions of table columns."""

from __future__ import annotations

from tb_perfcompare.comparison.result.table import Column
from tb_perfcompare.units import COUNT, FRACTION, TEXT, US, Better, Unit

PER_STEP = "mean per admitted step"


def key(name: str, label: str, description: str) -> Column:
    """Column that identifies the row."""
    return Column(name, label, TEXT.symbol, Better.NONE, description, role="key", kind="text")


def text(name: str, label: str, description: str, *, shown: bool = True) -> Column:
    """Text column."""
    return Column(name, label, TEXT.symbol, Better.NONE, description, role="text", kind="text", shown=shown)


def flag(name: str, label: str, description: str, *, shown: bool = True) -> Column:
    """Boolean column."""
    return Column(name, label, TEXT.symbol, Better.NONE, description, kind="bool", shown=shown)


def time(name: str, label: str, description: str, *, role: str = "plain", shown: bool = True) -> Column:
    """Time column in microseconds; lower is better."""
    return Column(name, label, US.symbol, Better.LOWER, description, role=role, kind="time_us", shown=shown)


def count(name: str, label: str, description: str, *, role: str = "plain", shown: bool = True) -> Column:
    """Count column; neither direction is better."""
    return Column(name, label, COUNT.symbol, Better.NONE, description, role=role, kind="count", shown=shown)


def fraction(
    name: str, label: str, description: str, *, role: str = "plain", better: Better = Better.NONE, shown: bool = True
) -> Column:
    """Fraction column, 1 = all."""
    return Column(name, label, FRACTION.symbol, better, description, role=role, kind="fraction", shown=shown)


def number(
    name: str, label: str, unit: str, description: str, *, role: str = "plain", better: Better = Better.NONE,
    shown: bool = True,
) -> Column:  # fmt: skip
    """Number column of any other unit."""
    return Column(name, label, unit, better, description, role=role, kind="number", shown=shown)


def fact(name: str, label: str, unit: Unit, description: str, *, better: Better, shown: bool = True) -> Column:
    """Column of a figure that is not a time; fractions get their own kind so that they can be drawn as percent."""
    kind = "fraction" if unit is FRACTION else "number"
    return Column(name, label, unit.symbol, better, description, kind=kind, shown=shown)


def triple(name: str, label: str, what: str, *, shown: bool = True) -> tuple[Column, Column, Column]:
    """Baseline, candidate and delta columns of a time per step. `name` is "" for the table's main measure."""
    joint = f"{name}_" if name else ""
    space = f"{label} " if label else ""
    return (
        time(
            f"baseline_{joint}us",
            f"{space}A".strip(),
            f"{what}; {PER_STEP} of the baseline",
            role="baseline",
            shown=shown,
        ),
        time(
            f"candidate_{joint}us",
            f"{space}B".strip(),
            f"{what}; {PER_STEP} of the candidate",
            role="candidate",
            shown=shown,
        ),
        time(
            f"{joint}delta_us" if name else "delta_us",
            f"{space}Δ".strip(),
            f"{what}; candidate minus baseline, {PER_STEP}",
            role="delta",
            shown=shown,
        ),
    )


def calls(what: str, label: str = "Calls") -> tuple[Column, Column]:
    """Columns of calls per step, baseline and candidate."""
    return (
        count("baseline_calls", f"{label} A", f"{what}, {PER_STEP} of the baseline"),
        count("candidate_calls", f"{label} B", f"{what}, {PER_STEP} of the candidate"),
    )


def means(noun: str) -> tuple[Column, Column, Column]:
    """Mean time per call: baseline, candidate and delta columns."""
    what = f"mean time of one {noun}"
    return (
        time("baseline_mean_us", f"Per {noun} A", f"{what} in the baseline", role="baseline", shown=False),
        time("candidate_mean_us", f"Per {noun} B", f"{what} in the candidate", role="candidate", shown=False),
        time("mean_delta_us", f"Per {noun} Δ", f"candidate minus baseline: {what}", role="delta", shown=False),
    )


def shares() -> tuple[Column, Column]:
    """Columns of the row's share of the time of all rows on its side."""
    return (
        fraction("baseline_share", "Of all A", "share of the time of all rows in the baseline", shown=False),
        fraction("candidate_share", "Of all B", "share of the time of all rows in the candidate", shown=False),
    )


SHARE = fraction(
    "share", "Δ share", "delta as a fraction of the headline's delta; shares of exposed time sum to 1", role="percent"
)
COUNT_EFFECT = time(
    "count_effect_us",
    "Δ by count",
    "part of the delta from more or fewer calls: (calls B - calls A) x (mean A + mean B) / 2; "
    "a side without calls is given the other's mean",
    role="delta",
    shown=False,
)
RATE_EFFECT = time(
    "rate_effect_us",
    "Δ by call",
    "part of the delta from slower or faster calls: (mean B - mean A) x (calls A + calls B) / 2; "
    "the two parts sum to the delta",
    role="delta",
    shown=False,
)
MIX_EFFECT = time(
    "mix_effect_us",
    "Δ by mix",
    "part of `Δ by call` from a different mix of parts (input shapes by caller) "
    "(docs/method/ledger.md)",
    role="delta",
    shown=False,
)
SAME_SHAPE_EFFECT = time(
    "same_shape_effect_us",
    "Δ by same shape",
    "part of `Δ by call` from the same parts taking more or less time; with `Δ by mix` it sums to `Δ by call`",
    role="delta",
    shown=False,
)
MODELLED_DELTA = time(
    "modelled_delta_us",
    "Modelled Δ",
    "time per step of the calls whose work is known, candidate minus baseline",
    role="delta",
    shown=False,
)
WORK_EFFECT = time(
    "work_effect_us",
    "Δ by work",
    "part of `Modelled Δ` from more or less work: (work B - work A) x mean time per unit of work; "
    "all of it if a side has no work (docs/method/work.md)",
    role="delta",
    shown=False,
)
SPEED_EFFECT = time(
    "speed_effect_us",
    "Δ by rate",
    "part of `Modelled Δ` from a different rate for the same work; with `Δ by work` it sums to `Modelled Δ`",
    role="delta",
    shown=False,
)
EXPOSED_WORK_EFFECT = time(
    "exposed_work_effect_us",
    "Exposed Δ by work",
    "part of the row's exposed Δ from more or less work; empty if the work of some calls is unknown",
    role="delta",
    shown=False,
)
EXPOSED_SPEED_EFFECT = time(
    "exposed_speed_effect_us",
    "Exposed Δ by rate",
    "part of the row's exposed Δ from a different exposed time for the same work; with `Exposed Δ by work` it sums to "
    "the exposed Δ",
    role="delta",
    shown=False,
)
STATUS = Column(
    "status",
    "Status",
    TEXT.symbol,
    Better.NONE,
    "both: on both sides; added: only in the candidate; removed: only in the baseline",
    role="status",
    kind="text",
)


AT_EQUAL_SPEED = (
    time(
        "paced_delta_us", "Δ at equal speed",
        "change at equal machine speed, without interruptions if these were left out of the program's part, and at "
        "equal work if the amount of work varies", role="delta",
    ),
    number("paced_p", "p at equal speed", "", "two-sided p of the change at equal machine speed"),
)  # fmt: skip


SHIFT_AT_EQUAL_SPEED = (
    time("paced_low_us", "Shift at equal speed from", "lower end of the confidence interval at equal speed",
         shown=False),
    time("paced_high_us", "Shift at equal speed to", "upper end of the confidence interval at equal speed",
         shown=False),
)  # fmt: skip


def interval(joint: str, space: str) -> tuple[Column, Column, Column]:
    """Columns of the shift of a time per step with its confidence interval; hidden by default."""
    return (
        time(
            f"{joint}shift_us", f"{space}shift".capitalize(),
            "median of all differences between a step of B and a step of A (Hodges-Lehmann)", role="delta", shown=False,
        ),
        time(
            f"{joint}shift_low_us", f"{space}shift from".capitalize(),
            "lower end of the shift's confidence interval (level 1 - alpha); empty with too few steps", shown=False,
        ),
        time(
            f"{joint}shift_high_us", f"{space}shift to".capitalize(),
            "upper end of the shift's confidence interval (level 1 - alpha); empty with too few steps", shown=False,
        ),
    )  # fmt: skip


def tests(name: str, label: str, *, shown: bool = True) -> tuple[Column, ...]:
    """Columns for the results of entity_tests: change, q, p, shift with its interval, robust z, effect size. `name`
    is "" for the table's main measure."""
    joint, space = f"{name}_" if name else "", f"{label} " if label else ""
    change = (
        "slower, faster: the row's time per step differs significantly (q at most alpha) and exceeds the threshold; "
        "with negligible: significant, but the interval is entirely below the threshold; added, removed: on one side "
        "only; unchanged: below the threshold and not significant; cannot tell: all other cases"
    )
    return (
        text(f"{joint}change", f"{space}change".capitalize(), change, shown=shown),
        number(
            f"{joint}q", f"{space}q", "",
            "adjusted p: false discovery rate among rows with this q or a smaller one (Benjamini-Hochberg unless "
            "another method was requested)", shown=shown,
        ),
        number(
            f"{joint}p", f"{space}p", "",
            "two-sided Mann-Whitney p of the time per step (zero in steps without the row); with several captures the "
            "larger of it and the p of the captures' means", shown=False,
        ),
        *interval(joint, space),
        number(
            f"{joint}z", f"{space}robust z".capitalize(), "",
            "change of the median, in robust standard deviations of the baseline; capped at 99", shown=False,
        ),
        number(
            f"{joint}effect_size", f"{space}effect size".capitalize(), "",
            "Cliff's delta: fraction of step pairs in which B is slower, minus the fraction in which it is faster",
            shown=False,
        ),
    )  # fmt: skip
