import { expect, it } from 'vitest';
import { shortOf } from '../../src/ui/names';

it('a name has the short form that the answer gives, else stays as it is, whatever it is called', () => {
  const names = { 'void at::native::reduce_kernel<512, SumOp>(int)': 'reduce_kernel ‹SumOp›' };
  expect(['void at::native::reduce_kernel<512, SumOp>(int)', 'gemm', 'constructor'].map((name) => shortOf(names, name))).toEqual(['reduce_kernel ‹SumOp›', 'gemm', 'constructor']);
  expect(shortOf(undefined, 'toString')).toBe('toString');
});
