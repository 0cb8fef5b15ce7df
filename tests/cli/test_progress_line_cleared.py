"""A line of progress that was drawn is cleared, whenever the interrupt came."""

from __future__ import annotations

import io

import pytest

from tb_perfcompare.cli.output import Console
from tb_perfcompare.model.progress import Progress


class Interrupted(io.StringIO):
    """A terminal at which somebody presses Ctrl-C as soon as something is drawn."""

    presses = 1

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        if self.presses:
            self.presses -= 1
            raise KeyboardInterrupt


def test_an_interrupt_as_soon_as_the_line_is_there() -> None:
    screen = Interrupted()
    console = Console(io.StringIO(), screen)
    with pytest.raises(KeyboardInterrupt):
        console.progress(Progress("reading"))
    console.finish()
    assert screen.getvalue().endswith("reading\r\x1b[K")
