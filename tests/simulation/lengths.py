"""Steps of random length with a known truth: what the verdict says of program and amount of work, and how wide the
intervals of the program and of the step as recorded are."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.judged import judge_summaries
from tb_perfcompare.comparison.result.headline import Basis, Headline
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.comparison.compare import capture, sequence

OPTIONS = CompareOptions(resamples=100)
STEPS = 16
Calls = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class LengthWorld:
    """requests  requests of 4 to 24 tokens, else batches of 16 to 160
    captures  of each side, whose machine's pace deviates by 20 %
    slower    share of the step by which the candidate's program takes longer
    longer    the candidate's lengths are twice as large
    """

    requests: bool
    captures: int
    slower: float = 0.0
    longer: bool = False


WORLDS = {
    "equal, 1 capture": (1, 0.0, False),
    "equal, 2 captures": (2, 0.0, False),
    "equal, 3 captures": (3, 0.0, False),
    "equal, 5 captures": (5, 0.0, False),
    "program +5 %, 3 captures": (3, 0.05, False),
    "twice the length, 3 captures": (3, 0.0, True),
}


def _request(tokens: int, us: Any, slower: float) -> Calls:
    calls: Calls = [("aten::embedding", us(200), [[500, 8], [32]])]
    for token in range(tokens):
        for _ in range(2):
            calls += [("aten::mm", us(60), [[8, 8], [8, 8]]), ("aten::gelu", us(25), [[8, 8]])]
            calls += [("aten::add", us(15), [[8, 8], [8, 8]]), ("aten::cat", us(12 + 0.6 * token), [[8 * token + 8]])]
        calls += [("aten::argmax", us(20 + 300 * slower), [[500]])]
    return [*calls, ("", us(150 + 30 * tokens))]


def _batch(length: int, us: Any, slower: float) -> Calls:
    calls: Calls = [("aten::embedding", us(40 + length), [[500, 8], [4, length]])]
    for _ in range(6):
        calls += [("aten::mm", us(30 + 4 * length), [[4 * length, 8], [8, 8]])]
        calls += [("aten::gelu", us(30 + 2 * length + 9.5 * length * slower), [[4, length, 8]])]
        calls += [("aten::bmm", us(20 + 0.02 * length**2), [[4, length, 8], [4, 8, length]])]
        calls += [("aten::add", us(20 + length), [[4, length, 8]])]
    return [*calls, ("", us(150 + 2 * length))]


def headline(of: LengthWorld, seed: int) -> Headline:
    """Verdict on one pair of runs. A call varies by 8 %, and 1 of 250 is interrupted for 0.2 to 3 ms."""
    noise = random.Random(seed)

    def drawn(slower: float, longer: bool, pace: float) -> Calls:
        def us(usual: float) -> float:
            late = noise.uniform(200, 3000) if noise.random() < 0.004 else 0.0
            return round(usual * pace * noise.lognormvariate(0, 0.08) + late, 1)

        low, high = (4, 24) if of.requests else (16, 160)
        length = noise.randint(low, high) * (2 if longer else 1)
        return (_request if of.requests else _batch)(length, us, slower)

    sides = []
    for side in (0, 1):
        captures = []
        for number in range(of.captures):
            pace = noise.lognormvariate(0, 0.2)
            steps = [drawn(of.slower * side, of.longer and side == 1, pace) for _ in range(STEPS)]
            captures.append(capture(sequence(steps), str(2 * number + (number + side) % 2)))
        sides.append(pool(captures))
    return judge_summaries(sides[0], sides[1], OPTIONS).headline


def row(of: LengthWorld, pairs: int) -> str:
    """Cells of the table: directions of the program, the amount, the machine and the step as recorded, in per cent of
    all pairs, and the middle widths of the intervals."""
    found = [headline(of, seed) for seed in range(pairs)]
    cells = [
        f"{100 * sum(one.basis is basis and one.verdict.way != 0 for one in found) / pairs:.0f}"
        for basis in (Basis.PROGRAM, Basis.AMOUNT, Basis.MACHINE, Basis.RECORDED)
    ]
    recorded = [one.recorded for one in found if one.recorded is not None]
    spans = [np.log1p(one.high or 0.0) - np.log1p(one.low or 0.0) for one in recorded]
    parts = [np.log1p(one.program.high) - np.log1p(one.program.low) for one in found if one.program is not None]
    return " | ".join([*cells, f"{50 * float(np.median(spans)):.1f}", f"{50 * float(np.median(parts)):.1f}"])


PAIRS = 40


def length_tables() -> str:
    """The table of rates.md; minutes."""
    lines = [
        "| | program | amount | machine | as recorded | ± recorded, % | ± program, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for requests, kind in ((True, "requests"), (False, "batches")):
        for name, (captures, slower, longer) in WORLDS.items():
            lines.append(f"| {kind}: {name} | {row(LengthWorld(requests, captures, slower, longer), PAIRS)} |")
    return "\n".join(lines) + "\n"
