"""Names of ranges of the host: steps, modules, data loaders, optimizers, parallel modules."""

from __future__ import annotations

from collections.abc import Callable

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device import COLLECTIVE_LIBRARIES, COLLECTIVE_RANGES
from tb_perfcompare.model.names.collective_names import is_collective_annotation
from tb_perfcompare.model.strings import StringTable

STEP_PREFIX, MODULE_PREFIX = "ProfilerStep#", "nn.Module: "

OPTIMIZER_STEP = "Optimizer.step#"
"""Beginning of the name of an optimizer's step."""

LOADER_NAME = "enumerate(DataLoader).__next__"
LOADER_PREFIX = "enumerate(DataLoader)#"
LOADER_SUFFIX = ".__next__"
_PIPE_PREFIX = "enumerate(DataPipe)#"
_WRAPPERS = ("DataParallel.forward", "DistributedDataParallel.forward")

_UPDATE = regex(
    r"_foreach_(?:add|addcdiv|addcmul|div|lerp|mul|sub)_$|_fused_(?:adam|adamw|adagrad|sgd)_?$"
    r"|::(?:addcdiv|addcmul|lerp)_$|multi_tensor_|(?i:adam|lamb|sgd)"
)


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
    return (name.startswith(LOADER_PREFIX) and name.endswith(LOADER_SUFFIX)) or name.startswith(_PIPE_PREFIX)


def is_optimizer(name: str) -> bool:
    """Whether a name is an optimizer step annotation or one of its operators."""
    return name.startswith("Optimizer.")


def is_update(name: str) -> bool:
    """Whether an operator or kernel updates parameters for an optimizer.

    For example `aten::_foreach_addcdiv_`, `aten::_fused_adamw_`, `multi_tensor_apply_kernel`, `aten::lerp_`.
    """
    return _UPDATE.search(name) is not None


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
