// The name of a kernel or operator in a narrow place.

/** Names longer than this keep their end: kernels often differ there only. */
const LONG = 26;
const TAIL = 10;

/** A name; of a shortened one the telling part stays readable when space is short, of a long identifier its end. */
export function NameText({ name }: { name: string }) {
  const cut = name.indexOf(' \u2039');
  if (cut < 0 && name.length > LONG && !/\s/.test(name))
    return (
      <span class="cell-name">
        <span class="cell-head">{name.slice(0, -TAIL)}</span>
        {name.slice(-TAIL)}
      </span>
    );
  if (cut < 0) return <span class="cell-text">{name}</span>;
  return (
    <>
      <span class="cell-text">{name.slice(0, cut)}</span>
      <span class="tell">{name.slice(cut + 1)}</span>
    </>
  );
}
