"""Time to model the operators' work (FLOPs and bytes from shapes), relative to the time of all other tables."""

from __future__ import annotations

from benchmarks.cases.judging import why_rejected
from benchmarks.figures import Goal, Section, Verdict, median, spread, table
from benchmarks.generated import Load
from benchmarks.inputs import A100, H100, H100_TEXT, KINETO, MI300, MI300_TEXT, NANOSECONDS, Input
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "work_models"
_OURS = "modeled"
_WITH, _WITHOUT = 15, 5


def inputs(setting: Setting) -> list[Input]:
    """Returns recorded traces, or a generated one in a quick run."""
    if setting.quick:
        return [setting.inputs.generated("generated, native", Load(setting.size(100)))]
    return setting.inputs.recorded(KINETO, A100, H100, MI300, H100_TEXT, MI300_TEXT, NANOSECONDS)


def run(setting: Setting) -> Section:
    """Measures every input in a new process, without cached models."""
    section, rows = Section(NAME), []
    for trace in inputs(setting):
        rounds = measure([Task(_OURS, "our_work.modeled", (str(trace.path),))], setting.rounds, _OURS)
        facts = rounds.result(_OURS)
        tables, work = (rounds.figures(_OURS, what, 1000) for what in ("tables", "work"))
        shares = [100 * own / rest for own, rest in zip(work, tables, strict=True)]
        shapes = bool(facts["shapes"])
        rows.append([
            trace.title, f"{facts['events']:,}", "yes" if shapes else "no",
            median(tables, 1), median(work, 2), spread(shares, 1),
        ])  # fmt: skip
        figure = f"work of operators, of the time of all other tables, CPU, {trace.title}"
        goal = Goal(_WITH if shapes else _WITHOUT, at_most=True, unit=" %")
        section.verdicts.append(Verdict(figure, shares, goal, 1, why_rejected([rounds])))
    section.parts.append(table(["input", "events", "shapes", "tables ms", "work ms", "work of tables, %"], rows))
    section.notes.append("Processor time after reading; no call has been modeled before in the process.")
    return section
