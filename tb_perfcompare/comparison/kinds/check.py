"""Do both sides make the same kinds of iterations equally often?"""

from __future__ import annotations

from tb_perfcompare.comparison.kinds.split import MixSplit
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import percent_text, signed_time


def mix_check(split: MixSplit, margin: float, *, directed: bool) -> Check:
    """Fails where a direction of the verdict comes from the mix: without its change there would be none, or the other.

    margin    the threshold of the verdict, as a fraction of the step
    directed  whether the verdict is slower or faster
    """
    time, mix = int(split.time_ns.sum()), int(split.mix_ns.sum())
    detail = mix_text(split)
    least = margin * split.mean_ns
    if abs(mix) < least:
        return Check("iteration_mix", "ok", detail)
    if directed and (abs(time) < least or (time > 0) != (split.total_ns > 0)):
        return Check("iteration_mix", "fail", f"the mix of iterations changed: {detail}", ("verdict",))
    return Check("iteration_mix", "warn", f"the mix of iterations changed: {detail}", ("verdict",))


def mix_text(split: MixSplit) -> str:
    """Both effects, and the kind whose share changed most: "... by mix alone −2.10 ms (decode 67.0 % → 83.0 %)"."""
    time, mix = int(split.time_ns.sum()), int(split.mix_ns.sum())
    share = [[len(own) for own in side] for side in (split.baseline, split.candidate)]
    shares = [[count / sum(side) for count in side] for side in share]
    moved = max(range(len(split.kinds)), key=lambda at: abs(shares[1][at] - shares[0][at]))
    before, after = (percent_text(side[moved]) for side in shares)
    which = f" ({split.kinds[moved]} {before} → {after})" if mix else ""
    by_time = percent_text(time / split.mean_ns, signed=True)
    return (
        f"at the baseline's mix of iterations {signed_time(time / 1000)} ({by_time}); "
        f"by mix alone {signed_time(mix / 1000)}{which}"
    )
