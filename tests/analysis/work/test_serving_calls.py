"""What a serving engine's operator does beside its result."""

from __future__ import annotations

from tb_perfcompare.analysis.work.operator_work import Work
from tests.analysis.work.calls import recorded


def test_keys_and_values_go_to_the_cache_with_the_rotation() -> None:
    """SGLang writes k and v to their buffers in the kernel that rotates: both once more, v read as well."""
    name, values = "sgl_kernel::apply_rope_pos_ids_cos_sin_cache", "||||||False|False|0||||"
    alone: list[object] = [[7, 2, 64], [7, 1, 64], [7, 2, 64], [7, 1, 64], [100, 64], [7]]
    cached = [*alone, [7, 1, 64], [900, 1, 64], [900, 1, 64], [7]]
    rotated = recorded(name, "bf bf bf bf f l S S S - - - -", alone, values)
    both = recorded(name, "bf bf bf bf f l S S S bf bf bf l", cached, values)
    assert isinstance(rotated, Work) and isinstance(both, Work)
    assert both.bytes - rotated.bytes == 3 * 2 * 7 * 64 + 7 * 8
