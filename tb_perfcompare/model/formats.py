"""The input formats: keys used in answers, and their names for users."""

from __future__ import annotations

TRACE = "torch_profiler_trace"
ANSWERS = "profiler_answers"
LISTING = "kernel_listing"
NCU = "ncu_csv"
CYCLES = "perf_data"
BASELINE = "baseline"

TITLES: dict[str, str] = {
    TRACE: "torch.profiler trace",
    ANSWERS: "saved torch-tb-profiler answers",
    LISTING: "kernel listing",
    NCU: "ncu --csv export",
    CYCLES: "perf_data table",
    BASELINE: "saved baseline",
}
"""Format -> its name for users."""
