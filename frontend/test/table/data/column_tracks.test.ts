import { expect, test } from 'vitest';
import { NARROWEST, readWidths, WIDEST, withWidth } from '../../../src/table/data/column_tracks';
import { readPins, togglePin } from '../../../src/ui/pins';

test('widths are kept per column, and the usual one is not kept', () => {
  const two = withWidth(withWidth('', 'name', 240.4), 'delta_us', 90);
  expect(two).toBe('name:240,delta_us:90');
  expect(withWidth(two, 'name', null)).toBe('delta_us:90');
});

test('a width is never so small or large that its column is lost, whatever a link says', () => {
  expect(readWidths('a:1,b:9999,c:x,:5,d')).toEqual({ a: NARROWEST, b: WIDEST });
});

test('pins are added and taken away; a damaged link has none', () => {
  const both = togglePin(togglePin('', 'a › b'), 'c, "d"');
  expect(readPins(both)).toEqual(['a › b', 'c, "d"']);
  expect(togglePin(togglePin(both, 'a › b'), 'c, "d"')).toBe('');
  expect([readPins('['), readPins('{}'), readPins('[1,"x"]')]).toEqual([[], [], ['x']]);
});
