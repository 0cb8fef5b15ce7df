"""Registers of kernels, which tell whether a kernel was compiled with other constants."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import LAUNCHES
from tb_perfcompare.model.summary.summary import Summary


def compiled_otherwise(context: RuleContext) -> dict[str, tuple[int, int]]:
    """Kernel of both sides -> its registers per thread, if no launch of one side has as many as one of the other: then
    it was compiled with other constants, such as the size of its tile, and its threads do more or less work each."""
    baseline, candidate = map(_registers, context.sides)
    both = {name: (before, candidate[name]) for name, before in baseline.items() if name in candidate}
    return {name: (max(one), max(other)) for name, (one, other) in both.items() if not one & other}


def _registers(side: Summary) -> dict[str, set[int]]:
    """Kernel -> registers per thread of its launches."""
    table = side.groups.get(LAUNCHES)
    registers = defaultdict[str, set[int]](set)
    if table is not None and "registers" in table.facts:
        for key, count in zip(table.keys, table.facts["registers"].tolist(), strict=True):
            if np.isfinite(count):
                registers[key[0]].add(round(count))
    return registers
