// Short forms of device kernel names, the same as tb_perfcompare/model/names/short_names.py makes. The full name stays in titles, the side panel and every export.

interface Parts {
  base: string;
  args: string[];
}

/** `void at::native::foo<float, Bar<3> >(...)` -> foo and its template arguments. */
function parts(name: string): Parts {
  const text = name.replace(/^(void|static)\s+/, '').replace(/\(anonymous namespace\)/g, '{anonymous}');
  let depth = 0;
  let start = -1;
  let end = text.length;
  const args: string[] = [];
  let base = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '<') {
      if (depth === 0 && start < 0) {
        base = text.slice(0, at);
        start = at + 1;
      }
      depth += 1;
    } else if (letter === '>' && depth > 0) {
      depth -= 1;
      if (depth === 0) {
        args.push(text.slice(start, at).trim());
        break;
      }
    } else if (letter === ',' && depth === 1) {
      args.push(text.slice(start, at).trim());
      start = at + 1;
    } else if (letter === '(' && depth === 0) {
      end = at;
      break;
    }
  }
  if (base === '') base = text.slice(0, end);
  return { base: base.split('::').pop()?.trim() || text, args };
}

const FUNCTOR = /[Ff]unctor|Ops?\b/;
const TILE = /\d{2,4}x\d{1,4}(?:x\d{1,4})?/;

/** The part of the arguments that tells two instances apart for a reader: a functor, or a tile size. */
function telling(args: string[]): string {
  const text = args.join(',');
  const functor = FUNCTOR.exec(text);
  if (!functor) return TILE.exec(text)?.[0] ?? '';
  let from = functor.index;
  let to = from + functor[0].length;
  while (from > 0 && isWord(text[from - 1]!)) from -= 1;
  while (to < text.length && isWord(text[to]!)) to += 1;
  return text.slice(from, to);
}

const isWord = (letter: string): boolean => /\w/.test(letter);

/** Whether it holds `<...>` or `::...(`. A pattern would take time that grows with the square of the length. */
function isSignature(line: string): boolean {
  const opening = line.indexOf('<');
  const scope = line.indexOf('::');
  return (opening >= 0 && line.includes('>', opening)) || (scope >= 0 && line.includes('(', scope));
}

/** Names that are not C++ signatures stay as they are. */
export function shortName(name: string): string {
  if (name.length < 40 || !name.split('\n').some(isSignature)) return name;
  const { base, args } = parts(name);
  const tell = telling(args);
  return tell ? `${base} \u2039${tell}\u203a` : base;
}

/** Just the function of an argument such as `at::native::GeluCUDAKernelImpl(...)::{lambda()#1}`. */
function bare(arg: string): string {
  return arg.split(/[(<{]/)[0]?.split('::').pop()?.trim() || arg;
}

/** Short names for a list, equal only where the names are; where others would be, the arguments that tell them apart are added, else the full name. */
export function shortNames(names: string[]): string[] {
  const told = new Map<string, string>();
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const text = shortName(name);
    told.set(name, text);
    const group = groups.get(text);
    if (group) group.push(name);
    else groups.set(text, [name]);
  }
  for (const [text, group] of groups) {
    if (group.length < 2) continue;
    const added = differences(group.map((name) => parts(name).args));
    group.forEach((name, position) => told.set(name, added ? `${text} \u2039${added[position]}\u203a` : name));
  }
  if (new Set(told.values()).size < told.size) return names; // a name may be written like the short form of another
  return names.map((name) => told.get(name)!);
}

/** The fewest arguments, from the left, that make all lists different; null if none do. */
function differences(lists: string[][]): string[] | null {
  const width = Math.max(...lists.map((args) => args.length));
  let told = lists.map(() => '');
  let distinct = 1;
  for (let place = 0; place < width && distinct < lists.length; place += 1) {
    const full = lists.map((args) => args[place] ?? '');
    const cut = full.map(bare);
    const values = new Set(cut).size === new Set(full).size ? cut : full;
    const longer = told.map((text, index) => (text === '' ? values[index]! : `${text}, ${values[index]}`));
    if (new Set(longer).size === distinct) continue;
    told = longer;
    distinct = new Set(longer).size;
  }
  return distinct === lists.length ? told : null;
}

const RUN_LABEL = 28;

/** Of the directory before a long last part, so many letters are kept. */
const LEAST_HEAD = 4;

/** A run's name that fits the picker: runs differ at their ends, so the middle is what goes. The last part of a path stays whole if it can. */
export function runLabel(run: string): string {
  if (run.length <= RUN_LABEL) return run;
  const last = run.slice(run.lastIndexOf('/'));
  const usual = RUN_LABEL - 1 - Math.floor(RUN_LABEL * 0.4);
  const tail = last.startsWith('/') && last.length <= RUN_LABEL - 1 - LEAST_HEAD ? Math.max(last.length, usual) : usual;
  return `${run.slice(0, RUN_LABEL - 1 - tail)}…${run.slice(-tail)}`;
}

/** Labels of several runs. Where some would be equal, the last part stands first and behind it the directories that tell
 *  them apart: what is cut off at the end is the least. */
export function runLabels(runs: string[]): string[] {
  const labels = runs.map(runLabel);
  return runs.map((run, index) => {
    const label = labels[index]!;
    const alike = runs.filter((_, other) => labels[other] === label).map((one) => one.split('/'));
    if (alike.length < 2) return label;
    const own = run.split('/');
    let common = 0;
    while (common < own.length - 1 && alike.every((other) => other[common] === own[common])) common += 1;
    const where = own.slice(common, -1).join('/');
    return where === '' ? run : `${own[own.length - 1]} (${where})`;
  });
}
