"""Writes measured rates into tests/simulation/rates.md: steps, rows, drift and parts, or the named tables."""

from __future__ import annotations

import argparse
import os

os.environ["TB_PERFCOMPARE_THOROUGH"] = "1"  # the page shows everything that is drawn, the suite draws a sample

from tests.simulation.document import SAMPLED, TABLES, write

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"only these tables ({', '.join(TABLES)})")
    named = parser.parse_args().tables
    if unknown := [name for name in named if name not in TABLES]:
        parser.error(f"no such table: {', '.join(unknown)}")
    write(named or [*SAMPLED, "parts"])
