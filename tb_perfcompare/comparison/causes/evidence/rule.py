"""Rules: kinds of causes, and what makes a cause of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from math import fsum

from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Explains, Part, Sentence
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import repeatability
from tb_perfcompare.comparison.checks.recordings import written_by_later
from tb_perfcompare.comparison.result.finding import CERTAIN, WITHIN_SPREAD, Evidence, Finding, share_of
from tb_perfcompare.comparison.result.wording import p_text, signed_time
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


class Recorded(Enum):
    """Recordings that a rule applies to."""

    STEPS = "steps of traces, split by category"
    TIMES = "categories of steps or kernels"
    LAUNCHES = "kernel listings"
    CYCLES = "per-cycle tables"
    COUNTERS = "sampled counters"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of cause. Its row in docs/method/findings.md is generated from this.

    names       names of its findings: of a regression, and of the improvement if that has another
    meaning     what happened, in one line
    when        when it is reported
    tables      tables of the comparison: without any of them, it cannot find anything
    look_at     what to look at next; `look_at_gain` if an improvement needs less
    confidence  how sure a finding is; "": how repeatable the change of its category is
    recorded    the recordings it applies to
    find        yields its causes, whatever other rules found
    find_rest   yields its causes in what other causes leave, in turn by `order`; the detector of a rule with neither
                takes something other than a RuleContext
    rank        of two causes of the same time the one with the smaller rank is reported
    same_work   does not apply to sides that do different work
    of_means    its time is a part of the change of the means; the time of single slow steps is not
    of_library  another version of PyTorch may be the cause: `look_at` begins with it if the traces show one
    of_inputs   larger inputs may be the cause: `look_at` begins with their sizes if these are not recorded
    """

    names: tuple[str, ...]
    meaning: str
    when: str = ""
    tables: tuple[str, ...] = ()
    look_at: str = ""
    look_at_gain: str = ""
    confidence: str = ""
    recorded: Recorded = Recorded.STEPS
    find: Callable[[RuleContext], Iterator[Cause]] | None = None
    find_rest: Callable[[RuleContext, Explained], Iterator[Cause]] | None = None
    order: int = 0
    rank: int = 5
    same_work: bool = False
    of_means: bool = True
    of_library: bool = False
    of_inputs: bool = False

    def advice(self, baseline: Summary, candidate: Summary, *, gain: bool) -> str:
        """What to look at; `gain`: the finding is an improvement."""
        plain = (self.look_at_gain if gain else "") or self.look_at
        unknown = self.of_inputs and any("operators_by_shape" not in side.groups for side in (baseline, candidate))
        versions = self.of_library and written_by_later(baseline, candidate)
        return f"{_VERSIONS if versions else ''}{f'{SIZES}, ' if unknown else ''}{plain}".rstrip("; ")


_VERSIONS, SIZES = "the versions of PyTorch; ", "the sizes of inputs (record with record_shapes=True)"
COUNTED = CERTAIN, "likely: "


def cause(
    context: RuleContext,
    rule: Rule,
    subject: str,
    category: str,
    delta_us: float | None,
    sentence: str | Sentence,
    evidence: tuple[Evidence, ...],
    *,
    name: str = "",
    confidence: str = "",
    look_at: str = "",
    explains: Mapping[Part, float] | None = None,
    calls: Mapping[str, float] | None = None,
    counts: Mapping[str, float] | None = None,
    how: str = "",
    includes: tuple[Cause, ...] = (),
    of_the_step: bool = True,
) -> Cause:
    """Builds a cause of a rule that explains `delta_us` of `category`, unless `explains` says otherwise. `name`,
    `confidence` and `look_at` replace the rule's own, which are chosen by the sign of `delta_us`. `of_the_step`:
    `delta_us` is a part of the step's change as recorded."""
    name = name or rule.names[-1 if delta_us is not None and delta_us < 0 else 0]
    confidence = confidence or rule.confidence or category_confidence(context, category)
    share = None if delta_us is None or not of_the_step else share_of(delta_us, context.delta_us)
    if not look_at:
        look_at = rule.advice(*context.sides, gain=name in rule.names[1:])
    if explains is None:
        explains = {(category, ""): delta_us} if delta_us is not None else {}
    text = sentence if isinstance(sentence, str) else sentence(explains)
    finding = Finding(name, subject, category, delta_us, share, text, evidence, confidence, look_at)
    return Cause(
        finding, explains, rule.rank, rule.same_work, None if isinstance(sentence, str) else sentence,
        rule.of_means and of_the_step, calls or {}, counts or {}, how, includes,
    )  # fmt: skip


def change_text(explains: Explains) -> str:
    """The time that a cause explains, in words, with its sign."""
    return signed_time(fsum(explains.values()))


def is_of_another_version(context: RuleContext) -> bool:
    """Whether the traces show different versions of PyTorch, whose operators may run other code."""
    return bool(written_by_later(*context.sides))


def drawn_by_chance(context: RuleContext) -> str:
    """Confidence of more or larger work where steps vary in length at random and their lengths do not clearly differ
    between the sides; "" otherwise."""
    amount = context.headline.amount
    return "" if amount is None or amount.differs else f"{WITHIN_SPREAD} steps' lengths ({p_text(amount.p)})"


def of_categories(explained: Mapping[str, float]) -> dict[Part, float]:
    """Converts explained time by category to parts of whole categories, of no particular entity."""
    return {(category, ""): us for category, us in explained.items()}


def entity_confidence(context: RuleContext, category: str, entity: str, among: int) -> str:
    """How repeatable the change of an entity is, chosen from `among` entities of its category; "" if it is not
    significant."""
    p, apart = context.entity_p(category, entity, among)
    if p is None:
        return category_confidence(context, category)
    clear = apart or p <= context.options.alpha
    return repeatability(p, context.headline.verdict, context.options.alpha, apart=apart) if clear else ""


def category_confidence(context: RuleContext, category: str) -> str:
    """How repeatable the category's change is."""
    return repeatability(
        context.p_values.get(category), context.headline.verdict, context.options.alpha,
        apart=category in context.clear.apart, too_few=category in context.clear.too_few,
        paced=context.paced.get(category),
    )  # fmt: skip
