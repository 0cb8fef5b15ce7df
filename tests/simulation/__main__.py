"""Writes the measured rates into the documents; with `parts` those of program and machine alone."""

from __future__ import annotations

import sys

from tests.simulation.document import write, write_parts

if __name__ == "__main__":
    write_parts() if sys.argv[1:] == ["parts"] else write()
