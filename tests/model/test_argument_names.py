"""Names of operators' arguments are those of the installed PyTorch."""

from __future__ import annotations

import importlib.util

import pytest

from tb_perfcompare.model.names.argument_names import ARGUMENT_NAMES, DATA_TYPES

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs torch, which is not installed (the extra `record`)"
)


def signatures(operator: str) -> set[tuple[str, ...]]:
    """Names of the arguments of each overload."""
    import torch

    schemas = torch._C._jit_get_schemas_for_operator(operator)
    return {tuple(argument.name for argument in schema.arguments) for schema in schemas}


def test_names_are_those_of_a_signature() -> None:
    assert [operator for operator, names in ARGUMENT_NAMES.items() if names not in signatures(operator)] == []


def test_no_other_signature_is_as_long() -> None:
    """Except those of Python numbers, which are not recorded."""
    of_numbers = {("a", "b"), ("self", "other")}
    others = {
        operator: [
            other for other in signatures(operator) - {names} - of_numbers
            if len(other) == len(names) and "out" not in other
        ]
        for operator, names in ARGUMENT_NAMES.items()
    }  # fmt: skip
    assert {operator: found for operator, found in others.items() if found} == {}


def test_numbers_of_data_types_are_those_of_pytorch() -> None:
    import torch

    graph = torch._C.parse_ir("graph(%x : Tensor):\n  %number : int = prim::dtype(%x)\n  return (%number)")
    number_of = torch._C._create_function_from_graph("number", graph)
    numbers = {name: number_of(torch.empty(1, dtype=getattr(torch, name))) for name in DATA_TYPES.values()}
    assert {str(number): name for name, number in numbers.items()} == DATA_TYPES
