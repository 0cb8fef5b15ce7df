// Which of the PyTorch Profiler tab's views shows what a row is about, and how its search finds the row there.

/** A row of a table by its key. */
export interface TableRow {
  table: string;
  row: string;
}

export interface ProfilerView {
  /** as that tab's list of views names it, to choose and to read */
  value: string;
  label: string;
  /** what is typed there, by the label of the field; only where the fields are */
  search: { field: string; name: string }[];
}

const VIEWS: Record<string, { value: string; label: string; fields: string[] }> = {
  operators: { value: 'Operator', label: 'Operator', fields: ['Search by Name'] },
  operators_by_shape: { value: 'Operator', label: 'Operator', fields: ['Search by Name'] },
  operators_by_type: { value: 'Operator', label: 'Operator', fields: ['Search by Name'] },
  kernels: { value: 'Kernel', label: 'GPU Kernel', fields: ['Search by Kernel Name'] },
  kernels_by_launch: { value: 'Kernel', label: 'GPU Kernel', fields: ['Search by Kernel Name'] },
  kernels_by_module: { value: 'Kernel', label: 'GPU Kernel', fields: ['Search by Kernel Name'] },
  kernels_by_type: { value: 'Kernel', label: 'GPU Kernel', fields: ['Search by Kernel Name'] },
  kernels_by_operator: { value: 'Kernel', label: 'GPU Kernel', fields: ['Search by Kernel Name', 'Search by Operator Name'] },
  modules: { value: 'Module', label: 'Module', fields: [] },
  memory: { value: 'Memory', label: 'Memory', fields: [] },
  memory_curves: { value: 'Memory', label: 'Memory', fields: [] },
  memory_allocations: { value: 'Memory', label: 'Memory', fields: [] },
  communication: { value: 'Distributed', label: 'Distributed', fields: [] },
  ranks: { value: 'Distributed', label: 'Distributed', fields: [] },
  call_tree: { value: 'Trace', label: 'Trace', fields: [] },
};

/** Null where the tab has no view of such rows: it is then opened on the run. */
export function profilerView({ table, row }: TableRow): ProfilerView | null {
  const found = VIEWS[table];
  if (!found) return null;
  const keys = row.split(' › ');
  return { value: found.value, label: found.label, search: found.fields.flatMap((field, index) => (keys[index] ? [{ field, name: keys[index]! }] : [])) };
}
