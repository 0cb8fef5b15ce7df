"""What a worker process imports while nobody needs it yet: what reading and summarising need, then what comparing needs
besides. It takes longer than those of a small pair."""

from __future__ import annotations


def import_jobs() -> None:
    """Imported here and not above, since the server that asks for it does not wait."""
    import tb_perfcompare.workspace.jobs.summary_jobs  # noqa: F401


def import_distributions() -> None:
    """Of those who test hypotheses."""
    from tb_perfcompare.comparison.statistics.distributions import load

    load()


IN_THIS_ORDER = (import_jobs, import_distributions)
