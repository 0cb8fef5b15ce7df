"""What TensorBoard imports at start. An error here would stop all of TensorBoard, so nothing heavy is imported."""

from __future__ import annotations

from tensorboard.plugins import base_plugin

from tb_perfcompare.plugin.neighbour import make_way
from tb_perfcompare.plugin.plugin import PerfComparePlugin


class PerfCompareLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Makes the plugin. It has no flags."""

    def load(self, context: base_plugin.TBContext) -> PerfComparePlugin:
        """The plugin; touches no file, and starts a thread only where torch-tb-profiler is loaded as well."""
        make_way()
        return PerfComparePlugin(context)
