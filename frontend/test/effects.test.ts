import { expect, it } from 'vitest';

const sources = import.meta.glob<string>('../src/**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });

// An effect after the frame leaves one frame with the state before: the last pair's answer below the new pair's names, or
// a key that is pressed meanwhile and taken back.
it('runs effects before the frame is drawn', () => {
  const names = Object.keys(sources);
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => /\buseEffect\b/.test(sources[name]!))).toEqual([]);
});
