"""What torch.compile calls its parts in a trace, on every device."""

from __future__ import annotations

import re

COMPILED_REGION = "Torch-Compiled Region"
"""Range around a region that runs compiled; `Torch-Compiled Region: 2/1` is frame 2, compiled for the second time."""

COMPILED_REGIONS = "compile.regions"
"""Name of the setting that lists the regions of a recording."""

MOST_REGIONS = 50

_COMPILED = ("CompiledFunction", COMPILED_REGION, "## Call CompiledFxGraph")
_REGION_ID = re.compile(rf"{COMPILED_REGION}: (\d+/\d+)")


def is_compiled(name: str) -> bool:
    """Whether a range or operator is compiled code."""
    return name.startswith(_COMPILED)


def region_id(name: str) -> str:
    """`2/1` of `Torch-Compiled Region: 2/1`, "" of other names."""
    found = _REGION_ID.match(name)
    return found[1] if found else ""
