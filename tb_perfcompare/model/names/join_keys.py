"""Keys that join rows of two runs: two names with equal keys mean the same work. Raw names are kept for display.

A key omits what a run or a build renumbers (docs/method/alignment.md#names), so the same work has one key in two runs.
It never omits what distinguishes two kernels of one run, such as numbers in template arguments. `alike_key` further
omits what may distinguish them or may be noise, such as the numbers of lambdas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device import OPERATOR_LIBRARIES
from tb_perfcompare.model.names.joined_names import JoinedNames
from tb_perfcompare.model.names.ranges import LOADER_NAME, LOADER_PREFIX, LOADER_SUFFIX, STEP_PREFIX, is_step

_CLOSING = regex(r"(?<=>) (?=>)")
_ADDRESS = regex(r"(?:[ _]at)?[ _]?(?<![0-9A-Za-z])0x[0-9a-fA-F]{6,}(?![0-9A-Za-z])")
_AUTOGRAD = regex(r"(?<=Backward)\d+(?!\w)")
_AUTOGRAD_NUMBER = regex(r"Backward\d")
_REGION = regex(r"^(Torch-Compiled Region)\b.*$", re.DOTALL)
_GRAPH = regex(r"(\bCompiledFxGraph) \w+")
_PEER = regex(r"(:(?:send|recv)) \d+ ?(?:->|<-) ?\d+$")
_RANK = regex(r"(?i)(?<![a-z0-9_])(rank|stream)[ :=#_-]?\d+(?![a-z0-9])")
_SIGNATURE = regex(r"_(?=[\ddce]*[dce][\ddce]*$)0(?:de|[dce])?1(?:de|[dce])?(?:\d+(?:de|[dce])?)*$")
_GRAPH_NUMBER = regex(r"^graph_\d+_(?=cpp_fused)")
_GENERATED = ("triton_", "cpp_fused")
_NUMBERED = (*_GENERATED, "graph_")
_HOST_STARTS = (LOADER_PREFIX, STEP_PREFIX, "Torch-Compiled Region", *_NUMBERED)
_HOST_WORDS = ("0x", "_0", ":send ", ":recv ", "CompiledFxGraph")
_ANY_CASE = ("rank", "stream")
_LONGEST = 10_000
_SHORTEST_HASH = 24
_HEXADECIMAL = "0123456789abcdef"
_LONG_HEXADECIMAL = regex(r"[0-9a-f]{24}")
_TYPES = r"(?:b?f(?:8|16|32|64))+"
_HASH = regex(
    rf"_?(?<![0-9A-Za-z])(?!{_TYPES}(?![0-9A-Za-z]))(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{{24,64}}(?![0-9A-Za-z])"
)
_LAMBDA = regex(r"(\{lambda[^{}#]*)#\d+\}")
_UNNAMED = regex(r"_GLOBAL__N_\w*|<unnamed>|\{anonymous\}|\(anonymous namespace\)")
_INTEGER = regex(r"(?<![\w.])(\d+)[uUlL]+\b")


@lru_cache(maxsize=1 << 14)
def operator_key(name: str) -> str:
    """Key that joins host events.

    It omits iterator classes of a DataLoader, which differ with num_workers but do the same work; numbers of steps, of
    overloads of an autograd function (`AddmmBackward0`), of compiled regions and graphs; addresses, ranks and streams;
    numbers and hashes of generated kernels.
    """
    if name.startswith(LOADER_PREFIX) and name.endswith(LOADER_SUFFIX):
        return LOADER_NAME
    if is_step(name):
        return "ProfilerStep"
    return _strip_noise(_host_noise, name) if _may_have_any_noise(name) else name


def other_keys(names: Sequence[str]) -> dict[int, str]:
    """Index -> operator_key, for names that differ from their key. Names without noise are ruled out all at once."""
    keys = ((at, operator_key(names[at])) for at in sorted(_with_host_noise(names)))
    return {at: key for at, key in keys if key != names[at]}


@lru_cache(maxsize=1 << 14)
def kernel_key(name: str) -> str:
    """Key that joins kernels: the name with runs of blanks collapsed, in which demanglers differ.

    It omits the number, signature or hash that a compiler gives to kernels it generates (`triton_poi_fused_add_12`).
    """
    return _strip_noise(_kernel_noise, name) if _may_have_noise(name) or " ".join(name.split()) != name else name


def alike_key(key: str) -> str:
    """A kernel_key without what differs between builds of the same source; two kernels of one run may share it.

    It omits numbers of lambdas, spellings of the unnamed namespace, suffixes of integers, and the blank in `> >`.
    """
    key = _CLOSING.sub("", _UNNAMED.sub("(anonymous namespace)", key))
    return _INTEGER.sub(r"\1", _LAMBDA.sub(r"\1}", key))


def without_library(operator: str) -> str:
    """An operator's name without the library that implements it.

    `aten::cudnn_convolution`, `aten::miopen_convolution` and `aten::convolution` become equal, and so do
    `CudnnBatchNormBackward` and `NativeBatchNormBackward`.
    """
    return _LIBRARY.sub("", operator)


def _may_have_noise(name: str) -> bool:
    """Whether a name contains what the patterns of _without_written_noise and _without_number start with.

    Most names do not, and this test takes a tenth of the time of the patterns.
    """
    return (
        "0x" in name
        or "_0" in name
        or name.startswith(_NUMBERED)
        or (len(name) >= _SHORTEST_HASH and _LONG_HEXADECIMAL.search(name) is not None)
    )


def _may_have_host_noise(name: str) -> bool:
    """Whether a name contains any other text that operator_key may omit."""
    lower = name.lower()
    return (
        ("Backward" in name and _AUTOGRAD_NUMBER.search(name) is not None)
        or ":send " in name
        or ":recv " in name
        or "rank" in lower
        or "stream" in lower
        or name.startswith("Torch-Compiled Region")
        or "CompiledFxGraph" in name
        or not name.isascii()  # case-insensitive patterns match letters that lower() leaves unchanged
    )


def _with_host_noise(names: Sequence[str]) -> set[int]:
    """Indices of the names that operator_key may change, found by searching all names joined into one text."""
    joined = JoinedNames(names)
    if not joined.is_plain:
        return {at for at, name in enumerate(names) if name.startswith(_HOST_STARTS) or _may_have_any_noise(name)}
    noisy: set[int] = set()
    for word in (*("\n" + start for start in _HOST_STARTS), *_HOST_WORDS):
        noisy.update(joined.holding(word))
    if joined.has(_AUTOGRAD_NUMBER):
        noisy.update(at for at, name in enumerate(names) if "Backward" in name and _AUTOGRAD_NUMBER.search(name))
    for word in _ANY_CASE:
        noisy.update(joined.holding(word, any_case=True))
    if joined.has_run(_HEXADECIMAL, _SHORTEST_HASH):
        noisy.update(at for at, name in enumerate(names) if _LONG_HEXADECIMAL.search(name))
    return noisy


def _may_have_any_noise(name: str) -> bool:
    return _may_have_noise(name) or _may_have_host_noise(name)


def _strip_noise(removal: Callable[[str], str], name: str) -> str:
    """Removes noise until nothing changes: a removal may expose further noise."""
    if len(name) > _LONGEST:
        return name
    while (again := removal(name)) != name:
        name = again
    return name


def _kernel_noise(name: str) -> str:
    return _without_number(_without_written_noise(" ".join(name.split())))


def _host_noise(name: str) -> str:
    name = _without_written_noise(name)
    if "Backward" in name:
        name = _AUTOGRAD.sub("", name)
    if name.startswith("Torch-Compiled Region"):
        name = _REGION.sub(r"\1", name)
    if "CompiledFxGraph" in name:
        name = _GRAPH.sub(r"\1", name)
    if ":send " in name or ":recv " in name:
        name = _PEER.sub(r"\1", name)
    lower = name.lower()
    if "rank" in lower or "stream" in lower or not name.isascii():
        name = _RANK.sub(r"\1", name)
    return _without_number(name)


def _without_written_noise(name: str) -> str:
    """The name without what a compiler or the profiler adds.

    Checking for a required substring first takes a tenth of the pattern's time.
    """
    if "0x" in name:
        name = _ADDRESS.sub("", name)
    if len(name) >= _SHORTEST_HASH and _LONG_HEXADECIMAL.search(name):
        name = _HASH.sub("", name)
    if "_0" not in name:
        return name
    left = _SIGNATURE.sub("", name)
    return name if left.rstrip("_") == "triton" else left  # old kernels have nothing but a signature


def _without_number(name: str) -> str:
    """`triton_poi_fused_add_12_3` -> `triton_poi_fused_add`, `graph_0_cpp_fused_add_3` -> `cpp_fused_add`."""
    name = _GRAPH_NUMBER.sub("", name)
    if not name.startswith(_GENERATED):
        return name
    end = name.rstrip("0123456789_")
    numbers = name[len(end) :]
    at = numbers.find("_")
    return name if at < 0 or numbers[at:].strip("_") == "" else end + numbers[:at]


_LIBRARY = regex(
    rf"(?<=::)_?(?:{'|'.join(OPERATOR_LIBRARIES)})_(?=\w)"
    rf"|(?<![A-Za-z0-9])(?:{'|'.join(name.capitalize() for name in OPERATOR_LIBRARIES)})(?=[A-Z]\w*Backward)"
)
