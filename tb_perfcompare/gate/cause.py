"""The gate on causes: has a rule found one that makes the step longer?"""

from __future__ import annotations

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding, is_sure
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import PerfCompareError, choices
from tb_perfcompare.gate.limits import is_limit
from tb_perfcompare.gate.outcome import Outcome, Status


def no_cause(comparison: Comparison, rule: str) -> Outcome:
    """Tripped: a finding of the rule is there, it makes the step longer (or is about no time), and it is sure. Cannot
    tell: it is not sure, the verdict is withheld, or the rule has nothing to say about such runs. Else: passed. The
    comparison has to have all findings there are."""
    from tb_perfcompare.comparison.causes.rules import why_silent

    verdict = comparison.headline.verdict
    found = [one for one in comparison.findings if one.rule == rule and (one.delta_us is None or one.delta_us > 0)]

    def outcome(status: Status, sentence: str, finding: Finding | None = None) -> Outcome:
        return Outcome(rule, "none", status, finding.sentence if finding is not None else "none found", sentence)

    if verdict is Verdict.WITHHELD:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {comparison.headline.reason}")
    sure = [one for one in found if is_sure(one)]
    if sure:
        return outcome(Status.TRIPPED, f"{rule}: {sure[0].sentence}", sure[0])
    if found:
        sentence = f"cannot tell about {rule}: {found[0].sentence.rstrip('.')}; {found[0].confidence}"
        return outcome(Status.CANNOT_TELL, sentence, found[0])
    silent = why_silent(rule, comparison)
    if silent:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {silent}")
    return outcome(Status.PASSED, f"{rule} was not found")


def checked_rule(name: str) -> str:
    """The name; raises PerfCompareError for a rule there is not."""
    from tb_perfcompare.comparison.causes.rules import RULE_NAMES

    if name not in RULE_NAMES:
        limit = "a limit of the step time is --fail-if-slower; " if is_limit(name) else ""
        raise PerfCompareError(f"there is no rule {name!r}", hint=limit + choices(name, RULE_NAMES, len(RULE_NAMES)))
    return name
