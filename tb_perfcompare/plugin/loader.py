"""Entry point that TensorBoard imports at start. An error here would stop all of TensorBoard, so it imports little."""

from __future__ import annotations

from tensorboard.plugins import base_plugin

from tb_perfcompare.plugin.neighbour import make_way
from tb_perfcompare.plugin.plugin import PerfComparePlugin


class PerfCompareLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Creates the plugin, which has no flags."""

    def load(self, context: base_plugin.TBContext) -> PerfComparePlugin:
        """Creates the plugin. Touches no files; starts a thread only if torch-tb-profiler is loaded as well."""
        make_way()
        return PerfComparePlugin(context)
