"""What TensorBoard imports at start. An error here would stop all of TensorBoard, so nothing heavy is imported."""

from __future__ import annotations

from tensorboard.plugins import base_plugin

from tb_perfcompare.plugin.plugin import PerfComparePlugin


class PerfCompareLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Makes the plugin. It has no flags."""

    def load(self, context: base_plugin.TBContext) -> PerfComparePlugin:
        """The plugin; touches no file and starts nothing."""
        return PerfComparePlugin(context)
