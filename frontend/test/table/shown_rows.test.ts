import { expect, it } from 'vitest';
import { shorterStep } from '../../src/table/shown_rows';

it('rows are measured against the same step whichever side is which', () => {
  expect(shorterStep(2000, 900)).toBe(900);
  expect(shorterStep(900, 2000)).toBe(900);
  expect(shorterStep(null, 900)).toBeNull();
});
