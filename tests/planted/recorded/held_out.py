"""Four held-out programs, with which no rule was developed: is each change found and named?

python -m tests.planted.recorded.held_out OUT [--change NAME ...] [--judge-only]      needs torch

26 changes and eight equal pairs; three recordings per side, alternately. Changes and expected findings were fixed
before any result was read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from tests.planted.recorded.everyday import Change, Direction, run


@dataclass(frozen=True, slots=True)
class Program:
    """A program of held_out_training.py, and how it differs from the ordinary one."""

    model: str
    habit: str = ""


def _change(model: str, habit: str, direction: Direction, says: str) -> Change:
    return Change(f"{model}, {habit}", Program(model), Program(model, habit), direction, tuple(says.split()))


CHANGES: tuple[Change, ...] = (
    _change("segmentation", "dice", "slower", "*sigmoid* *sum* *mul* *div* *softmax* *one_hot* *scatter*"),
    _change("segmentation", "deep supervision", "slower", "more_calls *conv* *upsample* *interpolate*"),
    _change("segmentation", "larger images", "slower", "workload_changed"),
    _change("segmentation", "transposed", "any", "*conv_transpose* *upsample* *convolution*"),
    _change("segmentation", "values clipped", "slower", "*clamp*"),
    _change("segmentation", "rmsprop", "slower", "*rmsprop* *sqrt* *addcmul* *addcdiv* *foreach* more_calls"),
    _change("segmentation", "confusion", "slower", "*bincount* *argmax*"),
    _change("speech", "bidirectional", "slower", "*lstm* more_calls workload_changed *flip* *cat*"),
    _change("speech", "spectrum", "slower", "*stft* *fft* *abs* *pad*"),
    _change("speech", "one by one", "slower", "*ctc* more_calls *select* *slice*"),
    _change("speech", "third layer", "slower", "more_calls *lstm*"),
    _change("speech", "masked", "any", "*fill* *slice* *randint* *random* *clone*"),
    _change("speech", "decoded", "slower", "unrecorded_time *item* *argmax* *scalar* *unbind*"),
    _change("forecast", "longer window", "slower", "workload_changed"),
    _change("forecast", "weight norm", "slower", "*norm*"),
    _change("forecast", "calendar", "slower", "unrecorded_time *tensor* *lift*"),
    _change("forecast", "huber", "any", "*huber* *smooth* *mse*"),
    _change("forecast", "no residual", "any", "*add* fewer_calls"),
    _change("forecast", "weights kept", "slower", "*clone* *copy* unrecorded_time"),
    _change("forecast", "gradients summed", "slower", "more_calls"),
    _change("tabular", "adagrad", "slower", "*adagrad* *sqrt* *addcdiv* *addcmul* *foreach* more_calls"),
    _change("tabular", "larger batch", "slower", "workload_changed"),
    _change("tabular", "crosses", "slower", "*bmm* *triu* *index* *cat* *matmul*"),
    _change("tabular", "double", "slower", "data_type_changed"),
    _change("tabular", "no batch norm", "faster", "*batch_norm* fewer_calls"),
    _change("tabular", "area under curve", "slower", "*sort* *argsort* *cumsum*"),
)  # fmt: skip

EQUAL: tuple[Change, ...] = tuple(
    Change(f"equal {model} {number}", Program(model), Program(model), "none")
    for model in ("segmentation", "speech", "forecast", "tabular")
    for number in (1, 2)
)

if __name__ == "__main__":
    sys.exit(run(__doc__ or "", (*CHANGES, *EQUAL), "tests.planted.recorded.held_out_training"))
