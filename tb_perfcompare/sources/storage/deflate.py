"""The compression library, apart from blocks.py: answers are compressed too, and a server that starts imports no thread
pools."""

from __future__ import annotations

import zlib
from types import ModuleType

LIBRARY: ModuleType
"""zlib-ng, or zlib if it cannot be imported; both have the same interface."""
try:
    from zlib_ng import zlib_ng

    LIBRARY = zlib_ng
except ImportError:  # not available for every platform
    LIBRARY = zlib
