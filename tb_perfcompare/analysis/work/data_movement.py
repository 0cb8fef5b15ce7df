"""Operators that move data: copies, fills, gathers and scatters, sorts and scans, random numbers, dropout.

FLOPs: only the additions of scatters and the product of dropout. Bytes: what is read and what is written; of a table,
the selected elements, at most the whole table.
"""

from __future__ import annotations

from functools import partial
from math import ceil

from tb_perfcompare.analysis.work.recorded_call import LARGEST, Call, models
from tb_perfcompare.analysis.work.tensors import BOOL, INT64, broadcast
from tb_perfcompare.analysis.work.without_model import CALLS_OTHERS
from tb_perfcompare.analysis.work.work import NoModelError, Work, need

COPY, INDEX, SORT, RANDOM, EMBEDDING = "copy", "gather and scatter", "sort and scan", "random numbers", "embedding"


@models("aten::copy_")
def copy(call: Call) -> Work:
    """copy_(self, src): src is read, self written."""
    target, source = call.tensor(0), call.tensor(1)
    need(broadcast(target, source) == target.sizes)
    return Work(0, target.bytes + source.bytes, "", COPY)


@models("aten::fill_")
def fill(call: Call) -> Work:
    """fill_(self, value): self is written."""
    return Work(0, call.tensor(0).bytes, "", COPY)


@models("aten::arange")
def arange(call: Call) -> Work:
    """arange(start, end, step, out): ceil((end - start) / step) elements are written. Other overloads call this one."""
    if not call.is_tensor(3):
        raise NoModelError(CALLS_OTHERS)
    start, end, step = (call.number(index) for index in range(3))
    need(step != 0 and 0 <= (end - start) / step < LARGEST)
    return Work(0, ceil((end - start) / step) * call.tensor(3).type.size, "", COPY)


@models("aten::linspace")
def linspace(call: Call) -> Work:
    """linspace(start, end, steps, out): `steps` elements are written. Other overloads call this one."""
    if not call.is_tensor(3):
        raise NoModelError(CALLS_OTHERS)
    need((steps := call.integer(2)) >= 0)
    return Work(0, steps * call.tensor(3).type.size, "", COPY)


@models("aten::roll", "aten::flip", "aten::tril", "aten::triu", "aten::tril_", "aten::triu_")
def same_size(call: Call) -> Work:
    """roll, flip, tril, triu, also in place: read and write all elements."""
    x = call.tensor(0)
    return Work(0, x.bytes + x.written, "", COPY)


@models("aten::normal_", "aten::uniform_", "aten::bernoulli_", "aten::exponential_", "aten::random_")
def random(call: Call) -> Work:
    """normal_, uniform_, bernoulli_, exponential_, random_: self is written; bernoulli_ may read probabilities."""
    return Work(0, call.tensor(0).bytes + call.optional_bytes(1), "", RANDOM)


@models("aten::index_select")
def index_select(call: Call) -> Work:
    """index_select(self, dim, index): the selected slices are read and written."""
    x, index, dim = call.tensor(0), call.tensor(2), call.integer_of_dimension(1, len(call.tensor(0).sizes))
    need(len(index.sizes) <= 1 and x.sizes[dim] > 0)
    chosen = x.elements // x.sizes[dim] * index.elements * x.type.size
    return Work(0, min(chosen, x.bytes) + index.bytes + chosen, "", INDEX)


@models("aten::gather")
def gather(call: Call) -> Work:
    """gather(self, dim, index): reads and writes one element per index."""
    x, index = call.tensor(0), call.tensor(2)
    need(len(x.sizes) == len(index.sizes))
    chosen = index.elements * x.type.size
    return Work(0, min(chosen, x.bytes) + index.bytes + chosen, "", INDEX)


@models("aten::scatter_add", "aten::scatter_add_", "aten::scatter_reduce", "aten::scatter_reduce_")
def scatter_add(call: Call) -> Work:
    """scatter_add_, scatter_reduce_(self, dim, index, src, ...): updates self's selected elements, 1 FLOP each.

    Reads and writes them. If out of place, here and below, aten::copy_ makes the copy.
    """
    x, index, source = call.tensor(0), call.tensor(2), call.tensor(3)
    need(len(x.sizes) == len(index.sizes) == len(source.sizes) and source.type == x.type)
    chosen = index.elements * x.type.size
    return Work(index.elements, 2 * min(chosen, x.bytes) + index.bytes + min(chosen, source.bytes), x.type.name, INDEX)


@models("aten::scatter", "aten::scatter_")
def scatter(call: Call) -> Work:
    """scatter_(self, dim, index, src or value): self's selected elements are written; duplicates are not added."""
    x, index, source = call.tensor(0), call.tensor(2), call.optional(3)
    need(len(x.sizes) == len(index.sizes))
    chosen = index.elements * x.type.size
    read = min(chosen, source.bytes) if source is not None and source.sizes else 0
    return Work(0, min(chosen, x.bytes) + index.bytes + read, "", INDEX)


