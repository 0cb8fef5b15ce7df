"""Differences of Cambricon's fork for PyTorch 2.4: events are changed before reading, answers after.

Differences while reading are in original.py.
"""

from __future__ import annotations

from typing import Any

from tb_perfcompare.analysis.compat.events import Event
from tb_perfcompare.model.recordings.recording import TraceEvents

CATEGORIES = {
    "privateuse1_runtime": "runtime", "mlu_runtime": "runtime", "mlu_memcpy": "memcpy", "mlu_memset": "memset",
    "mlu_user_annotation": "user_annotation",
}  # fmt: skip
"""The fork's own event categories, including older branches, and the GPU category that each is read as."""

_ARGUMENTS = {
    "grid": "dim", "block": "kernel type", "registers per thread": "tasktopo", "shared memory": "tasktopo_node",
    "est. achieved occupancy %": "", "blocks per SM": "",
}  # fmt: skip
"""Kernel arguments of a GPU, and the argument that the fork shows in their place ("" for none)."""

_MEMORY = "totalMem(MiB)"
_MEMORY_TYPE, _GPU_MEMORY_TYPE = 20, 1
_HIDDEN = ("Register Per Thread", "Shared Memory", "Op is Tensor Cores eligible")
_TITLES = {"Grid": "DimXYZ", "Block": "Kernel Type"}
_USES = "Whether this kernel uses Tensor Cores."
_NEVER_USES = " It's always NO On MLU devices because MLU does not have Tensor Cores."
_SHARE = "for all kernels.\n"
_NO_SHARE = "It is always 0.0 On MLU devices because MLU does not using Tensor Cores.\n"


def is_from_cambricon(trace: TraceEvents) -> bool:
    names = (str(device.get("name", "")) for device in trace.device_properties)
    return any(name.upper().startswith("MLU") for name in names) or any(map(_says_mlu, trace.events))


def _says_mlu(event: Event) -> bool:
    category, args = event.get("cat", "").lower(), event["args"]
    if category == "kernel":
        return not args.keys().isdisjoint(("kernel type", "dim", "tasktopo"))
    if category in ("privateuse1_runtime", "mlu_runtime"):
        return str(event.get("name", "")).startswith("cn")
    return event.get("name") == "process_labels" and str(args.get("labels", "")).startswith("MLU ")


def as_gpu(event: Event) -> Event:
    """Renames a kernel's properties to those of a GPU, without occupancy; device memory becomes GPU memory."""
    args = dict(event["args"])
    if event.get("cat") == "kernel":
        args.update({gpu: args.get(own) for gpu, own in _ARGUMENTS.items()})
    else:
        kind = args.get("Device Type")
        args["Device Type"] = _GPU_MEMORY_TYPE if kind == _MEMORY_TYPE else None if kind else kind
    return {**event, "args": args}


def devices_as_gpus(devices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Converts device properties to a GPU's: renames the memory size and drops GPU-only properties."""
    converted = [{key: device[key] for key in ("name",) if key in device} for device in devices]
    for properties, device in zip(converted, devices, strict=True):
        if isinstance(device.get(_MEMORY), (int, float)):
            properties["totalGlobalMem"] = device[_MEMORY] * 1024 * 1024
    return converted


def overview_of_mlu(overview: dict[str, Any]) -> dict[str, Any]:
    """Rewrites the overview answer in the fork's words."""
    advice = _named(overview["recommendations"]).replace("multi-MLU", "multi-GPU").replace("Nccl", "Cncl")
    answer = {**overview, "recommendations": advice, "environments": [
        {**row, "value": _named(row["value"])} for row in overview["environments"]
    ]}  # fmt: skip
    summary = answer.pop("gpu_metrics", None)
    if summary is not None:
        answer["mlu_metrics"] = {
            "title": _named(summary["title"]),
            "data": [{**row, "title": _named(row["title"])} for row in summary["data"]],
            "tooltip": _named(summary["tooltip"]).replace(_SHARE, _SHARE + _NO_SHARE),
        }
    return answer


def kernels_of_mlu(answer: dict[str, Any]) -> dict[str, Any]:
    """Rewrites a kernel table with the fork's columns."""
    table = answer["data"]
    titles = [column["name"] for column in table["columns"]]
    shown = [place for place, title in enumerate(titles) if title not in _HIDDEN]
    columns = [_column(table["columns"][place]) for place in shown]
    if "Block" in titles:  # launches, which may lack a kernel type
        kind = titles.index("Block")
        for row in table["rows"]:
            row[kind] = None if row[kind] == "None" else row[kind]
    rows = [[row[place] for place in shown] for row in table["rows"]]
    return {**answer, "data": {"columns": columns, "rows": rows}}


def _column(column: dict[str, Any]) -> dict[str, Any]:
    answer = {**column, "name": _TITLES.get(column["name"], column["name"])}
    return {**answer, "tooltip": _USES + _NEVER_USES} if column.get("tooltip") == _USES else answer


def memory_of_mlu(answer: dict[str, Any]) -> dict[str, Any]:
    """Rewrites a memory answer with MLU as the devices' name."""
    about = dict(answer["metadata"])
    about["default_device"] = _named(about["default_device"])
    if "devices" in about:
        about["devices"] = [_named(device) for device in about["devices"]]
        about["peaks"] = {_named(device): peak for device, peak in about["peaks"].items()}
    return {**answer, "metadata": about, "rows": {_named(device): rows for device, rows in answer["rows"].items()}}


def _named(text: str) -> str:
    return text.replace("GPU", "MLU")
