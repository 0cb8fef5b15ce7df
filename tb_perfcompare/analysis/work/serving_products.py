"""Products of quantized matrices and of experts that vLLM, SGLang and TensorRT-LLM register.

Argument orders and counting: serving.py.
"""

from __future__ import annotations

from functools import partial

from tb_perfcompare.analysis.work.matrix_products import FAMILY as MATRIX_PRODUCT
from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.serving import in_each
from tb_perfcompare.analysis.work.tensors import BF16, FP8, DataType, Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.quick_dataclass import dataclass

ELSEWHERE = "a map of experts hides how many tokens are computed here"


@dataclass(frozen=True, slots=True)
class Product:
    """Positions of a product's arguments; -1 if it has none.

    a, b     A[m, k]; B has k rows or k columns, and n of the other
    read     scales, a bias
    out      the tensor that is written
    result   dtype argument of the returned tensor; if it is absent, `default` or else the type of A
    packed   values of A and B per byte
    """

    a: int
    b: int
    read: tuple[int, ...] = ()
    out: int = -1
    result: int = -1
    default: DataType | None = None
    packed: int = 1


def product(places: Product, call: Call) -> Work:
    """A[m, k] B: 2 m k n."""
    a, b = call.tensor(places.a), call.tensor(places.b)
    need(len(a.sizes) == len(b.sizes) == 2 and a.sizes[1] in b.sizes and a.sizes[1] > 0)
    m, n = a.sizes[0], b.elements // a.sizes[1]
    moved = a.bytes + b.bytes + call.optional_bytes(*places.read)
    if places.out >= 0:
        out = call.tensor(places.out)
        need(out.sizes == (m, n))
        moved += out.bytes
    else:
        kind = call.output_type(places.result, a.type) if places.result >= 0 else a.type
        if places.default is not None and not call.value(places.result):
            kind = places.default
        moved += m * n * kind.size
    name = same(a, b) if places.packed == 1 else "fp4"
    return Work(2 * m * n * a.sizes[1] * places.packed, moved, name, MATRIX_PRODUCT)


def _low_bit(x: Tensor, n: int, weights: int, result: DataType) -> Work:
    """X[m, k] times n columns of weights with less than 8 bits, in the type of X.

    `weights` are the bytes of weights and scales.
    """
    m, k = x.sizes
    return Work(2 * m * k * n, x.bytes + weights + m * n * result.size, x.type.name, MATRIX_PRODUCT)


def awq(call: Call) -> Work:
    """awq_gemm(x[m, k], weight[k, n / 8], scales, zeros, ...): 2 m k n."""
    x, weight = call.tensor(0), call.tensor(1)
    need(len(x.sizes) == len(weight.sizes) == 2 and x.sizes[1] == weight.sizes[0])
    return _low_bit(x, 8 * weight.sizes[1], weight.bytes + call.optional_bytes(2, 3), x.type)


def gptq(call: Call) -> Work:
    """gptq_gemm(x[m, k], weight[k bits / 32, n], zeros, scales, groups, ...): 2 m k n."""
    x, weight = call.tensor(0), call.tensor(1)
    need(len(x.sizes) == len(weight.sizes) == 2)
    return _low_bit(x, weight.sizes[1], weight.bytes + call.optional_bytes(2, 3, 4), x.type)


def machete(call: Call) -> Work:
    """machete_mm(x[m, k], weight[., n], type, out_type, scales, zeros, group, scales of n, of m, ...): 2 m k n."""
    x, weight = call.tensor(0), call.tensor(1)
    need(len(x.sizes) == len(weight.sizes) == 2)
    return _low_bit(x, weight.sizes[1], weight.bytes + call.optional_bytes(4, 5, 7, 8), call.output_type(3, x.type))


def _after_tensors(call: Call) -> int:
    return 1 + max((index for index in range(len(call.types)) if call.is_tensor(index)), default=0)


def marlin(call: Call) -> Work:
    """marlin_gemm, gptq_marlin_gemm(x[m, k], c?, weight, ..., workspace, type, m, n, k, ...): 2 m k n.

    Versions differ in the arguments between weight and workspace.
    """
    x, numbers = call.tensor(0), _after_tensors(call)
    m, n, k = (call.integer(numbers + at) for at in (1, 2, 3))
    need(x.sizes == (m, k) and n >= 0)
    return _low_bit(x, n, call.optional_bytes(*range(2, numbers - 1)), x.type)


def marlin_experts(call: Call) -> Work:
    """Product with t experts per row: 2 m t k n.

    moe_wna16_marlin_gemm(x[m, k], c?, weight[e, ...], scales[e, ...], ..., block, t, weighted, elsewhere, type, m, n,
    k, ...).
    """
    x, weight, numbers = call.tensor(0), call.tensor(2), _after_tensors(call)
    t, m, n, k = (call.integer(numbers + at) for at in (1, 5, 6, 7))
    need(x.sizes == (m, k) and n >= 0 and t >= 0 and len(weight.sizes) > 1 and weight.sizes[0] > 0)
    if call.flag(numbers + 3):
        raise NoModelError(ELSEWHERE)
    used = min(weight.sizes[0], m * t)
    weights = (weight.bytes + call.optional_bytes(3)) // weight.sizes[0] * used
    return Work(2 * m * t * k * n, x.bytes + weights + m * t * n * x.type.size, x.type.name, MATRIX_PRODUCT)


