// The name of a kernel or operator in a narrow place.

/** A name; of a shortened one the telling part stays readable when space is short. */
export function NameText({ name }: { name: string }) {
  const cut = name.indexOf(' \u2039');
  if (cut < 0) return <span class="cell-text">{name}</span>;
  return (
    <>
      <span class="cell-text">{name.slice(0, cut)}</span>
      <span class="tell">{name.slice(cut + 1)}</span>
    </>
  );
}
