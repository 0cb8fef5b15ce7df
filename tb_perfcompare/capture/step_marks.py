"""Marks ends of steps: calls of the optimizer, or of a function that the user names."""

from __future__ import annotations

import ast
import functools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tb_perfcompare.capture.after_import import after_import

MARK_NAME = "_tb_perfcompare_step"
"""Name of the decorator that is added to a function of the script."""


def mark_optimizer_steps(mark: Callable[[], None]) -> Callable[[], None]:
    """Marks each step of the optimizer that steps first; a second one (as of a GAN) marks none.

    Returns a function that ends the marking.
    """
    try:
        from torch.optim.optimizer import register_optimizer_step_post_hook
    except ImportError:  # an old torch: iterations are detected in the trace
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
    """Marks each call of MODULE:FUNCTION once the module is imported. For functions of the script, see `decorated`."""
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
    """Returns a decorator that marks each return of the function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def marked(*positional: Any, **named: Any) -> Any:
            result = function(*positional, **named)
            mark()
            return result

        return marked

    return decorate


def decorated(source: bytes, name: str, path: str) -> ast.Module:
    """Returns the script's syntax tree with the decorator on its function `path`, such as `Trainer.step`.

    Line numbers stay the same. Raises LookupError if there is no such function.
    """
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
