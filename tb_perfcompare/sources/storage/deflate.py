"""What inflates and deflates."""

from __future__ import annotations

import zlib
from types import ModuleType

LIBRARY: ModuleType
"""zlib-ng, or zlib where it cannot be imported; they have the same interface."""
try:
    from zlib_ng import zlib_ng

    LIBRARY = zlib_ng
except ImportError:  # there is none for every platform
    LIBRARY = zlib
