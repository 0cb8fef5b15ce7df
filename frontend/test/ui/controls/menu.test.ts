import { expect, it } from 'vitest';
import { shiftInto } from '../../../src/ui/controls/menu';

it.each([
  ['inside', 40, 200, 0],
  ['beyond the left edge', -195, 64, 203],
  ['beyond the right edge', 300, 420, -38],
  ['wider than the window', -20, 600, 28],
])('a panel %s is moved so that it is in sight', (_, left, right, by) => {
  expect(shiftInto(left, right, 390)).toBe(by);
});
