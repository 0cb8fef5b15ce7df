"""The measured rates as tables. `python -m tests.simulation` writes them into rates.md; test_rates.py checks them
against the promised rates."""

from __future__ import annotations

from tests.simulation.many import Many
from tests.simulation.rates import (
    CAPTURES,
    CHANGES,
    DRIFT_STEPS,
    ENTITY_CAPTURES,
    ENTITY_STEPS,
    FEW_ALIKE,
    HARDEST,
    RHOS,
    ROWS,
    SERIES,
    STATIONARY,
    STEPS,
    called_drifting,
    enough_captures,
    entity_rates,
    simulated,
    simulated_captures,
    tables_drawn,
    tables_of_rows,
)
from tests.simulation.series import heavy_tailed, normal
from tests.thorough import sample


def percent(share: float) -> str:
    """One decimal below 10 %: 4.7; whole numbers above."""
    return f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"


def statistics_tables() -> str:
    """Of the step time."""
    columns = " | ".join(str(steps) for steps in STEPS)
    lines = [
        "In per cent, by steps a side: coverage of the 95 % interval, the candidate 3 % slower; directions claimed for",
        'equal pairs, in brackets slower or faster without "probably":',
        "",
        f"| steps | {columns} |",
        f"|---|{'---|' * len(STEPS)}",
    ]
    for name, draw in (STATIONARY | SERIES | HARDEST).items():
        cells = [
            f"{percent(simulated(draw, n, 1.03).covers(1.03))}; {_claimed(simulated(draw, n, 1.0))}" for n in STEPS
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "Found where the candidate is slower, steps ±3 %, in per cent: slower + probably slower:",
        "",
        f"| steps | {columns} |",
        f"|---|{'---|' * len(STEPS)}",
    ]
    for factor in (1.03, 1.05, 1.1):
        for name, draw in (("independent", normal), ("autocorrelated, ρ 0.5", SERIES["autocorrelated, ρ 0.5"])):
            found = [simulated(draw, n, factor) for n in STEPS]
            text = " | ".join(f"{percent(c.clear.mean())} + {percent(c.probable.mean())}" for c in found)
            lines.append(f"| {100 * (factor - 1):.0f} % slower, {name} | {text} |")
    lines += [
        "",
        "Several captures of ten steps ±2 %, in per cent. Coverage of the interval, in brackets from the steps alone;",
        "directions claimed for equal runs; slower + probably slower:",
        "",
        f"| captures | {' | '.join(f'{a} and {b}' for a, b in CAPTURES)} |",
        f"|---|{'---|' * len(CAPTURES)}",
        *_captures_rows(),
        "",
        "Captures needed to show a change, and how often that many do, in per cent (steps ±2 %):",
        "",
        "| change, captures | captures per side | shown |",
        "|---|---|---|",
    ]
    for change, between in CHANGES:
        needed, share = enough_captures(change, between)
        lines.append(f"| {100 * change:.0f} %, ±{100 * between:.0f} % | {needed} | {percent(share)} |")
    return "\n".join(lines) + "\n"


def _claimed(equal: Many) -> str:
    return f"{percent(equal.directional.mean())} ({percent(equal.clear.mean())})"


def _captures_rows() -> list[str]:
    rows = []
    for name, between in (("±5 %", (0.05, 0.05)), ("±1 %", (0.01, 0.01)), ("±5 % and ±1 %", (0.05, 0.01))):
        cells = [simulated_captures(c, between, 1.0) for c in CAPTURES]
        covers = [f"{percent(c.covers(1.0))} ({percent(_by_steps(c))})" for c in cells]
        rows.append(f"| coverage, captures {name} | {' | '.join(covers)} |")
    for name, between in (("alike", (0.0, 0.0)), ("±1 %", (0.01, 0.01)), ("±5 %", (0.05, 0.05))):
        cells = [simulated_captures(c, between, 1.0) for c in CAPTURES]
        text = " | ".join(percent(c.directional.mean()) for c in cells)
        rows.append(f"| nothing differs, captures {name} | {text} |")
    for change, name, between in ((1.05, "alike", 0.0), (1.05, "±1 %", 0.01), (1.2, "±5 %", 0.05)):
        cells = [simulated_captures(c, (between, between), change) for c in CAPTURES]
        text = " | ".join(f"{percent(c.clear.mean())} + {percent(c.probable.mean())}" for c in cells)
        rows.append(f"| {100 * (change - 1):.0f} % slower, captures {name} | {text} |")
    return rows


def _by_steps(found: Many) -> float:
    return float(((found.steps_low <= 0) & (found.steps_high >= 0)).mean())


def entity_tables() -> str:
    """Of table rows."""
    lines = [
        f"Tables of {ROWS} rows, n = m. In per cent: tables with any discovery if nothing differs; with half the rows",
        "10 % slower, rows found of those + false ones among the found:",
        "",
        f"| steps a side | {' | '.join(str(steps) for steps in ENTITY_STEPS)} |",
        f"|---|{'---|' * len(ENTITY_STEPS)}",
    ]
    for name, draw in ({"normal, ±3 %": normal, "heavy-tailed": heavy_tailed} | SERIES).items():
        cells = [entity_rates(draw, steps) for steps in ENTITY_STEPS]
        texts = (f"{percent(wrong)}; {percent(found)} + {percent(false)}" for wrong, found, false in cells)
        lines.append(f"| {name} | {' | '.join(texts)} |")
    alike = [tables_of_rows(FEW_ALIKE, steps, 0, tables_drawn(steps))[0] for steps in ENTITY_STEPS]
    lines.append(f"| ρ 0.5 in one row of five, nothing differs | {' | '.join(percent(share) for share in alike)} |")
    lines += [
        "",
        "The same with several captures of ten steps ±3 % on each side:",
        "",
        f"| captures | {' | '.join(f'{count} and {count}' for count in ENTITY_CAPTURES)} |",
        f"|---|{'---|' * len(ENTITY_CAPTURES)}",
    ]
    nothing = [tables_of_rows(normal, 10, 0, sample(250, 12), count)[0] for count in ENTITY_CAPTURES]
    half = [tables_of_rows(normal, 10, ROWS // 2, sample(60, 5), count)[1:] for count in ENTITY_CAPTURES]
    cells = [f"{percent(wrong)}; {percent(a)} + {percent(b)}" for wrong, (a, b) in zip(nothing, half, strict=True)]
    lines.append(f"| every row ±5 % from capture to capture | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def admission_table() -> str:
    """Of drift."""
    lines = [
        "Stationary captures reported as drifting (false alarms), in per cent:",
        "",
        f"| steps | {' | '.join(str(steps) for steps in DRIFT_STEPS)} |",
        f"|---|{'---|' * len(DRIFT_STEPS)}",
    ]
    for rho in RHOS:
        cells = " | ".join(percent(called_drifting(rho, steps)) for steps in DRIFT_STEPS)
        lines.append(f"| ρ {rho:g} | {cells} |")
    return "\n".join(lines) + "\n"
