"""Fuzzes every reader and route.

    python -m tests.fuzz.readers                       all targets, a minute each
    python -m tests.fuzz.readers --seconds 600 --target trace --target ncu
    python -m tests.fuzz.readers --blind               mutations from a seed, even where atheris is installed
    python -m tests.fuzz.readers --minimize FILE --target trace
    python -m tests.fuzz.readers --write               also writes the results into docs/internals/reliability.md

With atheris (`pip install -e '.[fuzz]'`) mutations that reach new code are kept. Inputs that break a law are left in
the directory of --keep with their tracebacks. Exit status 1: a law was broken.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from tests.fuzz.readers import guided, minimize, table
from tests.fuzz.readers.corpus import TARGETS
from tests.fuzz.readers.driver import Tally, keep, run
from tests.fuzz.readers.law import Outcome, bound_memory


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.readers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--seconds", type=float, default=60, help="per target")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this target; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations")
    parser.add_argument("--blind", action="store_true", help="not guided by coverage")
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz_findings"), help="directory for inputs that break a law"
    )
    parser.add_argument("--minimize", type=Path, help="minimize this input while it breaks the same law")
    parser.add_argument("--write", action="store_true", help="write the results into docs/internals/reliability.md")
    chosen = parser.parse_args()
    names = chosen.target or list(TARGETS)
    if chosen.minimize:
        return minimize.command(TARGETS[names[0]], chosen.minimize)
    is_guided = not chosen.blind and importlib.util.find_spec("atheris") is not None
    if not is_guided:
        bound_memory()
    rows = []
    for name in names:
        if is_guided:
            row = guided.run(name, chosen.seconds, chosen.seed, chosen.keep / name)
        else:
            row = _blind(run(TARGETS[name], seconds=chosen.seconds, seed=chosen.seed), chosen.keep / name)
        rows.append(row)
        print(table.line(row), flush=True)
        for failure in row.failures:
            print(f"    {failure}", flush=True)
    text = table.markdown(rows)
    print(text)
    if chosen.write:
        table.write(text)
    return int(any(row.failures for row in rows))


def _blind(tally: Tally, folder: Path) -> table.Row:
    failures = [f"{keep(failure, folder)}: {where}: {failure.error[:200]}" for where, failure in tally.failures.items()]
    outcomes = tally.outcomes
    return table.Row(tally.target, tally.inputs, outcomes[Outcome.READ], outcomes[Outcome.REFUSED], tally.seconds,
                     tally.slowest_s, None, failures)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
