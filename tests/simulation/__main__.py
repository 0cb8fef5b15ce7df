"""Writes the measured rates into the documents: all of steps of one kind and length, or the named tables."""

from __future__ import annotations

import argparse
import os

os.environ["TB_PERFCOMPARE_THOROUGH"] = "1"  # the documents show everything that is drawn, the suite draws a sample

from tests.simulation.document import write, write_lengths, write_looks, write_mixes, write_parts

ALONE = {
    "parts": (write_parts, "program and machine alone"),
    "sequential": (write_looks, "experiments that look after each round"),
    "mixes": (write_mixes, "several kinds of iterations"),
    "lengths": (write_lengths, "steps of random length"),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    tables = "; ".join(f"{name}: {what}" for name, (_, what) in ALONE.items())
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"only these tables ({tables})")
    named = parser.parse_args().tables
    if unknown := [name for name in named if name not in ALONE]:
        parser.error(f"no such table: {', '.join(unknown)}")
    for write_table in [ALONE[name][0] for name in named] or [write]:
        write_table()
