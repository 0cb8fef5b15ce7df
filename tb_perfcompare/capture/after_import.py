"""Calls a function when a module has been imported, without importing it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class AfterImport(MetaPathFinder):
    """An import hook in sys.meta_path for one module; removes itself when that module is found."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the module's usual spec, with a loader that calls back."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return None
        spec.loader = _Loader(spec.loader, self._then)
        return spec


class _Loader(Loader):
    """Wraps the module's own loader and calls back after the import."""

    def __init__(self, own: Loader, then: Callable[[ModuleType], None]) -> None:
        self._own = own
        self._then = then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._own
        module.__loader__ = self._own
        self._own.exec_module(module)
        self._then(module)

    def __getattr__(self, name: str) -> object:
        return getattr(self._own, name)


def after_import(name: str, then: Callable[[ModuleType], None]) -> None:
    """Calls `then` with the module after its import, or immediately if it is already imported."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, AfterImport(name, then))
