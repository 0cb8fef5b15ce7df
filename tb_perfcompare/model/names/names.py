"""Keys that join rows of two runs: two names with equal keys mean the same work. Raw names are kept for display.

A key omits what a run or a build renumbers (docs/method/alignment.md#names), so the same work has one key in two runs.
It never omits what distinguishes two kernels of one run, such as numbers in template arguments. `alike_key` further
omits what may distinguish them or may be noise, such as the numbers of lambdas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device import (
    COLLECTIVE_KERNELS,
    COLLECTIVE_LIBRARIES,
    COLLECTIVE_OPERATIONS,
    COLLECTIVE_RANGES,
    COMMUNICATING_KERNELS,
    DEVICE_LIBRARIES,
    OPERATION_MARKS,
    OPERATOR_LIBRARIES,
    WITHIN_A_DEVICE,
)
from tb_perfcompare.model.strings import StringTable

STEP_PREFIX, MODULE_PREFIX = "ProfilerStep#", "nn.Module: "
AUTOGRAD_GRAPH = "autograd.graph"
"""Entry of the environment: whether autograd records what a backward pass needs, "recorded" or "not recorded"
(no_grad, inference_mode)."""

WRITTEN_FIELDS, WRITTEN_ARGUMENTS = "trace.fields", "trace.arguments"
"""Settings that name what later versions of PyTorch added to traces and to the arguments of operators."""

NO_FIELDS = "none"
"""Their value in traces of versions before that."""

CHANNELS_LAST = "layout.channels_last"
"""Entry of the environment: operators that work on images in channels_last layout."""

LOADED_BY = "data_loader.batches"
"""Entry of the environment: who loads batches, one of the next two."""

MAIN_PROCESS, WORKER_PROCESSES = "main process", "worker processes"
"""With num_workers=0, or with more."""

OPTIMIZER_STEP = "Optimizer.step#"
"""Beginning of the name of an optimizer's step."""

LOADER_NAME = "enumerate(DataLoader).__next__"
LOADER_PREFIX = "enumerate(DataLoader)#"
_LOADER_SUFFIX = ".__next__"
_PIPE_PREFIX = "enumerate(DataPipe)#"
_WRAPPERS = ("DataParallel.forward", "DistributedDataParallel.forward")

_UPDATE = regex(
    r"_foreach_(?:add|addcdiv|addcmul|div|lerp|mul|sub)_$|_fused_(?:adam|adamw|adagrad|sgd)_?$"
    r"|::(?:addcdiv|addcmul|lerp)_$|multi_tensor_|(?i:adam|lamb|sgd)"
)
_COLLECTIVE_ANNOTATION = regex(
    rf"(?i:(?:{'|'.join(COLLECTIVE_LIBRARIES)})::?\w)|(?:{'|'.join(COLLECTIVE_RANGES)})[A-Z]"
)
_COLLECTIVE_KERNEL = regex(
    rf"(?:^|[\s:(])(?:{'|'.join(DEVICE_LIBRARIES)})(?:DevKernel|Kernel|_|[A-Z])"
    rf"|^(?:void )?(?:{'|'.join(map(re.escape, COLLECTIVE_KERNELS))}|mscclKernel|msccl_)"
    rf"|(?<![A-Za-z])(?:{'|'.join(map(re.escape, COMMUNICATING_KERNELS))})",
)
_OPERATION = regex(rf"(?:{'|'.join(COLLECTIVE_OPERATIONS)})(?![a-z])")
_WITHIN = regex("|".join(WITHIN_A_DEVICE), re.IGNORECASE)
_ARGUMENTS = regex(r"[<(](?!anonymous )")

_KERNEL_MARKS = (*DEVICE_LIBRARIES, *COLLECTIVE_KERNELS, *COMMUNICATING_KERNELS, "msccl", *OPERATION_MARKS)
_COLLECTIVE_MARKS = tuple(dict.fromkeys("ccl" if "ccl" in mark else mark for mark in _KERNEL_MARKS))
"""Every name of a collective kernel contains one of these in lower case. Checking for them takes a tenth of the
time."""


def is_step(name: str) -> bool:
    """Whether a name is a step marker of torch.profiler's schedule."""
    return name.startswith(STEP_PREFIX)


def step_label(name: str) -> str:
    """The text after `ProfilerStep#`, normally a number."""
    return name[len(STEP_PREFIX) :].strip()


def module_class(module: str) -> str:
    """Class of an nn.Module: its name without the number."""
    name, _, number = module.rpartition("_")
    return name if number.isdecimal() else module


def is_loader(name: str) -> bool:
    """Whether the main process waits for the next batch in this range (torch-tb-profiler's test)."""
    return (name.startswith(LOADER_PREFIX) and name.endswith(_LOADER_SUFFIX)) or name.startswith(_PIPE_PREFIX)


def is_optimizer(name: str) -> bool:
    """Whether a name is an optimizer step annotation or one of its operators."""
    return name.startswith("Optimizer.")


def is_update(name: str) -> bool:
    """Whether an operator or kernel updates parameters for an optimizer.

    For example `aten::_foreach_addcdiv_`, `aten::_fused_adamw_`, `multi_tensor_apply_kernel`, `aten::lerp_`.
    """
    return _UPDATE.search(name) is not None


