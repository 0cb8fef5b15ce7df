"""Comparisons of an experiment: after each round, and the report at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Headline, Part, Shift
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import many, verdict_word
from tb_perfcompare.experiment.experiment import Experiment
from tb_perfcompare.experiment.stopping import first_look, is_settled, program_verdict, rounds_needed
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.render.formats import render, render_table
from tb_perfcompare.render.widths import Terminal
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.sources.saved.manifest import Look
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.queries.candidates import (
    Selected,
    candidate_row,
    candidates_dict,
    candidates_table,
    with_adjusted_p,
)
from tb_perfcompare.workspace.workspace import Workspace


class Looks:
    """Compares each candidate with the baseline. The workspace reads the level of each look from the manifest."""

    def __init__(
        self, experiment: Experiment, options: CompareOptions, workspace: Workspace, say: Callable[[str], None],
        report: Reporter,
    ) -> None:  # fmt: skip
        self._experiment = experiment
        self._options = options
        self._workspace = workspace
        self._say = say
        self._progress = report
        self._baseline, *names = [variant.name for variant in experiment.variants]
        self.candidates = tuple(names)

    def of_recording(self, number: int, name: str) -> str:
        """Summarizes one recording: "10 steps, mean 14.4 ms". Raises PerfCompareError if it cannot be read."""
        side = side_from_path(self._experiment.run_directory(name), None, None)
        own = tuple(file for file in side.files if f".{number}.pt.trace." in file.name)
        steps = self._workspace.load(replace(side, files=own), report=self._progress).steps
        mean = f", mean {number_text.time(float(steps.total_ns.mean()) / 1000)}" if len(steps) else ""
        return f"{many(len(steps), 'step')}{mean}"

    def settled(self) -> bool:
        """Compares the recordings so far, reports the results, and returns whether all candidates are settled."""
        manifest = self._experiment.manifest
        rounds, first = manifest.rounds(), first_look(manifest.most_rounds)
        if rounds < first:
            if rounds == 1:
                self._say(f"round 1  first comparison after round {first}")
            return False
        headlines = [self._compared(name).headline for name in self.candidates]
        for name, headline in zip(self.candidates, headlines, strict=True):
            prefix = "" if len(self.candidates) == 1 else f"{name}: "
            self._say(f"round {rounds}  {prefix}{self._sentence(headline, rounds)}")
            self._keep(name, headline, rounds)
        self._experiment.save()
        return all(is_settled(headline, rounds) for headline in headlines)

    def report(self, form: str, top: int | None, terminal: Terminal | None) -> bytes:
        """Returns the report of `diff` for one candidate, the table of `verdicts` for several."""
        if len(self.candidates) == 1:
            return render(self._compared(self.candidates[0]), form, top=top, terminal=terminal)
        rows = tuple(
            candidate_row(self._workspace, Selected(name), self.request(name), self._progress)
            for name in self.candidates
        )
        adjusted = with_adjusted_p(rows, self._options.alpha)
        if form == "json":
            return json_document(candidates_dict(adjusted))
        alpha = number_text.setting(self._experiment.manifest.alpha)
        note = f"if no candidate really differed, at most {alpha} of such experiments would show a difference"
        return render_table(replace(candidates_table(adjusted, self._baseline), notes=(note,)), form, terminal=terminal)

    def request(self, name: str) -> ComparisonRequest:
        baseline, candidate = (
            side_from_path(self._experiment.run_directory(each), None, None) for each in (self._baseline, name)
        )
        return ComparisonRequest(baseline, candidate, self._options)

    def _compared(self, name: str) -> Comparison:
        return self._workspace.compare(self.request(name), self._progress)

    def _sentence(self, headline: Headline, rounds: int) -> str:
        shown = _interval(headline)
        level = number_text.setting(1 - self._experiment.manifest.level)
        sentence = f"{shown}, {level} CI: {verdict_word(program_verdict(headline))}" if shown else headline.reason
        return sentence if is_settled(headline, rounds) else sentence + self._forecast(headline, rounds)

    def _forecast(self, headline: Headline, rounds: int) -> str:
        most = self._experiment.manifest.most_rounds
        needed = rounds_needed(headline)
        if rounds >= most or needed is None:
            return ""
        more = max(needed - rounds, 1)
        forecast = f"; about {many(more, 'more round')}"
        return forecast if rounds + more <= most else f"{forecast}, the plan has {most - rounds}"

    def _keep(self, name: str, headline: Headline, rounds: int) -> None:
        manifest = self._experiment.manifest
        part = _part(headline)
        manifest.looks[:] = [look for look in manifest.looks if (look.round, look.variant) != (rounds, name)]
        manifest.looks.append(Look(
            rounds, name, headline.verdict.value, manifest.level, *(
                (None, None, None) if part is None else (part.estimate, part.low, part.high)
            )
        ))  # fmt: skip


def _part(headline: Headline) -> Part | Shift | None:
    """Returns the program's change if it is separated from the machine's, else the change of recorded times."""
    if headline.program is not None:
        return headline.program
    return headline.shift if headline.shift is not None and headline.shift.level is not None else None


def _interval(headline: Headline) -> str:
    part = _part(headline)
    if part is None:
        return ""
    what = "step" if headline.program is None else "program"
    return "{} {} [{}, {}]".format(what, *number_text.change_and_ends(part.estimate, part.low, part.high))
