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

const view = (value: string, label = value, ...fields: string[]) => ({ value, label, fields });
const OPERATOR = view('Operator', 'Operator', 'Search by Name');
const KERNEL = view('Kernel', 'GPU Kernel', 'Search by Kernel Name');

const VIEWS: Record<string, ReturnType<typeof view>> = {
  operators: OPERATOR, operators_by_shape: OPERATOR, operators_by_type: OPERATOR,
  kernels: KERNEL, kernels_by_launch: KERNEL, kernels_by_module: KERNEL, kernels_by_type: KERNEL,
  kernels_by_operator: { ...KERNEL, fields: [...KERNEL.fields, 'Search by Operator Name'] },
  modules: view('Module'), memory: view('Memory'), communication: view('Distributed'), ranks: view('Distributed'), call_tree: view('Trace'),
};

/** View for a row; null if that tab has none, and the tab then opens on the run only. */
export function profilerView({ table, row }: TableRow): ProfilerView | null {
  const found = VIEWS[table];
  if (!found) return null;
  const keys = row.split(' › ');
  return { value: found.value, label: found.label, search: found.fields.flatMap((field, index) => (keys[index] ? [{ field, name: keys[index]! }] : [])) };
}
