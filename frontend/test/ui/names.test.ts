import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ShortNames, shortNames } from '../../src/ui/names';

describe('kernel names', () => {
  const cases = JSON.parse(readFileSync('../tests/short_names.json', 'utf8')) as { about: string; names: string[]; short: string[] }[];
  it.each(cases)('$about', ({ names, short }) => expect(shortNames(names)).toEqual(short));
  it.each(cases)('the same where the list grows: $about', ({ names, short }) => {
    const all = new ShortNames();
    for (const name of names) all.add([name]);
    expect(names.map((name) => all.of(name))).toEqual(short);
  });
  it('in time that grows with the length of a name', () => {
    const hostile = ['<'.repeat(200_000), `void f<${'a_'.repeat(100_000)}>(int)`, 'f::'.repeat(60_000)];
    expect(shortNames(hostile)[1]).toBe('f');
    expect(shortNames(hostile)[0]).toBe(hostile[0]);
  });
});
