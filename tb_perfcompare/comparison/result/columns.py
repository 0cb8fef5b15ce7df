"""Column catalogue: labels, units, directions and definitions of table columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.table import Column
from tb_perfcompare.units import COUNT, FRACTION, TEXT, US, Better, Unit

PER_STEP = "mean per admitted step"
CORRECTED = "Corrected reading (docs/method/corrected_reading.md)."
"""Note of tables made from traces."""


def key(name: str, label: str, description: str) -> Column:
    """Column that identifies the row."""
    return Column(name, label, TEXT.symbol, Better.NONE, description, role="key", kind="text")


def text(name: str, label: str, description: str, *, shown: bool = True) -> Column:
    return Column(name, label, TEXT.symbol, Better.NONE, description, role="text", kind="text", shown=shown)


def flag(name: str, label: str, description: str, *, shown: bool = True) -> Column:
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


Figure = tuple[str, str, str, Better]
"""A figure of rows: label, unit, definition, direction."""


def figure(name: str, specified: Figure, side: str = "", *, shown: bool = True) -> Column:
    """Column of a figure: of one side ("baseline", "candidate"), of their difference ("delta"), or of a single run
    ("")."""
    label, unit, what, better = specified
    if side == "delta":
        name, letter, what = f"{name}_delta", "Δ", f"candidate minus baseline: {what}"
    elif side:
        name, letter, what = f"{side}_{name}", "AB"[SIDES.index(side)], f"{what} ({side})"
    else:
        letter = ""
    kind = {US.symbol: "time_us", FRACTION.symbol: "fraction"}.get(unit, "number")
    return Column(name, f"{label} {letter}".strip(), unit, better, what, role=side or "plain", kind=kind, shown=shown)


def sides(
    make: Callable[..., Column], name: str, label: str, description: str, *, sided: bool = False, **more: Any
) -> tuple[Column, Column]:
    """Baseline and candidate columns of one figure, made by one of the functions above with the arguments `more`;
    `{side}` in the description stands for the side. If `sided`, it is also the column's role."""
    a, b = (
        make(
            name=f"{side}_{name}" if name else side, label=f"{label} {letter}".strip(),
            description=description.format(side=side), **({**more, "role": side} if sided else more),
        )
        for side, letter in zip(SIDES, "AB", strict=True)
    )  # fmt: skip
    return a, b


def triple(name: str, label: str, what: str, *, shown: bool = True) -> tuple[Column, Column, Column]:
    """Baseline, candidate and delta columns of a time per step. `name` is "" for the table's main measure."""
    joint = f"{name}_" if name else ""
    delta = f"{what}; candidate minus baseline, {PER_STEP}"
    return (
        *sides(time, f"{joint}us", label, f"{what}; {PER_STEP} of the {{side}}", sided=True, shown=shown),
        time(f"{joint}delta_us", f"{label} Δ".strip(), delta, role="delta", shown=shown),
    )


def calls(what: str, label: str = "Calls") -> tuple[Column, Column]:
    """Columns of calls per step, baseline and candidate."""
    return sides(count, "calls", label, f"{what}, {PER_STEP} of the {{side}}")


def means(noun: str) -> tuple[Column, Column, Column]:
    """Mean time per call: baseline, candidate and delta columns."""
    what = f"mean time of one {noun}"
    return (
        *sides(time, "mean_us", f"Per {noun}", f"{what} in the {{side}}", sided=True, shown=False),
        time("mean_delta_us", f"Per {noun} Δ", f"candidate minus baseline: {what}", role="delta", shown=False),
    )


def shares() -> tuple[Column, Column]:
    """Columns of the row's share of the time of all rows on its side."""
    return sides(fraction, "share", "Of all", "share of the time of all rows in the {side}", shown=False)


def q(tested: str, *, shown: bool = True) -> Column:
    """Column of p adjusted by Benjamini and Hochberg among the rows, which are `tested`."""
    what = f"adjusted p: false discovery rate among {tested} with this q or a smaller one (Benjamini-Hochberg)"
    return number("q", "q", "", what, shown=shown)


def _part(name: str, label: str, description: str) -> Column:
    """Column of a part of a difference of times; hidden by default."""
    return time(name, label, description, role="delta", shown=False)


SHARE = fraction(
    "share", "Δ share", "delta as a fraction of the headline's delta; shares of exposed time sum to 1", role="percent"
)
COUNT_EFFECT = _part(
    "count_effect_us", "Δ by count",
    "part of the delta from more or fewer calls: (calls B - calls A) x (mean A + mean B) / 2; "
    "a side without calls is given the other's mean",
)  # fmt: skip
RATE_EFFECT = _part(
    "rate_effect_us", "Δ by call",
    "part of the delta from slower or faster calls: (mean B - mean A) x (calls A + calls B) / 2; "
    "the two parts sum to the delta",
)  # fmt: skip
MIX_EFFECT = _part(
    "mix_effect_us", "Δ by mix",
    "part of `Δ by call` from a different mix of parts (input shapes by caller) (docs/method/ledger.md)",
)  # fmt: skip
SAME_SHAPE_EFFECT = _part(
    "same_shape_effect_us", "Δ by same shape",
    "part of `Δ by call` from the same parts taking more or less time; with `Δ by mix` it sums to `Δ by call`",
)  # fmt: skip
MODELED_DELTA = _part(
    "modelled_delta_us", "Modeled Δ",
    "time per step of the calls whose work is known, candidate minus baseline",
)  # fmt: skip
WORK_EFFECT = _part(
    "work_effect_us", "Δ by work",
    "part of `Modeled Δ` from more or less work: (work B - work A) x mean time per unit of work; "
    "all of it if a side has no work (docs/method/work.md)",
)  # fmt: skip
SPEED_EFFECT = _part(
    "speed_effect_us", "Δ by rate",
    "part of `Modeled Δ` from a different rate for the same work; with `Δ by work` it sums to `Modeled Δ`",
)  # fmt: skip
EXPOSED_WORK_EFFECT = _part(
    "exposed_work_effect_us", "Exposed Δ by work",
    "part of the row's exposed Δ from more or less work; empty if the work of some calls is unknown",
)  # fmt: skip
EXPOSED_SPEED_EFFECT = _part(
    "exposed_speed_effect_us", "Exposed Δ by rate",
    "part of the row's exposed Δ from a different exposed time for the same work; with `Exposed Δ by work` it sums to "
    "the exposed Δ",
)  # fmt: skip
STATUS = Column(
    "status", "Status", TEXT.symbol, Better.NONE,
    "both: on both sides; added: only in the candidate; removed: only in the baseline", role="status", kind="text",
)  # fmt: skip


def status(in_baseline: bool, in_candidate: bool) -> str:
    """Cell of STATUS for a row of these sides."""
    return "both" if in_baseline and in_candidate else "added" if in_candidate else "removed"


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
