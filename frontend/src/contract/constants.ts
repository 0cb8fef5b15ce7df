// Written by build_support/wire_types.py from constants of the server: do not edit.

/** view -> kind of row -> table -> grouping, in display order; "" is the title of the table */
export const VIEWS = {
  "Summary": {
    "Summary": {"summary": ""}
  },
  "Breakdown": {
    "Everything": {"attribution": "part and entry", "categories": "category", "device_timeline": "device timeline", "critical_path": "critical path", "common_work": "same work of both sides", "without_interruptions": "without interruptions"},
    "Kernels": {"kernels": "name", "kernels_by_operator": "operator", "kernels_by_module": "module", "kernels_by_type": "data type", "kernels_by_launch": "launch configuration", "kernel_metrics": "", "alignment": "matched work", "launches": "launch sequence", "bound": "limit"},
    "Operators": {"operators": "name", "operators_by_shape": "input shape", "operators_by_type": "data type", "work_by_family": "family", "measured_work": "", "call_tree": "call tree"},
    "Modules": {"modules": "name", "modules_ledger": "part of the step"},
    "Collectives": {"communication": "name", "communication_by_message": "message"},
    "Copies": {"memcpy": ""},
    "Functions": {"functions": ""}
  },
  "Timeline": {
    "Timeline": {"timelines": ""}
  },
  "Memory": {
    "Memory": {"memory": "device", "memory_operators": "operator"}
  },
  "Steps & ranks": {
    "": {"steps": ""},
    "Ranks": {"ranks": ""}
  },
  "Run info": {
    "Environment": {"environment": ""},
    "Device": {"device": ""},
    "Counters": {"counters": ""},
    "Recommendations": {"recommendations": ""},
    "Strict report": {"strict": ""}
  }
} as const;

/** table -> the table whose absence explains its own */
export const MADE_OF = {
  "kernels_by_operator": "kernels",
  "kernels_by_module": "kernels",
  "kernels_by_type": "kernels",
  "kernels_by_launch": "kernels",
  "alignment": "kernels",
  "device": "kernels",
  "operators_by_type": "operators_by_shape",
  "work_by_family": "operators_by_shape",
  "call_tree": "operators",
  "communication_by_message": "communication",
  "memory_operators": "memory"
} as const;

/** format -> its name, alone and with its article */
export const FORMATS = {
  "torch_profiler_trace": ["torch.profiler trace", "a torch.profiler trace"],
  "profiler_answers": ["saved torch-tb-profiler answers", "saved torch-tb-profiler answers"],
  "kernel_listing": ["kernel listing", "a kernel listing"],
  "perf_data": ["perf_data table", "a perf_data table"],
  "ncu_csv": ["ncu --csv export", "an ncu --csv export"],
  "baseline": ["saved baseline", "a saved baseline"]
} as const;

/** a resource limits a launch from this share of its peak on */
export const BOUND = 0.6 as const;

/** what limits a launch */
export const BOUND_CLASSES = ["tensor-bound", "memory-bound", "both", "neither", "not measured"] as const;
