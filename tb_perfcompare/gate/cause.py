"""The gate on causes: has a rule found a cause that makes the step longer?"""

from __future__ import annotations

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding, is_sure
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import PerfCompareError, choices
from tb_perfcompare.gate.limits import is_limit
from tb_perfcompare.gate.outcome import Outcome, Status


def no_cause(comparison: Comparison, rule: str) -> Outcome:
    """Decides whether a rule has found a cause. The comparison must have all its findings.

    Tripped: a finding is certain and makes the step longer, or is not about time. Cannot tell: all such findings are
    uncertain, the verdict is withheld, or the rule does not apply to such runs. Else passed."""
    from tb_perfcompare.comparison.causes.rules import why_silent

    verdict = comparison.headline.verdict
    findings = [
        finding
        for finding in comparison.findings
        if finding.rule == rule and (finding.delta_us is None or finding.delta_us > 0)
    ]

    def outcome(status: Status, sentence: str, finding: Finding | None = None) -> Outcome:
        return Outcome(rule, "none", status, finding.sentence if finding is not None else "none found", sentence)

    if verdict is Verdict.WITHHELD:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {comparison.headline.reason}")
    certain = [finding for finding in findings if is_sure(finding)]
    if certain:
        return outcome(Status.TRIPPED, f"{rule}: {certain[0].sentence}", certain[0])
    if findings:
        sentence = f"cannot tell about {rule}: {findings[0].sentence.rstrip('.')}; {findings[0].confidence}"
        return outcome(Status.CANNOT_TELL, sentence, findings[0])
    silent = why_silent(rule, comparison)
    if silent:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {silent}")
    return outcome(Status.PASSED, f"{rule} was not found")


def checked_rule(name: str) -> str:
    """Returns the name. Raises PerfCompareError for an unknown rule."""
    from tb_perfcompare.comparison.causes.rules import RULE_NAMES

    if name not in RULE_NAMES:
        limit = "a limit of the step time is --fail-if-slower; " if is_limit(name) else ""
        raise PerfCompareError(f"there is no rule {name!r}", hint=limit + choices(name, RULE_NAMES, len(RULE_NAMES)))
    return name
