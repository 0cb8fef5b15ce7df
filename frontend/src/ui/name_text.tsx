// The name of a kernel or operator in little space.

/** Longer names keep their end: kernels and backward operators often differ only there. */
const LONG = 16;
const TAIL = 8;

const widths = new Map<string, number>();
let pen: CanvasRenderingContext2D | null | undefined;

/** Width of a text in the page's font, in whole pixels. It must be exact: reserving more for a name's end would truncate
 *  names that fit. */
function widthOf(text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (pen === undefined) {
    pen = document.createElement('canvas').getContext?.('2d') ?? null;
    if (pen) pen.font = getComputedStyle(document.body).font;
  }
  const width = Math.floor(pen?.measureText(text).width ?? 6 * text.length);
  widths.set(text, width);
  return width;
}

/** A name that is truncated if space is short: a short form keeps its ‹distinguishing› part, a long identifier its end. */
export function NameText({ name }: { name: string }) {
  const cut = name.indexOf(' \u2039');
  // the last word, as in `autograd::engine::evaluate_function: AddmmBackward0`
  const last = /: (\S{1,28})$/.exec(name)?.[1];
  if (cut < 0 && name.length > LONG && (last || !/\s/.test(name))) {
    const tail = last ?? name.slice(-TAIL);
    return (
      <span class="cell-name">
        <span class="cell-head" style={{ maxWidth: `calc(100% - ${widthOf(tail)}px)` }}>
          {name.slice(0, -tail.length)}
        </span>
        {tail}
      </span>
    );
  }
  if (cut < 0) return <span class="cell-text clip">{name}</span>;
  return (
    <>
      <span class="cell-text clip">{name.slice(0, cut)}</span>
      <span class="tell">{name.slice(cut + 1)}</span>
    </>
  );
}
