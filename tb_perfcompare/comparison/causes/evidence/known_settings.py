"""Settings of a program by the operators and collectives whose calls follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.inputs import called_otherwise
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import short
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.ranges import OPTIMIZER_STEP
from tb_perfcompare.model.names.work_kinds import MOVING, work_kind

_UNUSED = (
    "find_unused_parameters or static_graph of DistributedDataParallel: to find parameters without a gradient, each "
    "step searches the graph and reduces a mask"
)
_PLAIN_CONVOLUTION = "aten::_slow_conv2d_forward"
_EVALUATION = "model.train() and model.eval()"
_ELEMENTS, _FINITE = "aten::masked_select", "aten::isfinite"
_GRADIENT = "torch::autograd::AccumulateGrad"
_UPDATES = "how many batches make an optimizer step: gradient accumulation, several networks in turn"
UPDATES_CHANGED = 0.3
"""Least relative difference of optimizer steps: one per two batches instead of three is a change (0.33), four instead
of three in 24 steps, where every seventh has one, is not (0.25)."""

SAME_NUMBER = 0.1
"""Largest relative difference of the calls that one operator lost and another gained in its place."""

SETTINGS = {
    "torch.distributed.ddp.reducer::search_unused_parameters": _UNUSED,
    "_DDPSinkBackward": _UNUSED,
    "aten::_amp_foreach_non_finite_check_and_unscale_": "GradScaler: on one side the gradients of mixed precision are "
    "unscaled and checked",
    "aten::_is_any_true": "torch.autograd.set_detect_anomaly(): it searches every gradient for NaN and keeps the "
    "Python stack of every operator",
    "aten::native_dropout": _EVALUATION,
    "aten::bernoulli_": _EVALUATION,
    _ELEMENTS: "the text of tensors: print(), f-strings and log messages with tensors in them",
    _PLAIN_CONVOLUTION: "torch.backends.mkldnn.enabled, torch.backends.cudnn.enabled and data types: one "
    "side convolves without oneDNN or cuDNN",
    _GRADIENT: "which parameters get a gradient: frozen layers, adapters, a .detach() that is gone",
}
"""Operator -> what to look at if its calls differ, most telling first."""


ARGUMENTS = {
    "training": _EVALUATION,
    "train": _EVALUATION,
    "non_blocking": "non_blocking=True and pinned memory of copies to the device",
    "benchmark": "torch.backends.cudnn.benchmark",
    "deterministic": "torch.use_deterministic_algorithms and torch.backends.cudnn.deterministic",
    "allow_tf32": "torch.backends.cudnn.allow_tf32 and torch.set_float32_matmul_precision",
    "output_mask": SETTINGS[_GRADIENT],
    "dtype": "dtype arguments of operators",
}
"""Argument -> the setting from which it follows."""

_IN_BOTH_PASSES = frozenset({"aten::mm", "aten::bmm"})
"""Products that the backward pass calls, too: fewer gradients need fewer of them."""

_RECURRENT_LAYER = "aten::mkldnn_rnn_layer"
"""A layer of an LSTM, which is one operator with any number of layers."""


PARENTS = {
    _GRADIENT: "optimizer.zero_grad(set_to_none=...) and gradient accumulation: gradients other than None are added to",
}
"""Operator -> what to look at if operators inside it are replaced."""


def telling(context: RuleContext, changed: Mapping[str, Amount]) -> list[str]:
    """Operators of a setting, among operators whose calls differ; most telling first. Optimizer steps come first."""
    settings = [name for name in SETTINGS if name in changed and _tells(context, name, changed)]
    return [*sorted(name for name, amount in changed.items() if is_recounted_update(name, amount)), *settings]


def known_setting(context: RuleContext, changed: Mapping[str, Amount]) -> str:
    """What to look at, by operators whose calls differ; "" if none tells a setting."""
    return next((SETTINGS.get(name, _UPDATES) for name in telling(context, changed)), "")


def setting_of_arguments(context: RuleContext, operator: str = "", argument: str = "") -> str:
    """What to look at, by arguments with which the sides call an operator (any operator and argument, unless given):
    "model.train() and model.eval() (aten::native_batch_norm: training False → True)"; "" if none tells a setting."""
    for (name, _), changed in sorted(context.once(called_otherwise).items()):
        for one, change in changed.values.items():
            if one == "dtype" and name in MOVING:
                continue  # copies convert to the type of the operator that follows
            if one in ARGUMENTS and operator in ("", name) and argument in ("", one):
                return f"{ARGUMENTS[one]} ({short(name)}: {one} {change})"
    return ""


def is_recounted_update(name: str, amount: Amount) -> bool:
    """Whether this is an optimizer's step that both sides make, one of them more often."""
    fewer, more = sorted((amount.calls_a, amount.calls_b))
    return name.startswith(OPTIMIZER_STEP) and fewer > 0 and more - fewer >= UPDATES_CHANGED * more


