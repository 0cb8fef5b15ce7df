"""Names that torch.compile gives its parts in a trace, on every device."""

from __future__ import annotations

from tb_perfcompare.lazy_regex import regex

COMPILED_REGION = "Torch-Compiled Region"
"""Range around a compiled region; in `Torch-Compiled Region: 2/1`, 2 is the frame and 1 its second compilation."""

COMPILED_REGIONS = "compile.regions"
"""Name of the setting that lists a recording's compiled regions."""

MAX_REGIONS = 50

_COMPILED = ("CompiledFunction", COMPILED_REGION, "## Call CompiledFxGraph")
_REGION_ID = regex(rf"{COMPILED_REGION}: (\d+/\d+)")


def is_generated(kernel: str) -> bool:
    return kernel.startswith("triton_")


def is_compiled(name: str) -> bool:
    """Whether a range or operator is compiled code."""
    return name.startswith(_COMPILED)


def region_id(name: str) -> str:
    """`2/1` for `Torch-Compiled Region: 2/1`, "" for other names."""
    match = _REGION_ID.match(name)
    return match[1] if match else ""
