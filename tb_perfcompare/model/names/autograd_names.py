"""Names of autograd's functions and ranges, and of the operators that they belong to."""

from __future__ import annotations

from tb_perfcompare.lazy_regex import regex

AUTOGRAD_RANGE = "autograd::engine::evaluate_function: "
"""Beginning of the range around a function of autograd, which later versions of PyTorch record."""

_BACKWARD = regex(rf"(?:{AUTOGRAD_RANGE})?(\w+?)Backward\d*$")


def is_backward(name: str) -> bool:
    """Whether the name belongs to the backward pass; such names mean less to a reader than those of the operators
    behind them."""
    return "autograd::" in name or "backward" in name.lower()


def backward_of(name: str) -> str:
    """Plain name of the operator that an autograd function belongs to; "" if the name is not autograd's."""
    match = _BACKWARD.match(name)
    return "" if match is None else plain_name(match[1])


def plain_name(name: str) -> str:
    """Name in a form in which `_native_layer_norm` and `NativeLayerNorm` are the same."""
    return name.replace("_", "").lower()
