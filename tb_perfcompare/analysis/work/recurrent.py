"""Recurrent networks in one library call: RNN, LSTM and GRU of cuDNN, MIOpen and oneDNN; forward and backward.

FLOPs: the products for gates and states. Per time step of each sequence, layer and direction 2 g h (i + r), with g
gates (LSTM 4, GRU 3, else 1), hidden size h, input size i and output size r; 2 h r more for a projection. Backward as
many again for the states and, if requested, for the weights. Element-wise operations (biases, sigmoid, tanh) are not
counted:
https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html.
Bytes: input, weights, states, output, last states; backward also the gradients of outputs and inputs. What the library
saves for the backward pass is not counted.
"""

from __future__ import annotations

from functools import partial

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.tensors import Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.quick_dataclass import dataclass

FAMILY = "recurrent"
GATES = {0: 1, 1: 1, 2: 4, 3: 3}
"""Mode of the library -> number of gates: RNN with ReLU or tanh, LSTM, GRU."""


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of an operator's arguments; -1 if it has none. `mask` and `grad` are those of a backward call."""

    weights: int
    state: int
    mode: int
    projection: int
    layers: int
    bidirectional: int
    grad: int = -1
    mask: int = -1


def _weights(call: Call, places: Places, inputs: int) -> tuple[int, int]:
    """(elements of the weights without biases, width of the output)"""
    mode, hidden = call.integer(places.mode), call.integer(places.mode + 1)
    projected = call.integer(places.projection) if places.projection >= 0 else 0
    layers, ways = call.integer(places.layers), 1 + call.flag(places.bidirectional)
    need(mode in GATES and hidden > 0 and 0 <= projected < hidden and 0 < layers <= 1 << 16)
    result = projected or hidden
    first, further = inputs + result, ways * result + result
    rows = GATES[mode] * hidden * (first + (layers - 1) * further)
    return ways * (rows + layers * hidden * projected), ways * result


def model(places: Places, call: Call) -> Work:
    """Work of an operator (input, weights, ...) with its arguments at these positions."""
    x, state = call.tensor(0), call.tensor(places.state)
    if x.type.rank != 2:
        raise NoModelError("only floating-point numbers are modeled")
    need(len(x.sizes) in (2, 3) and x.sizes[-1] > 0)
    weights, width = _weights(call, places, x.sizes[-1])
    packed = call.optional(places.weights) if places.weights >= 0 else None
    need(packed is None or packed.elements >= weights)
    of_weights = packed.bytes if packed is not None else weights * x.type.size
    steps = x.elements // x.sizes[-1]
    output = steps * width * x.type.size
    states = state.bytes + call.optional_bytes(places.state + 1)
    moved = x.bytes + of_weights + 2 * states + output
    tensors: tuple[Tensor, ...] = (x, state) if packed is None else (x, state, packed)
    if places.mask < 0:
        return Work(2 * steps * weights, moved, same(*tensors), FAMILY)
    requested = call.flags(places.mask)
    need(len(requested) == 4)
    moved += call.optional_bytes(*range(places.grad, places.grad + 3)) + x.written
    moved += of_weights * requested[3]
    return Work(2 * steps * weights * (1 + requested[3]), moved, same(*tensors), FAMILY)


def layer(call: Call, *, backward: bool) -> Work:
    """One LSTM layer and direction.

    mkldnn_rnn_layer(input, weights of inputs, of states, two biases, state, cell, ...); backward (..., output at 7,
    ..., gradients at 10 to 12, ...).
    """
    x, of_inputs, of_states, state = call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(5)
    need(len(of_inputs.sizes) == len(of_states.sizes) == 2 and of_inputs.sizes[0] == of_states.sizes[0])
    need(len(x.sizes) == 3 and x.sizes[2:] == of_inputs.sizes[1:] and x.sizes[2] > 0)
    steps, weights = x.elements // x.sizes[2], call.optional_bytes(1, 2, 3, 4)
    output = steps * of_states.sizes[1] * x.type.size
    moved = x.bytes + weights + 2 * (state.bytes + call.optional_bytes(6)) + output
    if backward:
        moved += call.optional_bytes(10, 11, 12) + x.written + weights
    flops = 2 * steps * (of_inputs.elements + of_states.elements) * (1 + backward)
    return Work(flops, moved, same(x, of_inputs, of_states, state), FAMILY)


_PLACES = {
    "aten::_cudnn_rnn": Places(weights=3, state=4, mode=6, projection=8, layers=9, bidirectional=13),
    "aten::miopen_rnn": Places(weights=-1, state=3, mode=5, projection=-1, layers=7, bidirectional=11),
    "aten::_cudnn_rnn_backward": Places(
        weights=3, state=4, mode=10, projection=12, layers=13, bidirectional=17, grad=7, mask=21
    ),
    "aten::miopen_rnn_backward": Places(
        weights=3, state=4, mode=10, projection=-1, layers=12, bidirectional=16, grad=7, mask=20
    ),
}

MODELS.update({
    **{operator: partial(model, places) for operator, places in _PLACES.items()},
    "aten::mkldnn_rnn_layer": partial(layer, backward=False),
    "aten::mkldnn_rnn_layer_backward": partial(layer, backward=True),
})
