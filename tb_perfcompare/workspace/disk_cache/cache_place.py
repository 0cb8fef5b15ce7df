"""Location and size limit of the user's cache."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError

SWITCH = "TB_PERFCOMPARE_CACHE"
"""Environment variable: a directory, or `off`."""

LIMIT = "TB_PERFCOMPARE_CACHE_MB"
"""Environment variable: maximum size of the cache in megabytes."""

DEFAULT_LIMIT_BYTES = 1024 * 2**20

_NAME = "tb_perfcompare"
_PLATFORM: str = sys.platform


def user_place(environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Returns (directory, maximum bytes); None if the cache is switched off. Raises PerfCompareError for a limit that
    is not a number."""
    where = environment.get(SWITCH, "")
    if where.lower() in ("off", "0", "no", "false"):
        return None
    given = environment.get(LIMIT, "")
    try:
        limit = int(float(given) * 2**20) if given else DEFAULT_LIMIT_BYTES
    except (ValueError, OverflowError):
        raise PerfCompareError(f"{LIMIT} is {given!r}", hint="give a number of megabytes") from None
    if where:
        return where, limit
    return _user_cache(), limit


def _user_cache() -> str:
    """Same directory as from platformdirs, which is not imported on Linux, to start faster."""
    if _PLATFORM == "linux":
        home = os.environ.get("XDG_CACHE_HOME", "")
        return os.path.join(home if home.strip() else os.path.expanduser("~/.cache"), _NAME)
    from platformdirs import user_cache_dir

    return user_cache_dir(_NAME, appauthor=False)
