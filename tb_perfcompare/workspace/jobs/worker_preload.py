"""Imports of an idle worker process: for reading and summarising, then for comparing. They take longer than the work of
a small pair."""

from __future__ import annotations


def import_jobs() -> None:
    """Imported here and not above, since the server that asks for it does not wait."""
    import tb_perfcompare.analysis.summarize
    import tb_perfcompare.comparison.engine
    import tb_perfcompare.sources.registry
    import tb_perfcompare.workspace.jobs.summary_jobs  # noqa: F401


IN_THIS_ORDER = (import_jobs,)
