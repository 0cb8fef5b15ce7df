import { describe, expect, it } from 'vitest';
import { LineDecoder } from '../../src/api/api';

describe('lines of JSON', () => {
  const bytes = new TextEncoder().encode('{"a":"µ"}\n\n{"b":2}\n{"c":3}');
  it('come out whole wherever the chunks are cut', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const decoder = new LineDecoder<object>();
      expect([...decoder.push(bytes.slice(0, cut)), ...decoder.push(bytes.slice(cut)), ...decoder.end()]).toEqual([{ a: 'µ' }, { b: 2 }, { c: 3 }]);
    }
  });
  it('do not hide a broken line', () => {
    expect(() => new LineDecoder().push(new TextEncoder().encode('{"a":\n'))).toThrow();
  });
});
