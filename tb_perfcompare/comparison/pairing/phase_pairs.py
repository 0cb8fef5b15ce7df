"""Pairs per-cycle tables of one case whose names differ in the phase: a recording of both phases and one of decoding.

Only names are used: a run is below `normal_perf_data` or `abnormal_perf_data`, and its worker has the name of the
table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tb_perfcompare.model.phases import ABNORMAL, MOST_CHOICES, NORMAL, partners_of

_FILE = (".csv", ".csv.gz")

Place = tuple[tuple[str, ...], tuple[str, ...]]
"""Folders above and below the folder of the side."""


def phase_pairs(runs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yields (normal run, abnormal run, reason) for (run, table) in the order of `runs`; no run twice, and tables
    with the same name are paired first."""
    abnormal = {(place, table): run for place, table, run in reversed(list(_tables(runs, ABNORMAL)))}
    normal = list(_tables(runs, NORMAL))
    taken: set[str] = set()
    for choice in range(MOST_CHOICES):
        for place, table, run in normal:
            partner = _choice(abnormal, place, table, choice)
            if partner is None or run in taken or partner[0] in taken:
                continue
            taken |= {run, partner[0]}
            other = partner[1]
            same = (
                f"the tables {table}" if other == table else f"the table {table} with {other}, as no table has its name"
            )
            yield run, partner[0], f"{same}, in {NORMAL} and {ABNORMAL} of one case"


def _choice(abnormal: Mapping[tuple[Place, str], str], place: Place, table: str, choice: int) -> tuple[str, str] | None:
    """(run, table) of the partner with the choice-th possible name, None if there is none."""
    names = list(partners_of(table))
    if choice >= len(names) or (place, names[choice]) not in abnormal:
        return None
    return abnormal[place, names[choice]], names[choice]


def _tables(runs: Sequence[tuple[str, str]], side: str) -> Iterator[tuple[Place, str, str]]:
    """Yields (place, table, run) of every run in a folder of that side."""
    for run, table in runs:
        parts = run.split("/")
        if side in parts:
            at = parts.index(side)
            below = parts[at + 1 :]
            folders = below[:-1] if below and below[-1].endswith(_FILE) else below
            yield (tuple(parts[:at]), tuple(folders)), table, run
