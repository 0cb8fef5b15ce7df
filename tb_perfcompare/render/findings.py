"""Lists of findings, and of what could settle an open verdict."""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.headline import Alternative, Verdict
from tb_perfcompare.comparison.result.wording import verdict_word
from tb_perfcompare.render.blocks import Listing, Paragraph
from tb_perfcompare.render.printable import printable

REPORT_TABLES = ("ranks", "operators", "kernels", "functions", "counters")
"""Tables whose first rows a report shows."""

_FINDINGS_SHOWN = 8
_FINDINGS_OPEN = 5
"""Number of findings that a page shows unfolded, as in the tab."""
_OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.WITHHELD})


def listed_findings(findings: tuple[Finding, ...], titles: Mapping[str, str] | None) -> Listing:
    """Lists the findings with their sizes, confidence, tables that the report lacks, and advice, once: on a page all of
    them, with `titles` of tables by name; in text the first _FINDINGS_SHOWN."""
    items: list[tuple[str, str]] = []
    advice = {""}
    for finding in findings[:_FINDINGS_SHOWN] if titles is None else findings:
        size = "" if finding.delta_us is None else number_text.time(finding.delta_us, signed=True)
        parts = [size] if size and size not in finding.sentence else []
        if finding.share is not None:
            parts.append(number_text.of_the_change(finding.share))
        parts.append(finding.confidence)
        table = finding.evidence[0].table if finding.evidence else ""
        if table not in ("", "categories", *REPORT_TABLES):
            parts.append(f"see {(titles or {}).get(table, table)}")
        if finding.look_at not in advice:
            advice.add(finding.look_at)
            parts.append(f"look at: {finding.look_at}")
        items.append((printable(finding.sentence), printable(" · ".join(parts))))
    return Listing(tuple(items), numbered=True, open=None if titles is None else _FINDINGS_OPEN)


def unexplained(comparison: Comparison) -> list[Paragraph]:
    """Sentence on what no finding explains of the change, or what offsets findings that explain more."""
    rest_us = comparison.unexplained_us
    if rest_us is None:
        return []
    share = number_text.of_the_change(rest_us / comparison.delta_us)
    return [Paragraph(f"Not explained: {number_text.time(rest_us, signed=True)} ({share}).")]


def listed_alternatives(alternatives: tuple[Alternative, ...], is_page: bool) -> Listing:
    """Lists alternatives such as "--steps 3-9: Slower: ...", with what the arguments do as detail. Without arguments,
    and on a page, what they do comes first. Alternatives that are new recordings have no verdict yet. Choices of
    steps that leave the verdict open are named only next to others that settle it."""
    items, still_open, settles = [], [], False
    for alternative in alternatives:
        what = f"{alternative.what[0].upper()}{alternative.what[1:]}"
        by_option = bool(alternative.arguments) and not is_page
        if alternative.verdict is None:
            items.append((f"{what}.", ""))
        elif alternative.verdict in _OPEN and alternative.arguments:
            still_open.append(alternative.arguments if by_option else alternative.what)
        else:
            settles |= bool(alternative.arguments)
            lead, detail = (alternative.arguments, alternative.what) if by_option else (what, "")
            # a verdict on captures of one side says nothing, what they have in common does
            is_of_one_side = alternative.rule == "captures_apart" and alternative.verdict is Verdict.INCONCLUSIVE
            word = f"{verdict_word(Verdict.INCONCLUSIVE)}: " if is_of_one_side else ""
            items.append((f"{lead}: {printable(alternative.sentence.removeprefix(word))}", detail))
    if settles and still_open:
        items.append((f"Still open: {', '.join(still_open)}.", ""))
    return Listing(tuple(items))
