"""Names of operators' arguments are those of the installed PyTorch."""

from __future__ import annotations

import importlib.util

import pytest

from tb_perfcompare.model.names.argument_names import ARGUMENT_NAMES

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
