"""Five more programs, with changes that neither everyday.py nor unseen.py has: is each found and named?

python -m tests.planted.recorded.further OUT [--change NAME ...] [--judge-only]      needs torch and a C++ compiler

34 changes and 14 equal pairs, three of which draw other weights and data and one of which has a busy machine in one
recording; three recordings per side, alternately. Changes and expected findings were fixed before any result was read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from tests.planted.recorded.everyday import Change, Direction, run


@dataclass(frozen=True, slots=True)
class Program:
    """A program of further_training.py, how it differs from the ordinary one, and its seed."""

    model: str
    habits: frozenset[str] = frozenset()
    seed: int = 0


def _change(model: str, habit: str, direction: Direction, says: str = "", before: str = "") -> Change:
    """`says`: globs; the first finding must match one; `before`: how the baseline differs."""
    one, other = (Program(model, frozenset(filter(None, [what]))) for what in (before, habit))
    return Change(f"{model}, {habit}", one, other, direction, tuple(says.split()))


CHANGES: tuple[Change, ...] = (
    _change("vit", "attention weights", "any", "*bmm* *softmax* *attention* *mean*"),
    _change("vit", "mixup", "any", "*randperm* *index* *lerp* *mul* *add*"),
    _change("vit", "stochastic depth", "any", "*bernoulli* *mul* *div* *rand* *empty*"),
    _change("vit", "smaller patches", "slower", "workload_changed"),
    _change("vit", "collate", "slower", "data_loader"),
    _change("vit", "ema every fourth", "any", "slow_steps *lerp*"),
    _change("vit", "math attention", "any", "*bmm* *softmax* *attention* *mul*"),
    _change("vit", "nan to num", "any", "*nan_to_num*"),
    _change("vit", "loss read", "any", "*item* *scalar*"),
    _change("vit", "print repr", "slower",
            "unrecorded_time *item* *scalar* *masked* *isfinite* *abs* *unbind* *select*"),
    _change("gan", "penalty", "slower", "more_calls *conv* *pow* *sum* *mul*"),
    _change("gan", "spectral norm", "slower", "*mv* *norm* *dot* *linalg* *div* more_calls"),
    _change("gan", "critic twice", "slower", "more_calls"),
    _change("gan", "instance norm", "any", "*norm*"),
    _change("gan", "reflect", "any", "*reflection* *pad*"),
    _change("gan", "standardized weights", "slower", "*var* *std* *mean* *sub* *div* *norm*"),
    _change("gan", "compiled critic", "any", "compilation_gained"),
    _change("moe", "more experts", "slower", "more_calls"),
    _change("moe", "two a token", "slower", "workload_changed more_calls *topk* *index*"),
    _change("moe", "dense", "slower", "workload_changed *index* *nonzero* *mul* *mm*"),
    _change("moe", "foreach off", "any", "more_calls *adam* *foreach* *addcmul* *lerp* *sqrt* *add* *mul*"),
    _change("moe", "hooks", "slower", "*clamp* *mul* *norm* *clone* *add*"),
    _change("moe", "bag", "any", "*embedding_bag* *embedding* *mean*"),
    _change("moe", "modules recorded", "any"),
    _change("moe", "soft targets", "any", "*cross* *one_hot* *scatter* *log_softmax* *mul* *nll* *sum* *neg*"),
    _change("generate", "beam", "slower", "workload_changed *topk* *index* *log_softmax* *gather*"),
    _change("generate", "item a token", "any", "*item* *scalar* *eq*"),
    _change("generate", "quantized", "any", "*quant* *linear* data_type_changed"),
    _change("generate", "half the tokens", "faster", "fewer_calls"),
    _change("generate", "grad kept", "any"),
    _change("regression", "lbfgs", "slower", "more_calls *dot* *cat* *add* *mul*"),
    _change("regression", "per sample", "any", "workload_changed more_calls *bmm* *vmap* *mm* *func*"),
    _change("regression", "swap weights", "any", "*lerp* *copy* *clone* *foreach*"),
    _change("regression", "eval larger", "slower", "workload_changed", before="eval"),
)  # fmt: skip

MODELS = ("vit", "gan", "moe", "generate", "regression")
EQUAL: tuple[Change, ...] = (
    *(Change(f"equal {name} {number}", Program(name), Program(name), "none") for name in MODELS for number in (1, 2)),
    *(
        Change(f"equal {name} seeds", Program(name), Program(name, seed=7), "none")
        for name in ("vit", "moe", "generate")
    ),
    Change("equal vit, one capture busy", Program("vit"), Program("vit", frozenset({"busy once"})), "none"),
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(run(__doc__ or "", (*CHANGES, *EQUAL), "tests.planted.recorded.further_training"))
