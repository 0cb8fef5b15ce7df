"""Whether symbolic links below a log directory are all followed, or only those that stay inside it.

No request creates a link, but every user with write access to the log directory can. LINKS=inside stops them from
exposing files elsewhere that only the server's user may read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.storage.inside_only import FOLLOW, INSIDE, LINKS


def links_stay_inside(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether LINKS is `inside`; links are followed by default. Raises PerfCompareError for an unknown value."""
    given = environment.get(LINKS, "") or FOLLOW
    if given not in (FOLLOW, INSIDE):
        raise PerfCompareError(f"{LINKS} is {given[:80]!r}", hint=f"it must be {FOLLOW} or {INSIDE}")
    return given == INSIDE
