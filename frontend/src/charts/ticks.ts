// Round tick values for an axis.

/** The smallest 1, 2 or 5 times a power of ten that is at least `rough`. */
export function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
}

/** Multiples of 1, 2 or 5 times a power of ten inside [low, high], about `wanted` of them. */
export function niceTicks(low: number, high: number, wanted: number): number[] {
  if (!(high > low) || wanted < 1) return [low];
  const step = niceStep((high - low) / wanted);
  const ticks: number[] = [];
  // `+ 0` turns -0 into 0; toPrecision removes float noise such as 0.30000000000000004
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index += 1)
    ticks.push(Number((index * step + 0).toPrecision(12)));
  return ticks;
}