def _tells(context: RuleContext, name: str, changed: Mapping[str, Amount]) -> bool:
    """Whether a setting of the program differs, and not the amount of work. Most settings are on or off: one side has
    none of the calls. Dropout that is called as often, but makes masks on one side alone, is in training mode there;
    the text of a tensor needs its finite elements. More gradients show that more parameters require them only if both
    sides have some, one has many more, and the forward pass does not compute more, which a further layer or a gradient
    penalty would explain. Plain convolutions show another library only if that convolves as many times less: for a
    batch of one PyTorch chooses plain ones itself."""
    if name == _GRADIENT:
        return _are_required(context, changed[name])
    amount = changed[name]
    if name == _PLAIN_CONVOLUTION:
        return any(
            "conv" in other and "backward" not in other.lower()
            and math.isclose(one.more_calls, -amount.more_calls, rel_tol=SAME_NUMBER)
            for other, one in changed.items()
        )
    is_one_sided = not (amount.calls_a and amount.calls_b)
    if SETTINGS[name] == _EVALUATION:
        dropout = context.amount("operators", "host_total", "aten::dropout")
        return is_one_sided and 0 < dropout.calls_a == dropout.calls_b
    return is_one_sided and (name != _ELEMENTS or _FINITE in changed)


def _are_required(context: RuleContext, gradients: Amount) -> bool:
    both_have_some = min(gradients.calls_a, gradients.calls_b) > 0
    return both_have_some and call_count_changed(gradients.calls_a, gradients.calls_b) and not any(
        amount.more_calls * gradients.more_calls > 0
        for (name, *_), amount in context.amounts("operators", "host_total").items() if _computes_forward(name)
    )


def _computes_forward(name: str) -> bool:
    computes = bool(work_kind(name)) or name == _RECURRENT_LAYER
    return computes and "backward" not in name.lower() and name not in _IN_BOTH_PASSES


_SHARDED = "reducescatter"

_SHARDING = (
    "sharded parameters: reshard_after_forward, which modules are wrapped, gradient accumulation; prefetching"
)
"""FSDP gathers parameters and scatters gradients."""

COLLECTIVES = {
    "barrier": "barrier() in each step: timing, logging, checkpoints",
    _SHARDED: _SHARDING,
    "allreduce": "bucket sizes (bucket_cap_mb), gradient accumulation with no_sync(), losses and metrics that are "
    "reduced in each step",
    "gather": "metrics, losses and objects (all_gather_object) that are gathered in each step, SyncBatchNorm",
    "broadcast": "buffers that DistributedDataParallel sends in each forward pass (broadcast_buffers), weights or "
    "objects that are sent in each step",
    "alltoall": "experts and sequence parallelism: how often tokens are exchanged",
    "all2all": "experts and sequence parallelism: how often tokens are exchanged",
    "scatter": "data that one rank sends to the others in each step",
    "send": "pipeline stages: number of stages and of micro-batches",
    "recv": "pipeline stages: number of stages and of micro-batches",
    "reduce": "losses and metrics that are reduced in each step",
}
"""Kind -> what to look at. A name is of the first kind that it contains, without regard to case and separators: all
vendors spell them alike (`nccl:_all_gather_base`, `ncclDevKernel_SendRecv`, `HcclAllreduce`, `c10d::broadcast_`)."""

_SEPARATORS = regex(r"[^a-z0-9]")


def collective_kind(name: str) -> str:
    """Kind of a collective, a key of COLLECTIVES; "" if its name does not tell."""
    plain = _SEPARATORS.sub("", name.lower())
    return next((kind for kind in COLLECTIVES if kind in plain), "")


def look_at_collectives(name: str, others: Iterable[str]) -> str:
    """What to look at if the number of this collective changed in a program that makes these `others`; "" if its name
    does not tell its kind. Gathers next to reduce-scatters are those of sharded parameters."""
    kind = collective_kind(name)
    if kind == "gather" and any(collective_kind(other) == _SHARDED for other in others):
        return _SHARDING
    return COLLECTIVES.get(kind, "")
