"""Matches the names of a listing to kernels of a trace. Forms of a name: model/names/kernel_names.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tb_perfcompare.model.names.kernel_names import KernelForms, cut_prefixes, is_cut, kernel_forms, tails


def match_names(kernels: Sequence[str], listed: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Returns, for each kernel, the indices of the listed names that match it, by the first way that succeeds:

    name       equal names, blanks squeezed
    signature  equal functions and template arguments, ignoring differences between demanglers
    function   one of the two has only the function's name, with or without its namespaces
    cut        the name begins with a truncated listed name; of several, the longest

    Complete names with different template arguments are different kernels and never match.
    """
    ways = _Listed(listed).ways

    def first_match(forms: KernelForms) -> tuple[int, ...]:
        return next((tuple(codes) for find in ways if (codes := find(forms))), ())

    return tuple(first_match(kernel_forms(kernel)) for kernel in kernels)


class _Listed:
    """The listed names, indexed by each of their forms."""

    def __init__(self, listed: Sequence[str]) -> None:
        self._keys: dict[str, list[int]] = {}
        self._full: dict[str, list[int]] = {}
        self._short: dict[str, list[int]] = {}
        self._functions: dict[str, list[int]] = {}
        self._cut: dict[str, list[int]] = {}
        for code, name in enumerate(listed):
            if is_cut(name):
                for prefix in filter(None, cut_prefixes(name)):
                    self._cut.setdefault(prefix, []).append(code)
                continue
            forms = kernel_forms(name)
            self._keys.setdefault(forms.key, []).append(code)
            self._full.setdefault(forms.full, []).append(code)
            (self._short if forms.is_short else self._functions).setdefault(forms.function, []).append(code)
        self._lengths = sorted({len(prefix) for prefix in self._cut}, reverse=True)
        self.ways: tuple[Callable[[KernelForms], list[int]], ...] = (
            lambda forms: self._keys.get(forms.key, []),
            lambda forms: self._full.get(forms.full, []),
            self._by_function,
            self._by_prefix,
        )

    def _by_function(self, forms: KernelForms) -> list[int]:
        if forms.is_short:  # the trace's name is the short one
            return self._functions.get(forms.function, [])
        return next((self._short[tail] for tail in tails(forms.function) if tail in self._short), [])

    def _by_prefix(self, forms: KernelForms) -> list[int]:
        """Returns the truncated names with the longest prefix that matches."""
        if not self._lengths:
            return []
        texts = dict.fromkeys((forms.key, forms.full, *tails(forms.full.partition("<")[0])))
        for length in self._lengths:
            fitting = {text[:length] for text in texts if len(text) >= length}
            codes = {code for prefix in fitting for code in self._cut.get(prefix, ())}
            if codes:
                return sorted(codes)
        return []