def indexed(is_sum: bool, call: Call) -> Work:
    """index_add_, index_copy_(self, dim, index, source): source is read, self's selected slices are written.

    A sum also reads these, one addition per element.
    """
    x, index, source = call.tensor(0), call.tensor(2), call.tensor(3)
    need(len(x.sizes) == len(source.sizes) and source.type == x.type)
    moved = (1 + is_sum) * min(source.written, x.bytes) + index.bytes + source.bytes
    return Work(source.elements * is_sum, moved, x.type.name if is_sum else "", INDEX)


models("aten::index_add", "aten::index_add_")(partial(indexed, True))
models("aten::index_copy", "aten::index_copy_")(partial(indexed, False))


@models("aten::embedding_dense_backward")
def embedding_backward(call: Call) -> Work:
    """embedding_dense_backward(grad, indices, num_weights, ...): writes the selected rows, 1 FLOP per element of grad.

    aten::zeros, which it calls, writes the zeros.
    """
    grad, indices, rows = call.tensor(0), call.tensor(1), call.integer(2)
    need(len(grad.sizes) > 0 and grad.sizes[:-1] == indices.sizes and rows >= 0)
    moved = grad.bytes + indices.bytes + min(indices.elements, rows) * grad.sizes[-1] * grad.type.size
    return Work(grad.elements, moved, grad.type.name, EMBEDDING)


@models("aten::_embedding_bag", "aten::_embedding_bag_forward_only")
def embedding_bag(call: Call) -> Work:
    """_embedding_bag(weight, indices, offsets, scale, mode, sparse, weights, include_last, padding).

    The selected rows are read, one addition per element (two operations with weights); a row is written per bag.
    """
    table, indices, offsets = call.tensor(0), call.tensor(1), call.tensor(2)
    bags = offsets.elements - call.flag(7)
    need(len(table.sizes) == 2 and len(indices.sizes) == 1 and bags >= 0)
    width = table.sizes[1]
    read = min(indices.elements * width * table.type.size, table.bytes) + call.optional_bytes(6)
    flops = (1 + call.is_tensor(6)) * indices.elements * width
    moved = read + indices.bytes + offsets.bytes + bags * width * table.type.size
    return Work(flops, moved, table.type.name, EMBEDDING)


@models("aten::_embedding_bag_dense_backward")
def embedding_bag_backward(call: Call) -> Work:
    """_embedding_bag_dense_backward(grad, indices, bag of each, sizes, maxima, num_weights, ...).

    The selected rows are written, one addition per element; aten::zeros writes the zeros.
    """
    grad, indices, rows = call.tensor(0), call.tensor(1), call.integer(5)
    need(len(grad.sizes) == 2 and len(indices.sizes) == 1 and rows >= 0)
    width = grad.sizes[1]
    written = min(indices.elements, rows) * width * grad.type.size
    moved = grad.bytes + indices.bytes + call.optional_bytes(2, 8) + written
    return Work(indices.elements * width, moved, grad.type.name, EMBEDDING)


@models("aten::sort")
def sort(call: Call) -> Work:
    """sort, msort: as many values and int64 indices are written as read."""
    x = call.tensor(0)
    return Work(0, x.bytes + x.elements * (x.type.size + INT64.size), "", SORT)


@models("aten::topk")
def topk(call: Call) -> Work:
    """topk(self, k, dim, ...): k values and their int64 indices are written per row."""
    x = call.tensor(0)
    if not x.sizes:
        return Work(0, 2 * x.bytes + INT64.size, "", SORT)
    k = call.integer(1)
    dim = call.integer_of_dimension(2, len(x.sizes))
    need(0 <= k <= x.sizes[dim])
    rows = x.elements // x.sizes[dim] if x.sizes[dim] else 0
    return Work(0, x.bytes + rows * k * (x.type.size + INT64.size), "", SORT)


@models("aten::cumsum", "aten::cumprod")
def scan(call: Call) -> Work:
    """cumsum, cumprod(self, dim, dtype): as many elements are written as read; integers are summed as int64."""
    x = call.tensor(0)
    call.value(2)  # raises if values are not recorded
    kind = call.output_type(2, INT64 if x.type.rank < 2 else x.type)
    return Work(0, x.bytes + x.elements * kind.size, "", SORT)


@models("aten::native_dropout", "aten::_fused_dropout")
def dropout(call: Call) -> Work:
    """native_dropout, _fused_dropout(input, p, ...): one product per element; also writes a bool mask."""
    x = call.tensor(0)
    return Work(x.elements, x.bytes + x.written + x.elements * BOOL.size, x.type.name, "dropout")


@models("aten::native_dropout_backward")
def dropout_backward(call: Call) -> Work:
    """native_dropout_backward(grad, mask, scale): one product per element."""
    grad, mask = call.tensor(0), call.tensor(1)
    need(grad.sizes == mask.sizes)
    return Work(grad.elements, grad.bytes + mask.bytes + grad.written, grad.type.name, "dropout")
