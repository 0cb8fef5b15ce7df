"""Which kernels of a trace the names of a listing stand for. The forms of a name are model/names/kernel_names.py's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tb_perfcompare.model.names.kernel_names import KernelForms, cut_prefixes, is_cut, kernel_forms, tails


@dataclass(frozen=True, slots=True)
class Matches:
    """codes: for each kernel the listing's names (indices) that stand for it, none if it is not in the listing;
    how: in which way they were matched, "" for none."""

    codes: tuple[tuple[int, ...], ...]
    how: tuple[str, ...]


def match_names(kernels: Sequence[str], listed: Sequence[str]) -> Matches:
    """Matches each kernel to the listing's names in the first of these ways that gives any:

    name       equal names, blanks squeezed
    signature  equal functions and template arguments, the differences between demanglers removed
    function   the listing has the function's name alone, with or without its namespaces; or the trace has
    cut        the name begins as the listing's cut one; of several cut names the longest

    Two whole names with different template arguments are different kernels and never match.
    """
    names = _Listed(listed)
    codes, how = list[tuple[int, ...]](), list[str]()
    for kernel in kernels:
        forms = kernel_forms(kernel)
        found: tuple[str, tuple[int, ...]] = ("", ())
        for way, find in names.ways:
            here = find(forms)
            if here:
                found = (way, tuple(here))
                break
        how.append(found[0])
        codes.append(found[1])
    return Matches(tuple(codes), tuple(how))


class _Listed:
    """The listing's names, by each of their forms."""

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
        self.ways: tuple[tuple[str, Callable[[KernelForms], list[int]]], ...] = (
            ("name", lambda forms: self._keys.get(forms.key, [])),
            ("signature", lambda forms: self._full.get(forms.full, [])),
            ("function", self._by_function),
            ("cut", self._by_prefix),
        )

    def _by_function(self, forms: KernelForms) -> list[int]:
        if forms.is_short:  # the trace's name is the short one
            return self._functions.get(forms.function, [])
        return next((self._short[tail] for tail in tails(forms.function) if tail in self._short), [])

    def _by_prefix(self, forms: KernelForms) -> list[int]:
        """Names of the longest prefix that fits."""
        if not self._lengths:
            return []
        texts = dict.fromkeys((forms.key, forms.full, *tails(forms.full.partition("<")[0])))
        for length in self._lengths:
            fitting = {text[:length] for text in texts if len(text) >= length}
            codes = {code for prefix in fitting for code in self._cut.get(prefix, ())}
            if codes:
                return sorted(codes)
        return []
