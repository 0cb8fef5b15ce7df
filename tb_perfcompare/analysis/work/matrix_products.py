"""Matrix products: C[m, n] = A[m, k] B[k, n], also batched, scaled and grouped.

2 b m k n FLOPs, as torch.utils.flop_counter counts (mm_flop, bmm_flop): a multiply-add is two; a bias, scaling and an
activation are not counted. A complex multiply-add is eight. Bytes: A, B, the addend, scales, and C.
"""

from __future__ import annotations

from math import prod

from tb_perfcompare.analysis.work.recorded_call import Call, models
from tb_perfcompare.analysis.work.tensors import INT32, DataType, Tensor, broadcast, same
from tb_perfcompare.analysis.work.work import Work, need

FAMILY = "matrix product"


def product(a: Tensor, b: Tensor, output: int, multiply_adds: int, result: DataType, more_bytes: int = 0) -> Work:
    """Work of a product with `output` elements of type `result`; a multiply-add counts two (eight if complex)."""
    per = 8 if a.type.rank == 3 else 2
    moved = a.bytes + b.bytes + output * result.size + more_bytes
    return Work(per * multiply_adds, moved, same(a, b), FAMILY)


def _shape(a: Tensor, b: Tensor) -> tuple[int, int, int, int]:
    """(batch, m, k, n) of two matrices or two batches of them; batch is 1 for matrices."""
    need(len(a.sizes) == len(b.sizes) and len(a.sizes) in (2, 3))
    *batch, m, k = a.sizes
    *other, inner, n = b.sizes
    need(k == inner and batch == other)
    return prod(batch), m, k, n


@models("aten::mm", "aten::bmm")
def mm(call: Call) -> Work:
    """A[m, k] B[k, n] or batches of them (mm, bmm): 2 b m k n."""
    a, b = call.tensor(0), call.tensor(1)
    batch, m, k, n = _shape(a, b)
    return product(a, b, batch * m * n, batch * m * k * n, call.output_type(2, a.type))


@models("aten::addmm", "aten::addmm_", "aten::_addmm_activation", "aten::baddbmm", "aten::baddbmm_")
def addmm(call: Call) -> Work:
    """beta S + alpha A B, also batched (addmm, baddbmm): 2 b m k n. S is not read if beta is 0."""
    added, a, b = call.tensor(0), call.tensor(1), call.tensor(2)
    batch, m, k, n = _shape(a, b)
    need(broadcast(added, Tensor((*a.sizes[:-1], n), a.type, None)) == (*a.sizes[:-1], n))
    return product(a, b, batch * m * n, batch * m * k * n, a.type, _added_bytes(call, added))


def _added_bytes(call: Call, added: Tensor) -> int:
    beta = call.values[3] if len(call.values) > 3 else ""
    return 0 if beta in ("0", "0.") else added.bytes


@models("aten::addbmm", "aten::addbmm_")
def addbmm(call: Call) -> Work:
    """beta S + alpha (sum over the batch of A B): 2 b m k n, one matrix written."""
    added, a, b = call.tensor(0), call.tensor(1), call.tensor(2)
    need(len(a.sizes) == 3)
    batch, m, k, n = _shape(a, b)
    return product(a, b, m * n, batch * m * k * n, a.type, _added_bytes(call, added))


@models("aten::mv")
def mv(call: Call) -> Work:
    """A[m, k] v[k]: 2 m k."""
    return _matrix_vector(call.tensor(0), call.tensor(1), 0)


@models("aten::addmv", "aten::addmv_")
def addmv(call: Call) -> Work:
    """beta s + alpha A v: 2 m k."""
    return _matrix_vector(call.tensor(1), call.tensor(2), _added_bytes(call, call.tensor(0)))


def _matrix_vector(a: Tensor, v: Tensor, more_bytes: int) -> Work:
    need(len(a.sizes) == 2 and v.sizes == a.sizes[1:])
    return product(a, v, a.sizes[0], prod(a.sizes), a.type, more_bytes)


@models("aten::dot", "aten::vdot")
def dot(call: Call) -> Work:
    """u[k] · v[k]: 2 k."""
    u, v = call.tensor(0), call.tensor(1)
    need(len(u.sizes) == 1 and u.sizes == v.sizes)
    return product(u, v, 1, u.elements, u.type)


@models("aten::addr", "aten::addr_")
def addr(call: Call) -> Work:
    """beta S + alpha u[m] v[n]: 2 m n."""
    added, u, v = call.tensor(0), call.tensor(1), call.tensor(2)
    need(len(u.sizes) == len(v.sizes) == 1)
    count = u.elements * v.elements
    return product(u, v, count, count, u.type, _added_bytes(call, added))


@models("aten::mkldnn_linear", "mkldnn::_linear_pointwise")
def linear(call: Call) -> Work:
    """X[..., k] W[n, k]^T + bias[n] in one kernel (mkldnn_linear): 2 (…) k n."""
    x, weight = call.tensor(0), call.tensor(1)
    need(len(weight.sizes) == 2 and bool(x.sizes) and x.sizes[-1] == weight.sizes[1])
    rows = prod(x.sizes[:-1])
    n, k = weight.sizes
    return product(x, weight, rows * n, rows * k * n, x.type, call.optional_bytes(2))


