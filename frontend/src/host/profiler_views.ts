// Which view of the PyTorch Profiler tab shows a table's rows, and the search text that finds a row there.

/** A table's row, identified by its key. */
export interface TableRow {
  table: string;
  row: string;
}

export interface ProfilerView {
  /** value in that tab's list of views; `label` is its visible name */
  value: string;
  label: string;
  /** search texts by label of the field; empty for views without search fields */
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

/** View for a row; null if that tab has none, and the tab then opens on the run only. */
export function profilerView({ table, row }: TableRow): ProfilerView | null {
  const found = VIEWS[table];
  if (!found) return null;
  const keys = row.split(' › ');
  return { value: found.value, label: found.label, search: found.fields.flatMap((field, index) => (keys[index] ? [{ field, name: keys[index]! }] : [])) };
}
