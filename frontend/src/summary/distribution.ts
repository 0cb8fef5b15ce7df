// Step times of one side as a curve: the share of steps that took at most so long.

export interface CurvePoint {
  x: number;
  /** share of values <= x */
  y: number;
}

/** Corners of the empirical distribution, ascending; one point per distinct value. */
export function ecdf(values: number[]): CurvePoint[] {
  const sorted = [...values].sort((a, b) => a - b);
  const points: CurvePoint[] = [];
  sorted.forEach((x, index) => {
    const y = (index + 1) / sorted.length;
    const last = points[points.length - 1];
    if (last && last.x === x) last.y = y;
    else points.push({ x, y });
  });
  return points;
}

/** SVG path of the steps of a curve between x0 and x1. */
export function curvePath(points: CurvePoint[], place: (x: number) => number, level: (y: number) => number, x0: number, x1: number): string {
  let path = `M${place(x0).toFixed(1)} ${level(0).toFixed(1)}`;
  for (const point of points) path += `H${place(point.x).toFixed(1)}V${level(point.y).toFixed(1)}`;
  return `${path}H${place(x1).toFixed(1)}`;
}