@models("aten::_scaled_mm")
def scaled_mm(call: Call) -> Work:
    """A[m, k] B[k, n] of scaled fp8 values: 2 m k n; the scales and the bias are read, C is of `out_dtype`."""
    a, b = call.tensor(0), call.tensor(1)
    batch, m, k, n = _shape(a, b)
    # torch before 2.5: (self, mat2, bias, out_dtype, scale_a, scale_b, ...)
    scales_first = call.is_tensor(2) and call.is_tensor(3)
    call.value(0)
    result = call.output_type(6 if scales_first else 3, a.type)
    return product(
        a, b, m * n, batch * m * k * n, result, call.optional_bytes(*((2, 3, 4) if scales_first else (2, 4, 5)))
    )


@models("aten::_int_mm")
def int_mm(call: Call) -> Work:
    """A[m, k] B[k, n] of int8 values, summed as int32: 2 m k n."""
    a, b = call.tensor(0), call.tensor(1)
    _, m, k, n = _shape(a, b)
    return product(a, b, m * n, m * k * n, INT32)


@models("aten::_scaled_mm_v2")
def scaled_mm_of_lists(call: Call) -> Work:
    """_scaled_mm_v2(self, mat2, scales, recipes, swizzles, scales, recipes, swizzles, bias, out_dtype, ...).

    Like scaled_mm; scales in lists have no recorded types and are not counted.
    """
    a, b = call.tensor(0), call.tensor(1)
    _, m, k, n = _shape(a, b)
    call.value(0)
    return product(a, b, m * n, m * k * n, call.output_type(9, a.type), call.optional_bytes(8))


@models("aten::_grouped_mm")
def grouped_mm(call: Call) -> Work:
    """_grouped_mm(self, mat2, offsets, bias, out_dtype)."""
    return _grouped(call, 2, 4, (2, 3))


@models("aten::_scaled_grouped_mm")
def scaled_grouped_mm(call: Call) -> Work:
    """_scaled_grouped_mm(self, mat2, scale_a, scale_b, offsets, bias, scale_result, out_dtype, ...)."""
    return _grouped(call, 4, 7, (2, 3, 4, 5))


@models("aten::_scaled_grouped_mm_v2")
def scaled_grouped_mm_of_lists(call: Call) -> Work:
    """_scaled_grouped_mm_v2: lists as in scaled_mm_of_lists, then offsets, bias, out_dtype, ..."""
    return _grouped(call, 8, 10, (8, 9))


def _grouped(call: Call, offsets_at: int, result_at: int, read: tuple[int, ...]) -> Work:
    """A product per group (mixture of experts): the offsets split one of m, n, k, so the FLOPs are 2 m k n in all.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grouped_mm.html
    """
    a, b, offsets = call.tensor(0), call.tensor(1), call.optional(offsets_at)
    need(len(a.sizes) in (2, 3) and len(b.sizes) in (2, 3))
    m, k, inner, n = *a.sizes[-2:], *b.sizes[-2:]
    need(k == inner)
    groups = {(3, 3): a.sizes[0], (2, 2): offsets.elements if offsets else 0}.get((len(a.sizes), len(b.sizes)), 1)
    if len(a.sizes) == len(b.sizes) == 3:
        need(a.sizes[0] == b.sizes[0])
    else:
        need(offsets is not None)
    multiply_adds = m * k * n * (groups if len(a.sizes) == len(b.sizes) == 3 else 1)
    result = call.output_type(result_at, a.type)
    return product(a, b, groups * m * n, multiply_adds, result, call.optional_bytes(*read))


@models("aten::_weight_int8pack_mm")
def packed_int8(call: Call) -> Work:
    """X[m, k] W[n, k]^T with int8 weights and a scale per column of the output, in the type of X: 2 m k n."""
    x, weight = call.tensor(0), call.tensor(1)
    need(len(x.sizes) == len(weight.sizes) == 2 and x.sizes[1] == weight.sizes[1])
    (m, k), n = x.sizes, weight.sizes[0]
    done = product(x, weight, m * n, m * k * n, x.type, call.optional_bytes(2))
    return Work(done.flops, done.bytes, x.type.name, FAMILY)


@models("aten::_weight_int4pack_mm", "aten::_weight_int4pack_mm_for_cpu")
def packed_int4(call: Call) -> Work:
    """_weight_int4pack_mm(X[m, k], weights, group, scales and zeros[., n, 2]) with int4 weights: 2 m k n.

    In the type of X. The layout of packed weights depends on the device; each takes half a byte.
    """
    x, weight, scales = call.tensor(0), call.tensor(1), call.tensor(3)
    need(len(x.sizes) == 2 and len(scales.sizes) == 3)
    (m, k), n = x.sizes, scales.sizes[1]
    need(2 * weight.written == k * n)
    return Work(2 * m * k * n, x.bytes + weight.bytes + scales.bytes + m * n * x.type.size, x.type.name, FAMILY)
