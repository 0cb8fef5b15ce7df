"""Where the page shows each table. Imports nothing: a server that has computed nothing names these places, too."""

from __future__ import annotations

from collections.abc import Mapping

VIEWS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "Summary": {"Summary": {"summary": ""}},
    "Breakdown": {
        "Everything": {
            "attribution": "part and entry", "categories": "category", "device_timeline": "device timeline",
            "critical_path": "critical path", "common_work": "same work of both sides",
            "without_interruptions": "without interruptions",
        },
        "Kernels": {
            "kernels": "name", "kernels_by_operator": "operator", "kernels_by_module": "module",
            "kernels_by_type": "data type", "kernels_by_launch": "launch configuration", "kernel_metrics": "",
            "alignment": "matched work", "launches": "launch sequence", "bound": "limit",
        },
        "Operators": {
            "operators": "name", "operators_by_shape": "input shape", "operators_by_type": "data type",
            "work_by_family": "family", "measured_work": "", "call_tree": "call tree",
        },
        "Modules": {"modules": "name", "modules_ledger": "part of the step"},
        "Collectives": {"communication": "name", "communication_by_message": "message"},
        "Copies": {"memcpy": ""},
        "Functions": {"functions": ""},
    },
    "Timeline": {"Timeline": {"timelines": ""}},
    "Memory": {"Memory": {"memory": "device", "memory_operators": "operator"}},
    "Steps & ranks": {"": {"steps": ""}, "Ranks": {"ranks": ""}},
    "Run info": {
        "Environment": {"environment": ""}, "Device": {"device": ""}, "Counters": {"counters": ""},
        "Recommendations": {"recommendations": ""}, "Strict report": {"strict": ""},
    },
}  # fmt: skip
"""View of the page -> kind of row -> table -> what its rows are grouped by; in display order.

"" stands for the title of the table. Any other table is shown as a further kind of row of the breakdown.
"""

MADE_OF: Mapping[str, str] = {
    "kernels_by_operator": "kernels", "kernels_by_module": "kernels", "kernels_by_type": "kernels",
    "kernels_by_launch": "kernels", "alignment": "kernels", "device": "kernels",
    "operators_by_type": "operators_by_shape", "work_by_family": "operators_by_shape", "call_tree": "operators",
    "communication_by_message": "communication", "memory_operators": "memory",
}  # fmt: skip
"""Table -> the table whose data it is made of, and whose absence explains its own."""
