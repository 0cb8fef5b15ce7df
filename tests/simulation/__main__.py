"""Writes the measured rates into the documents."""

from __future__ import annotations

from tests.simulation.document import write

if __name__ == "__main__":
    write()
