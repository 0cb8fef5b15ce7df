"""Programs with which no rule was developed: is each change found and named?

python -m tests.planted.recorded.unseen OUT [--change NAME ...] [--judge-only]      needs torch

Nine small programs, 57 changes and 18 equal pairs; three recordings per side, alternately. Changes and expected
findings were fixed before any result was read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from tests.planted.recorded.everyday import Change, Direction, run


@dataclass(frozen=True, slots=True)
class Program:
    """A program of unseen_training.py, how it differs from the ordinary one, and weight updates per step."""

    model: str
    habits: frozenset[str] = frozenset()
    updates: int = 1


def _change(model: str, habit: str, direction: Direction, says: str = "", before: str = "") -> Change:
    """`says`: globs; the first finding must match one; `before`: how the baseline differs."""
    both = frozenset({"no shapes"} & {habit})
    one, other = (frozenset(filter(None, [what])) | both for what in (before, habit))
    updates = (4, 8 if habit == "more updates" else 4) if model == "policy" else (1, 1)
    name = f"{model}, {habit or f'not {before}'}"
    return Change(
        name, Program(model, one, updates[0]), Program(model, other, updates[1]), direction, tuple(says.split())
    )


CHANGES: tuple[Change, ...] = (
    _change("autoencoder", "upsample", "any", "*upsample* *conv_transpose* *convolution*"),
    _change("autoencoder", "batch", "slower", "workload_changed"),
    _change("autoencoder", "permuted", "any", "*copy* *clone* *contiguous* layout_copies *conv*"),
    _change("autoencoder", "denormal", "any"),
    _change("autoencoder", "l1", "any", "*l1* *binary_cross* *abs* *sgn* *sub*"),
    _change("autoencoder", "l2", "slower", "*pow* *sum*"),
    _change("autoencoder", "double", "slower", "data_type_changed"),
    _change("autoencoder", "bfloat16", "any", "data_type_changed"),
    _change("recommender", "wide", "slower", "workload_changed"),
    _change("recommender", "rows", "slower", "workload_changed *embedding* *zero* *add_* *foreach*"),
    _change("recommender", "tables", "slower", "more_calls workload_changed"),
    _change("recommender", "sparse", "any", "*sparse* *embedding* *coalesce* more_calls *index* *unique*"),
    _change("recommender", "from lists", "slower", "unrecorded_time *tensor* *to*"),
    _change("language", "rms", "any", "*layer_norm* *rsqrt* *pow* *mean*"),
    _change("language", "gated", "slower", "*silu* *gelu* more_calls *linear* *mul*"),
    _change("language", "rotary", "slower", "*cos* *sin* *cat* *mul* *chunk* *split* *pow*"),
    _change("language", "mask", "any", "*tril* *ones* *attention* *where* *mask*"),
    _change("language", "vocabulary", "slower", "workload_changed"),
    _change("language", "longer", "slower", "workload_changed"),
    _change("language", "checkpointing", "slower", "recomputation"),
    _change("language", "smoothing", "any", "*smooth* *sum* *log_softmax* *nll* *mean* *add* *mul* *neg* *masked*"),
    _change("language", "tied", "any"),
    _change("language", "adam", "slower", "*adam* *addcdiv* *lerp* *sqrt* *foreach* more_calls"),
    _change("language", "fused adam", "faster", "*adam* *addcdiv* *lerp* *sqrt* *foreach* fewer_calls", before="adam"),
    _change("language", "norms", "slower", "*norm* *item* *scalar*"),
    _change("language", "nan check", "slower", "*isnan* *any* *ne* *scalar* *nonzero*"),
    _change("language", "frozen", "faster", "fewer_calls *mm* *backward* *sum* *accumulate*"),
    _change("language", "memory", "any"),
    _change("graph", "edges", "slower", "workload_changed"),
    _change("graph", "", "any", "*index* operator_slower", before="sorted"),
    _change("graph", "scatter", "any", "*scatter* *index_add* *gather*"),
    _change("graph", "mean", "slower", "*index_add* *div* *clamp* *ones* more_calls"),
    _change("graph", "indexed", "any", "*index*"),
    _change("denoiser", "gelu", "any", "*silu* *gelu*"),
    _change("denoiser", "attention", "slower", "*attention* *softmax* *bmm* *mm* *linear* *addmm*"),
    _change("denoiser", "bilinear", "any", "*upsample*"),
    _change("denoiser", "double noise", "any", "*normal_* *randn* data_type_changed *to* *copy_*"),
    _change("policy", "more updates", "slower", "more_calls"),
    _change("policy", "validate", "slower", "*all* *ge* *le* *scalar* *nonzero* *and* *eq* *ne* *sub* *abs*"),
    _change("policy", "entropy", "slower", "*clamp* *sum* *mul* *neg* more_calls *exp* *softmax*"),
    _change("policy", "python", "slower", "unrecorded_time"),
    _change("policy", "collection", "slower", "unrecorded_time"),
    _change("policy", "saved", "slower", "unrecorded_time *clone* *detach*"),
    _change("towers", "cdist", "any", "*cdist* *euclid* *mm* *cat* *pow* *sqrt* *clamp*"),
    _change("towers", "hardest", "any", "*topk* *cross_entropy* *logsumexp* *log_softmax*"),
    _change("towers", "threads", "any"),
    _change("towers", "noise", "slower", "*normal_* *randn* *empty_like*"),
    _change("towers", "log", "slower", "unrecorded_time"),
    _change("towers", "buffer", "slower", "*zeros* *zero_* *fill_*"),
    _change("served", "training mode", "slower", "*dropout* *batch_norm* *bernoulli*"),
    _change("served", "gradients", "any"),
    _change("served", "inference mode", "any"),
    _change("served", "waits", "slower", "unrecorded_time"),
    _change("served", "softmax", "any", "*softmax*"),
    _change("decoder", "concatenated", "any", "*cat* *copy_* *slice*"),
    _change("decoder", "sampled", "slower", "*multinomial* *softmax* *exponential* *argmax* *div*"),
    _change("decoder", "no shapes", "any", "*cat* *copy_* *slice*", before="concatenated"),
)  # fmt: skip

EQUAL: tuple[Change, ...] = tuple(
    Change(f"equal {model} {number}", Program(model, updates=updates), Program(model, updates=updates), "none")
    for model, updates in dict.fromkeys(
        (change.before.model, change.before.updates) for change in CHANGES
    )
    for number in (1, 2)
)

if __name__ == "__main__":
    sys.exit(run(__doc__ or "", (*CHANGES, *EQUAL), "tests.planted.recorded.unseen_training"))
