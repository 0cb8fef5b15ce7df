// Rows of a long table, asked of the server.

import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { useRemoteRows } from '../../../src/table/shown_rows/use_remote_rows';
import { kernels } from '../../samples';

const table = kernels([]);
const page = { schema: 'tb_perfcompare.table/1', total_rows: 1, matching_rows: 1, sums: {}, hidden: { rows: 0, sums: {} }, all_sums: {}, statuses: {}, offset: 0, place: null, lost: 0, next_offset: null };

afterEach(() => vi.unstubAllGlobals());

it('asks for the rows of a grouping once, however often one comes back to it', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    const name = new URL(url).searchParams.get('table')!;
    asked.push(name);
    return Promise.resolve(new Response(JSON.stringify({ ...page, rows: [[`row of ${name}`, 1, 2, 1, '']] })));
  });
  const root = document.createElement('div');
  function Shown({ of }: { of: string }) {
    const { shown } = useRemoteRows({ route: 'table', query: new URLSearchParams(), tag: 't', table: of, lost: 0 }, table, {}, '');
    return <p>{String(shown?.table.rows[0]?.[0] ?? '')}</p>;
  }
  const see = async (of: string): Promise<string | null> => {
    await act(() => render(<Shown key={of} of={of} />, root));
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    return root.textContent;
  };
  expect([await see('by_name'), await see('by_shape'), await see('by_name')]).toEqual(['row of by_name', 'row of by_shape', 'row of by_name']);
  expect(asked).toEqual(['by_name', 'by_shape']);
});
