"""Short notation of recorded calls."""

from __future__ import annotations

import json

from tb_perfcompare.analysis.work.operator_work import Work, operator_work

TYPES = {
    "f": "float", "d": "double", "bf": "c10::BFloat16", "h": "c10::Half", "f8": "c10::Float8_e4m3fn", "l": "long int",
    "i": "int", "i8": "signed char", "u8": "unsigned char", "b": "bool", "c": "c10::complex<float>", "S": "Scalar",
    "L": "ScalarList", "-": "", "T": "TensorList",
}  # fmt: skip


def recorded(
    name: str, types: str, sizes: list[object], values: str = "", strides: str = "", listed: str = ""
) -> Work | str:
    """operator_work of a call: a letter of TYPES per argument, sizes of the tensors, values separated by |, strides,
    types of the tensors in lists."""
    kinds = [TYPES.get(kind, kind) for kind in types.split()]
    remaining = iter(sizes)
    dims = [[] if kind in ("Scalar", "ScalarList", "") else next(remaining) for kind in kinds]
    assert not list(remaining), "a size for each tensor"
    texts = json.dumps([text.strip() for text in values.split("|")]) if values else ""
    return operator_work(name, json.dumps(dims), json.dumps(kinds), strides, texts, listed)


def figures(work: Work | str) -> tuple[int, int, str]:
    """(FLOPs, bytes, type); fails with the reason where there are none."""
    assert isinstance(work, Work), work
    return work.flops, work.bytes, work.data_type
