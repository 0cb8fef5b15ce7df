"""Writes the measured rates into the documents; with `parts` those of program and machine alone, with `sequential`
those of experiments that look after each round, with `mixes` those of several kinds of iterations, with `lengths` those
of steps of random length."""

from __future__ import annotations

import os
import sys

os.environ["TB_PERFCOMPARE_THOROUGH"] = "1"  # the documents show everything that is drawn, the suite draws a sample

from tests.simulation.document import write, write_lengths, write_looks, write_mixes, write_parts

ALONE = {"parts": write_parts, "sequential": write_looks, "mixes": write_mixes, "lengths": write_lengths}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        ALONE[name]()
    if not sys.argv[1:]:
        write()
