"""Imports for idle worker processes, as importing takes longer than comparing a small pair."""

from __future__ import annotations


def import_jobs() -> None:
    """Imports what reading, summarizing and comparing need; inside the function, as only workers should import it."""
    import tb_perfcompare.analysis.summarize
    import tb_perfcompare.comparison.engine
    import tb_perfcompare.sources.registry
    import tb_perfcompare.workspace.jobs.summary_jobs  # noqa: F401
