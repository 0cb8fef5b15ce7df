"""Symbolic links below a log directory: all followed, or only those that stay inside.

No request creates a link, but anybody who may write below the log directory can. If those are not the ones who started
the server, LINKS=inside keeps them from exposing other files of its user.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.storage.inside_only import FOLLOW, INSIDE, LINKS


def links_stay_inside(environment: Mapping[str, str] = os.environ) -> bool:
    """What LINKS says. Raises PerfCompareError for another word."""
    given = environment.get(LINKS, "") or FOLLOW
    if given not in (FOLLOW, INSIDE):
        raise PerfCompareError(f"{LINKS} is {given[:80]!r}", hint=f"it must be {FOLLOW} or {INSIDE}")
    return given == INSIDE