def is_collective_annotation(name: str) -> bool:
    """Whether a host range is of a collective, such as `nccl:all_reduce`, `gloo:barrier` or `HcclAllreduce`."""
    return _COLLECTIVE_ANNOTATION.match(name) is not None


def is_collective_kernel(name: str) -> bool:
    """Whether a device function implements a collective.

    It is of a collective library: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`, `hcom_allReduce_`; or of an engine:
    `vllm::cross_device_reduce_1stage`, `twoShotAllReduceKernel`. CNCL's helpers (`cncl::d2d_tnc`) move data within the
    device and count as kernels, as in the MLU profiler.
    """
    lower = name.lower()
    if not any(map(lower.__contains__, _COLLECTIVE_MARKS)):
        return False
    if _COLLECTIVE_KERNEL.search(name) is not None:
        return True
    function = _ARGUMENTS.split(name, maxsplit=1)[0]
    return _OPERATION.search(function) is not None and _WITHIN.search(function) is None


def is_collective_operator(name: str) -> bool:
    """Whether an operator calls collectives: `c10d::allreduce_`, `_c10d_functional::wait_tensor`,
    `vllm::all_reduce`."""
    return name.startswith(("c10d::", "c10d_functional::", "_c10d_functional::")) or (
        "::" in name and _OPERATION.search(name) is not None
    )


def is_wrapper(name: str) -> bool:
    """Whether a name is a parallel module's own range around the whole forward pass."""
    return name in _WRAPPERS


_BEGINNINGS: dict[Callable[[str], bool], tuple[str, ...]] = {
    is_step: (STEP_PREFIX,),
    is_loader: (LOADER_PREFIX, _PIPE_PREFIX),
    is_optimizer: ("Optimizer.",),
    is_wrapper: _WRAPPERS,
    is_collective_annotation: (*COLLECTIVE_LIBRARIES, *COLLECTIVE_RANGES),
}
"""Every name that passes a test starts with one of its prefixes, ignoring case."""


def passing_names(test: Callable[[str], bool], strings: StringTable) -> list[int]:
    """Indices of the texts that pass `test`, one of the keys of _BEGINNINGS."""
    return [at for at in strings.beginning(_BEGINNINGS[test]) if test(strings[at])]


def collective_kernels(names: Sequence[str]) -> list[int]:
    """Indices of the names that are collective kernels. Only names that contain a mark are tested individually."""
    joined = JoinedNames(names)
    if not joined.is_plain:
        return [at for at, name in enumerate(names) if is_collective_kernel(name)]
    marked = {at for mark in _COLLECTIVE_MARKS for at in joined.holding(mark, any_case=True)}
    return [at for at in sorted(marked) if is_collective_kernel(names[at])]


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


def channels_last(environment: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Operators that work on images in channels_last layout."""
    return frozenset(filter(None, dict(environment).get(CHANNELS_LAST, "").split(", ")))


@lru_cache(maxsize=1 << 14)
def operator_key(name: str) -> str:
    """Key that joins host events.

    It omits iterator classes of a DataLoader, which differ with num_workers but do the same work; numbers of steps, of
    overloads of an autograd function (`AddmmBackward0`), of compiled regions and graphs; addresses, ranks and streams;
    numbers and hashes of generated kernels.
    """
    if name.startswith(LOADER_PREFIX) and name.endswith(_LOADER_SUFFIX):
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


_MANY = 4
"""If more than 1/_MANY of the names contain a word, each name is searched by itself."""


class JoinedNames:
    """Names in one text, each preceded by a line feed: one search through a long text is faster than a million through
    short ones.

    names     as given
    is_plain  whether positions in the text identify the names, and lower() leaves positions unchanged
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._text = "\n".join(["", *names])
        self.is_plain = self._text.isascii() and self._text.count("\n") == len(names)

    @cached_property
    def _lower(self) -> str:
        return self._text.lower()

    def holding(self, word: str, *, any_case: bool = False) -> list[int]:
        """Ascending indices of the names that contain `word`; only if `is_plain`.

        With `any_case`, `word` is in lower case. A leading line feed in `word` anchors it to the start of a name.
        """
        text = self._lower if any_case else self._text
        indices: list[int] = []
        before = line = 0
        at = text.find(word)
        while at >= 0:
            line += text.count("\n", before, at + 1)
            before = at + 1
            indices.append(line - 1)
            if len(indices) * _MANY > len(self.names):
                return self._one_by_one(word, any_case)
            end = text.find("\n", at + 1)
            at = text.find(word, end) if end >= 0 else -1
        return indices

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern occurs anywhere in the text."""
        return pattern.search(self._text) is not None

    def has_run(self, letters: str, length: int) -> bool:
        """Whether `length` consecutive characters anywhere are all among `letters`."""
        text = self._text.encode("utf-8", "surrogatepass")
        return b"\1" * length in text.translate(bytes(byte in letters.encode() for byte in range(256)))

    def _one_by_one(self, word: str, any_case: bool) -> list[int]:
        names = map(str.lower, self.names) if any_case else self.names
        if word.startswith("\n"):
            return [at for at, name in enumerate(names) if name.startswith(word[1:])]
        return [at for at, name in enumerate(names) if word in name]
