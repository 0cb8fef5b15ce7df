import { describe, expect, it } from 'vitest';
import { jsonLines } from '../../src/api/api';

async function linesOf(...chunks: Uint8Array<ArrayBuffer>[]): Promise<object[]> {
  const found: object[] = [];
  const body = new ReadableStream<BufferSource>({
    start(stream) {
      for (const chunk of chunks) stream.enqueue(chunk);
      stream.close();
    },
  });
  for await (const line of jsonLines<object>(body)) found.push(line);
  return found;
}

describe('lines of JSON', () => {
  const bytes = new TextEncoder().encode('{"a":"µ"}\n\n{"b":2}\n{"c":3}');
  it('come out whole wherever the chunks are cut', async () => {
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(await linesOf(bytes.slice(0, cut), bytes.slice(cut))).toEqual([{ a: 'µ' }, { b: 2 }, { c: 3 }]);
  });
  it('do not hide a broken line', async () => {
    await expect(linesOf(new TextEncoder().encode('{"a":\n'))).rejects.toThrow();
  });
});
