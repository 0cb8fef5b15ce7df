"""Where steps end: calls of the optimizer, or of a function that the user names."""

from __future__ import annotations

import ast
import functools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tb_perfcompare.capture.after_import import after_import

MARK_NAME = "_tb_perfcompare_step"
"""Decorator put in front of a function of the script."""


def mark_optimizer_steps(torch: Any, mark: Callable[[], None]) -> Callable[[], None]:
    """Marks each step of the optimizer that steps first, so that a second one (as of a GAN) makes no steps of its own.
    Returns what ends it."""
    try:
        from torch.optim.optimizer import register_optimizer_step_post_hook
    except ImportError:  # an old torch: iterations are found afterwards
        return lambda: None

    first: list[weakref.ref[Any]] = []

    def stepped(optimizer: Any, *_: object) -> None:
        if not first or first[0]() is None:
            first[:] = [weakref.ref(optimizer)]
        if first[0]() is optimizer:
            mark()

    end: Callable[[], None] = register_optimizer_step_post_hook(stepped).remove
    return end


def mark_calls(function: str, mark: Callable[[], None]) -> None:
    """Marks each call of MODULE:FUNCTION when the module is imported. Functions of the script itself: `decorated`."""
    module, _, path = function.partition(":")

    def wrap(loaded: ModuleType) -> None:
        *owners, name = path.split(".")
        try:
            owner = functools.reduce(getattr, owners, loaded)
            marked = marking(mark)(getattr(owner, name))
        except AttributeError:
            raise SystemExit(f"tb_perfcompare.capture: {module} has no function {path}") from None
        setattr(owner, name, marked)

    after_import(module, wrap)


def marking(mark: Callable[[], None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function, and a mark when it returns."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def marked(*positional: Any, **named: Any) -> Any:
            result = function(*positional, **named)
            mark()
            return result

        return marked

    return decorate


def decorated(source: bytes, name: str, path: str) -> ast.Module:
    """The script's syntax tree with the decorator at its function `path`, such as `Trainer.step`. Raises LookupError
    where there is none; line numbers stay."""
    tree = ast.parse(source, name)
    body: list[ast.stmt] = tree.body
    *owners, function = path.split(".")
    for owner in owners:
        body = _named(body, owner, (ast.ClassDef,)).body
    definition = _named(body, function, (ast.FunctionDef,))
    definition.decorator_list.insert(0, ast.copy_location(ast.Name(MARK_NAME, ast.Load()), definition))
    return tree


def _named(body: list[ast.stmt], name: str, kinds: tuple[type[Any], ...]) -> Any:
    for statement in body:
        if isinstance(statement, kinds) and statement.name == name:
            return statement
    raise LookupError(name)
