"""An experiment's comparisons: after each round, and the report at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Headline, Part, Shift
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import many, verdict_word
from tb_perfcompare.experiment.experiment import Experiment
from tb_perfcompare.experiment.manifest import Look
from tb_perfcompare.experiment.stopping import Plan, is_settled, rounds_needed, word
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.render.formats import render, render_table
from tb_perfcompare.render.widths import Terminal
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.workspace.inputs.comparison_request import ComparisonRequest
from tb_perfcompare.workspace.listing.index import side_from_path
from tb_perfcompare.workspace.queries.candidate_responses import candidates_dict, candidates_table
from tb_perfcompare.workspace.queries.candidates import Candidate, with_adjusted_p
from tb_perfcompare.workspace.workspace import Workspace


class Looks:
    """Compares each candidate with the baseline, at the level that the plan leaves for this look."""

    def __init__(
        self, made: Experiment, plan: Plan, options: CompareOptions, workspace: Workspace, say: Callable[[str], None],
        report: Reporter,
    ) -> None:  # fmt: skip
        self._made = made
        self._plan = plan
        self._options = options
        self._workspace = workspace
        self._say = say
        self._progress = report
        self._baseline, *names = [variant.name for variant in made.variants]
        self.candidates = tuple(names)

    def of_recording(self, number: int, name: str) -> str:
        """ "10 steps, mean 14.4 ms" of one recording. Raises PerfCompareError where it cannot be read."""
        path = self._made.run_directory(name)
        side = side_from_path(path, None, None)
        own = tuple(file for file in side.files if f".{number}.pt.trace." in file.name)
        steps = self._workspace.load(replace(side, files=own), report=self._progress).steps
        mean = f", mean {number_text.time(float(steps.total_ns.mean()) / 1000)}" if len(steps) else ""
        return f"{many(len(steps), 'step')}{mean}"

    def after(self, rounds: int) -> bool:
        """Compares, says what is known now, and whether all candidates are settled."""
        if rounds < self._plan.first:
            self._say(f"round {rounds}  first comparison after round {self._plan.first}")
            return False
        headlines = [self._compared(name, rounds).headline for name in self.candidates]
        for name, headline in zip(self.candidates, headlines, strict=True):
            said = "" if len(self.candidates) == 1 else f"{name}: "
            self._say(f"round {rounds}  {said}{self._sentence(headline, rounds)}")
            self._keep(name, headline, rounds)
        self._made.save()
        return all(is_settled(headline) for headline in headlines)

    def report(self, form: str, top: int | None, terminal: Terminal | None) -> bytes:
        """The report of `diff` for one candidate, the table of `verdicts` for several."""
        rounds = self._made.manifest.rounds()
        if len(self.candidates) == 1:
            return render(self._compared(self.candidates[0], rounds), form, top=top, terminal=terminal)
        rows = tuple(
            self._workspace.candidates.row(Candidate(name), self.request(name, rounds), self._progress)
            for name in self.candidates
        )
        # each pair's level is its share of this one already
        found = with_adjusted_p(rows, min(self._plan.level(rounds) * len(rows), self._plan.alpha))
        if form == "json":
            return wire.encode(candidates_dict(found), indent=2) + b"\n"
        return render_table(candidates_table(found, self._baseline), form, terminal=terminal)

    def _compared(self, name: str, rounds: int) -> Comparison:
        return self._workspace.compare(self.request(name, rounds), self._progress)

    def request(self, name: str, rounds: int) -> ComparisonRequest:
        """What is asked of a candidate after so many rounds."""
        options = replace(self._options, alpha=self._plan.level(rounds))
        baseline, candidate = (
            side_from_path(self._made.run_directory(each), None, None) for each in (self._baseline, name)
        )
        return ComparisonRequest(baseline, candidate, options)

    def _sentence(self, headline: Headline, rounds: int) -> str:
        shown = _interval(headline)
        level = number_text.percent(1 - self._plan.level(rounds))
        said = f"{shown}, {level} CI: {verdict_word(word(headline))}" if shown else headline.reason
        return said if is_settled(headline) else said + self._forecast(headline, rounds)

    def _forecast(self, headline: Headline, rounds: int) -> str:
        if rounds >= self._plan.most:
            return ""
        needed = rounds_needed(headline)
        if needed is None:
            return ""
        more = max(needed - rounds, 1)
        said = f"; about {more} more round{'s' * (more != 1)}"
        return said if rounds + more <= self._plan.most else f"{said}, the plan has {self._plan.most - rounds}"

    def _keep(self, name: str, headline: Headline, rounds: int) -> None:
        part = _part(headline)
        looks = self._made.manifest.looks
        looks[:] = [one for one in looks if (one.round, one.variant) != (rounds, name)]
        looks.append(Look(
            rounds, name, headline.verdict.value, self._plan.level(rounds), *(
                (None, None, None) if part is None else (part.estimate, part.low, part.high)
            )
        ))  # fmt: skip


def _part(headline: Headline) -> Part | Shift | None:
    """The program's change, else that of the times as recorded."""
    if headline.program is not None:
        return headline.program
    return headline.shift if headline.shift is not None and headline.shift.level is not None else None


def _interval(headline: Headline) -> str:
    part = _part(headline)
    if part is None:
        return ""
    what = "step" if headline.program is None else "program"
    low, high = number_text.percent(part.low, signed=True), number_text.percent(part.high, signed=True)
    return f"{what} {number_text.percent(part.estimate, signed=True)} [{low}, {high}]"