def experts(call: Call) -> Work:
    """fused_experts(x[m, k], w1[e, h, k], w2[e, k, n], weights[m, t], ids[m, t], ...) with t experts per token.

    2 m t (h k + n k) FLOPs; h is 2 n if the activation has a gate. Which experts are chosen is not recorded: at most m
    t of them are read. Raises NoModelError if a map excludes tokens of experts on other ranks.
    """
    x, first, second, ids = call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(4)
    need(len(x.sizes) == 2 and len(first.sizes) == len(second.sizes) == 3 and len(ids.sizes) == 2)
    tokens, k = x.sizes
    count, hidden, inner = first.sizes
    if inner != k and first.type.rank < 2:
        raise NoModelError("the weights of the experts are packed")
    need(inner == k and second.sizes[:2] == (count, k) and ids.sizes[0] == tokens and count > 0)
    if any(call.kind(index) in ("int", "long int") for index in range(5, len(call.types))):
        raise NoModelError(ELSEWHERE)
    used = min(count, ids.elements)
    moved = 2 * x.bytes + (first.bytes + second.bytes) // count * used + ids.bytes + call.optional_bytes(3)
    flops = 2 * ids.elements * (hidden * k + second.sizes[2] * k)
    name = "fp8" if first.type == second.type == FP8 else same(x, first, second)  # x is quantized inside
    return Work(flops, moved, name, MATRIX_PRODUCT)


def grouped(packed: int, call: Call) -> Work:
    """cutlass_moe_mm, cutlass_fp4_group_mm(out[m, n], a[m, k], b[e, ...], scales, ...), one expert per row: 2 m k n."""
    out, a, b = call.tensor(0), call.tensor(1), call.tensor(2)
    need(len(out.sizes) == len(a.sizes) == 2 and len(b.sizes) == 3 and b.sizes[0] > 0)
    (m, n), k = out.sizes, a.sizes[1]
    need(a.sizes[0] == m and sorted(b.sizes[1:]) == sorted((k, n)))
    weights = b.bytes // b.sizes[0] * min(b.sizes[0], m)
    name = same(a, b) if packed == 1 else "fp4"
    return Work(2 * m * k * n * packed, a.bytes + weights + out.bytes, name, MATRIX_PRODUCT)


_SCALED = Product(a=0, b=1, read=(2, 3, 5), result=4)

MODELS.update({
    "_C::cutlass_scaled_mm": partial(product, Product(a=1, b=2, read=(3, 4, 5), out=0)),
    "_C::cutlass_scaled_mm_azp": partial(product, Product(a=1, b=2, read=(3, 4, 5, 6, 7), out=0)),
    **in_each(
        "cutlass_scaled_fp4_mm", partial(product, Product(1, 2, read=(3, 4, 5), out=0, packed=2)), "_C", "sgl_kernel"),
    **in_each("dsv3_fused_a_gemm", partial(product, Product(a=1, b=2, out=0)), "_C", "sgl_kernel"),
    "sgl_kernel::dsv3_router_gemm": partial(product, Product(a=1, b=2, out=0)),
    "sgl_kernel::int8_scaled_mm": partial(product, _SCALED),
    "sgl_kernel::fp8_scaled_mm": partial(product, _SCALED),
    "sgl_kernel::fp8_blockwise_scaled_mm": partial(product, Product(a=0, b=1, read=(2, 3), result=4)),
    "sglang::deep_gemm_fp8_fp8_bf16_nt": partial(product, Product(a=0, b=2, read=(1, 3), out=4)),
    "vllm::w8a8_triton_block_scaled_mm_func": partial(product, Product(a=0, b=1, read=(2, 3), result=5)),
    "trtllm::cublas_mm": partial(product, Product(a=0, b=1, read=(2,), result=3)),
    "trtllm::cublas_scaled_mm": partial(product, Product(a=0, b=1, read=(2, 3, 4), result=5)),
    "trtllm::fp8_block_scaling_gemm": partial(product, Product(a=0, b=1, read=(2, 3), result=4, default=BF16)),
    "_C::awq_gemm": awq,
    **in_each("gptq_gemm", gptq, "_C", "sgl_kernel"),
    "_C::machete_mm": machete,
    "_C::marlin_gemm": marlin,
    **in_each("gptq_marlin_gemm", marlin, "_C", "sgl_kernel"),
    **in_each("moe_wna16_marlin_gemm", marlin_experts, "_moe_C", "sgl_kernel"),
    **in_each("inplace_fused_experts", experts, "vllm", "sglang"),
    **in_each("outplace_fused_experts", experts, "vllm", "sglang"),
    "_C::cutlass_moe_mm": partial(grouped, 1),
    **in_each("cutlass_fp4_group_mm", partial(grouped, 2), "_C", "sgl_kernel"),
})  # fmt: skip
