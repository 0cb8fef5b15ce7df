"""Peak memory of reading and of all tables, above the imports, against the size of the JSON text."""

from __future__ import annotations

from benchmarks.figures import Goal, Section, Verdict, median, table
from benchmarks.generated import Load
from benchmarks.inputs import Input
from benchmarks.rounds import Rounds, Task, measure
from benchmarks.setting import HTA, TBP, Setting

NAME = "peak_memory"
_READ, _TABLES, _JSON = "read", "tables", "json.loads"
READ_SHARE, READ_MB = 0.25, 30
TABLES_SHARE, TABLES_MB = 0.40, 40
"""Most memory: so much of the JSON text, and so many MB."""


def run(setting: Setting) -> Section:
    """Usual traces and such with python functions; peers up to where their memory is reasonable."""
    section = Section(NAME)
    rows = []
    sizes = (100,) if setting.quick else (100, 500, 2000) if setting.full else (100, 500)
    for size in sizes:
        for kind, frames in (("CPU and GPU", 0), ("with_stack", 12)):
            one = setting.inputs.generated(f"{kind}, {size} MB", Load(setting.size(size), frames=frames))
            found = _measure(setting, one, size, peers=size == 100 and not frames)
            raw = found.found(_READ)["bytes"]
            read, tables = (found.of(key, "above_imports_bytes") for key in (_READ, _TABLES))
            section.verdicts += [
                _verdict(f"{one.title}: read", read, raw, READ_SHARE, READ_MB),
                _verdict(f"{one.title}: tables", tables, raw, TABLES_SHARE, TABLES_MB),
            ]
            rows.append(_row(one, found, raw))
    section.parts.append(
        table(["trace", "JSON MB", "events", "read MB", "of JSON", "bytes per event", "tables MB", "of JSON",
               f"{_JSON} MB", "of JSON", f"{TBP} MB", f"{HTA} MB"], rows)
    )  # fmt: skip
    section.notes.append("MB above the imports at the peak; the median of the rounds.")
    if not setting.full:
        section.notes.append("2 GB traces are measured with --full.")
    return section


def _measure(setting: Setting, one: Input, size: int, *, peers: bool) -> Rounds:
    path = str(one.path)
    tasks = [Task(_READ, "our_work.read", (path,)), Task(_TABLES, "our_work.tables", (path,))]
    if size <= 500:
        tasks.append(Task(_JSON, "peer_work.json_loads", (path,)))
    if peers:
        tasks += [task for name in (TBP, HTA) if (task := setting.peers.task(name, path))]
    return measure(tasks, setting.rounds, _READ)


def _verdict(figure: str, peaks: list[float], raw: int, share: float, extra_mb: float) -> Verdict:
    allowed = round(share * raw / 1e6 + extra_mb)
    goal = Goal(allowed, at_most=True, unit=" MB")
    return Verdict(figure, [peak / 1e6 for peak in peaks], goal, digits=0, more=f" ({share:g} × JSON + {extra_mb} MB)")


def _row(one: Input, found: Rounds, raw: int) -> list[str]:
    def mb(key: str) -> str:
        return median(found.of(key, "above_imports_bytes"), 0, 1e-6)

    def share(key: str) -> str:
        return median(found.of(key, "above_imports_bytes"), 2, 1 / raw)

    events = found.found(_READ)["events"]
    per_event = median(found.of(_READ, "above_imports_bytes"), 0, 1 / events)
    return [one.title, f"{raw / 1e6:.0f}", f"{events:,}", mb(_READ), share(_READ), per_event, mb(_TABLES),
            share(_TABLES), mb(_JSON), share(_JSON), mb(TBP), mb(HTA)]  # fmt: skip
