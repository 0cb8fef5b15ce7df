"""Settings of a program by the operators whose calls follow from them."""

from __future__ import annotations

from collections.abc import Collection

_UNUSED = (
    "find_unused_parameters or static_graph of DistributedDataParallel: to find parameters without a gradient, each "
    "step searches the graph and reduces a mask"
)
ACCUMULATES = "torch::autograd::AccumulateGrad"
"""Called once for each parameter's gradient."""

SETTINGS = {
    "torch.distributed.ddp.reducer::search_unused_parameters": _UNUSED,
    "_DDPSinkBackward": _UNUSED,
    "aten::_amp_foreach_non_finite_check_and_unscale_": "GradScaler: on one side the gradients of mixed precision are "
    "unscaled and checked",
    ACCUMULATES: "which parameters require gradients (frozen layers, adapters): one gradient "
    "each",
}
"""Operator -> what to look at if its calls differ, most telling first."""


def known_setting(changed: Collection[str]) -> str:
    """What to look at, by operators whose calls differ; "" if none tells a setting."""
    return next((setting for name, setting in SETTINGS.items() if name in changed), "")
