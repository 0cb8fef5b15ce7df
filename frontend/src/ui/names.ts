// Short forms of names of kernels and of autograd's nodes, the same as tb_perfcompare/model/names/short_names.py makes; tests/short_names.json
// tests both. Tooltips, row details and exports have the full name.

/** Shorter names stay unchanged. */
const SHORTEST = 40;

/** Most words of a name's arguments that are examined to distinguish it from others. */
const MAX_WORDS = 200;

/** Functions that only call their template argument. */
const WRAPPERS = new Set(['Kernel', 'Kernel2', 'device_kernel', 'kentry', '_kernel_agent', 'trampoline_kernel']);

/** A shorter function name, such as `run` or `dispatch`, is shown with its namespace. */
const SAYS_LITTLE = 10;

const FUNCTOR = /[Ff]unctor|Ops?\b|\bOp[A-Z]/;

/** Templates that wrap an operation, which is one of their arguments or follows them. */
const CARRIER = /^(?:(?:[AB]?Unary|Binary|Ternary)Functor|(?:Unary|Binary|Ternary|Pointwise)Op\w*Functor|ReduceOp|func_wrapper_t|\w{0,30}gpu_\w{0,30}kernel\w*)$/;

const PLAIN_TYPE =
  /^(?:\d\w*|u?int\d*(?:_t)?|unsigned|signed|long|short|char|bool|float\d?|double|void|const|complex|[aA]rray|_*(?:nv_|hip_)?(?:[Hh]alf|[Bb][Ff]loat16)\d?(?:_t)?|_*(?:nv_)?(?:[Ff]loat8|fp8|float_e)\w*|OpaqueType|lambda|operator)$/;
const CAST = /\((?:\w+::)*\w+\)(?=-?\d)/g;
const SUFFIX = /(?<=\b\d)[uUlL]+\b|(?<=\d\d)[uUlL]+\b/g;
const UNNAMED = '{anonymous}';
const CUTLASS = /\bcutlass\w{12,}/;
const TILE = /\d{2,4}x\d{1,4}(?:x\d{1,4})?/;
const CUTE_TILE = /tuple<(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>/g;
/** What Python writes into the qualified name of a function, where C++ has template arguments. */
const PYTHON = /<(?:locals|lambda|module|listcomp|dictcomp|setcomp|genexpr)>/;
const SIZES = /\b\d{2,4}(?:, ?\d{2,4}){2,3}\b/;

/** Names without template arguments, as function, tile and rest: Tensile (hipBLASLt, rocBLAS); cuBLAS and cuDNN since sm80;
 *  other names of 80 characters or more. */
const PLAIN = [
  /^((?:Custom_)?Cijk_[A-Za-z0-9_]*?)_(MT\d+x\d+x\d+)_(.*)$/,
  /^(\w+?)_tilesize(\d+x\d+x\d+)_(.*)$/,
  /^(?=\w{80})(\w+?)_([A-Za-z]*\d+x\d+x\d+[A-Za-z0-9]*)_(\w+)$/,
];

/** The function, the part of its template arguments that distinguishes it, and those arguments as words. */
interface Signature {
  base: string;
  distinguishingArgument: string;
  words: string[];
}

interface Parts {
  scope: string[];
  args: string[];
}

const known = new Map<string, Signature | null>();

/** What autograd records around every node of the backward pass. */
const EVALUATED = /autograd::engine::(evaluate_function: )(?:\w+::)*(\w+)/g;

/** The parsed name; null for a name that stays unchanged. */
function signatureOf(name: string): Signature | null {
  let found = known.get(name);
  if (found === undefined) {
    if (known.size >= 4096) known.clear();
    found = read(name);
    known.set(name, found);
  }
  return found;
}

function read(name: string): Signature | null {
  if (name.length < SHORTEST || PYTHON.test(name)) return null;
  for (const plain of PLAIN) {
    const found = plain.exec(name);
    if (found) return { base: found[1]!, distinguishingArgument: found[2]!, words: found[3]!.split('_') };
  }
  if (name.startsWith('_Z')) {
    const { scope, args } = mangled(name);
    return scope.length > 0 ? signature(scope, args) : null;
  }
  if (!name.split('\n').some(isSignature)) return null;
  const { scope, args } = parts(name);
  return signature(scope, args);
}

function signature(given: string[], values: string[]): Signature {
  let scope = given;
  let args = values;
  if (WRAPPERS.has(last(scope))) {
    const cutlass = CUTLASS.exec(args.join(', '));
    if (cutlass) return { base: cutlass[0], distinguishingArgument: '', words: wordsOf(args) };
    let inner = args.filter(isTemplate);
    while (inner.length > 0) {
      const below = parts(inner[0]!);
      scope = below.scope;
      if (below.args.length > 0) args = below.args;
      const further = below.args.filter(isTemplate);
      inner = !last(scope).startsWith('enable_') ? [] : further.length > 0 ? further : inner.slice(1);
    }
  }
  const name = last(scope);
  const named = scope.filter((part) => part !== UNNAMED);
  const base = name.length < SAYS_LITTLE || WRAPPERS.has(name) ? named.slice(-2).join('::') : name;
  return { base, distinguishingArgument: distinguishingArgument(args), words: [...named.slice(-2, -1), ...wordsOf(args)] };
}

const isTemplate = (arg: string): boolean => arg.includes('<');

/** Whether a line contains `<...>`, `::...(` or a call. A regular expression would take quadratic time. */
function isSignature(line: string): boolean {
  const opening = line.indexOf('<');
  const scope = line.indexOf('::');
  const call = line.indexOf('(');
  return (
    (opening >= 0 && line.includes('>', opening)) || (scope >= 0 && line.includes('(', scope)) || (call > 0 && line.endsWith(')') && !line.slice(0, call).replace(/^void /, '').includes(' '))
  );
}

/** The part of template arguments that best distinguishes an instance: an operation, a tile size or a function; "" if none. */
function distinguishingArgument(args: string[]): string {
  const named = operation(wordsOf(args));
  if (named !== '') return named;
  const text = args.join(', ').replace(SUFFIX, '');
  for (const tile of text.matchAll(CUTE_TILE)) {
    const sizes = tile.slice(1, 4);
    if (sizes.some((size) => size.length > 1)) return sizes.join('x');
  }
  const size = TILE.exec(text);
  if (size) return size[0];
  for (const arg of args) {
    if (arg.startsWith('&')) return last(parts(arg.replace(/^[&(]+/, '')).scope);
    if (arg.includes('{lambda')) return bare(arg);
  }
  return SIZES.exec(text)?.[0] ?? '';
}

/** The functor among these words; without one, the operation that a carrier template wraps, else the carrier; "" for none. */
function operation(words: string[]): string {
  let [carrier, carried] = ['', ''];
  for (const word of words) {
    if (CARRIER.test(word)) [carrier, carried] = [word, ''];
    else if (FUNCTOR.test(word)) return word;
    else if (carrier !== '' && carried === '' && !PLAIN_TYPE.test(word)) carried = word;
  }
  return carried || carrier;
}

const last = (scope: string[]): string => scope[scope.length - 1]!;

/** Splits `void at::native::foo<float, Bar<3> >(...)` into [at, native, foo] and its template arguments. */
function parts(name: string): Parts {
  const text = name.replaceAll('(anonymous namespace)', UNNAMED);
  let args: string[] = [];
  let [depth, inner, start, angle, begin, end] = [0, 0, 0, -1, 0, text.length];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (!'<>,(): '.includes(letter)) continue;
    if (depth > 0 && inner > 0 && letter !== '(' && letter !== ')') continue; // in parentheses `<` and `>` may be comparisons
    if (letter === '<') {
      if (depth === 0) [angle, begin, args] = [at, at + 1, []];
      depth += 1;
    } else if (letter === '>') {
      if (depth > 0) depth -= 1;
      if (depth === 0 && angle >= 0) {
        args.push(text.slice(begin, at).trim());
        [begin, inner] = [at + 1, 0];
      }
    } else if (depth > 0) {
      if (letter === ',' && depth === 1) {
        args.push(text.slice(begin, at).trim());
        begin = at + 1;
      }
      if (letter === '(') inner += 1;
      if (letter === ')') inner = Math.max(0, inner - 1);
    } else if (letter === '(' && at > start) {
      end = at;
      break;
    } else if (letter === ':' && angle >= 0) {
      angle = -1; // these were arguments of a class whose member is the function
    } else if (letter === ' ' && !['(', '<', ''].includes(text.slice(at + 1, at + 2))) {
      [start, angle, args] = [at + 1, -1, []]; // the text before was the return type
    }
  }
  const scope = scopeOf(text.slice(start, angle >= 0 ? angle : end));
  return { scope: scope.length > 0 ? scope : [text], args };
}

/** The namespaces and name of a function, without template arguments. */
function scopeOf(text: string): string[] {
  const out: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (letter === '<') {
      if (depth === 0 && at > start) out.push(text.slice(start, at));
      depth += 1;
    } else if (letter === '>') {
      if (depth > 0) depth -= 1;
      start = at + 1;
    } else if (letter === ':' && depth === 0) {
      if (at > start) out.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (start < text.length && depth === 0) out.push(text.slice(start));
  return out.map((part) => part.trim()).filter((part) => part !== '');
}

/** The function name in an argument such as `at::native::GeluCUDAKernelImpl(...)::{lambda()#1}`. */
function bare(arg: string): string {
  return arg.replaceAll(`${UNNAMED}::`, '').split(/[(<{]/)[0]?.split('::').pop()?.trim() || arg;
}

const SCOPE = /^_Z(?:TSZ{0,20})?(?:N[KV]*)?/; // _ZTS: SYCL names a kernel as its type
const LITERAL = /L[a-z](n?)(\d+)E/y;
const LENGTH = /\d+/y;
const SUBSTITUTE = /S(?:[0-9A-Z]*_|[tabsiod])/y;
const LOCAL = /Z{1,20}N[KV]{0,4}/y;
const TYPES: Record<string, string> = { f: 'float', d: 'double', i: 'int' };

/** Scope and arguments of an Itanium-mangled name. Argument templates get a `<`, functions that contain a lambda
 *  `(){lambda}`, as demanglers write them. The scope is empty if the name cannot be parsed. */
function mangled(name: string): Parts {
  const args: string[] = [];
  const begin = nested(name, SCOPE.exec(name)![0].length);
  let at = begin.after;
  while (at < name.length) {
    const literal = matchAt(LITERAL, name, at);
    if (literal) {
      args.push((literal[1] ? '-' : '') + literal[2]!);
      at += literal[0].length;
      continue;
    }
    const local = matchAt(LOCAL, name, at);
    const { names, after } = nested(name, at + (local?.[0].length ?? 0));
    if (names.length > 0) {
      args.push(...names.slice(0, -1), last(names) + (local ? '(){lambda}' : name[after] === 'I' ? '<' : ''));
      at = after;
    } else if (after > at && !local) {
      at = after;
    } else {
      const type = TYPES[name[at]!];
      if (type) args.push(type);
      at += 1;
    }
  }
  return { scope: begin.names.filter((part) => !part.startsWith('_GLOBAL_')), args };
}

/** Consecutive names from an offset on, and the offset where they end. */
function nested(name: string, from: number): { names: string[]; after: number } {
  const names: string[] = [];
  let at = from;
  while (at < name.length) {
    const length = matchAt(LENGTH, name, at)?.[0];
    const substitute = length === undefined ? matchAt(SUBSTITUTE, name, at)?.[0] : undefined;
    if (length !== undefined) {
      const start = at + length.length;
      at = start + Number(length.slice(0, 6));
      if (at > start) names.push(name.slice(start, at));
    } else if (substitute !== undefined) {
      at += substitute.length;
    } else {
      break;
    }
  }
  return { names: names.filter((part) => part !== ''), after: at };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const WORDS = /(?:\w+::)*(\w+)/g;
const VALUE = /^(?:-?\d*|true|false)$/;

/** Every name and number in the arguments, without namespaces, casts and number suffixes. */
function wordsOf(args: string[]): string[] {
  return args.flatMap((arg) => [...arg.replaceAll(`${UNNAMED}::`, '').replace(CAST, '').replace(SUFFIX, '').matchAll(WORDS)].map((found) => found[1]!));
}

/** Short form of one name; names that are short or of no known kind stay unchanged. */
export function shortName(name: string): string {
  return textOf(name, signatureOf(name));
}

function textOf(name: string, found: Signature | null): string {
  if (!found) return name.replace(EVALUATED, '$1$2');
  return found.distinguishingArgument ? `${found.base} \u2039${found.distinguishingArgument}\u203a` : found.base;
}

/** Short forms of a list of names. Different names get different forms: by added words that distinguish them, else by the
 *  full name. */
export function shortNames(names: string[]): string[] {
  const all = new ShortNames();
  all.add(names);
  return names.map((name) => all.of(name));
}

/** Short forms for a growing list of names; each name is parsed once. */
export class ShortNames {
  private readonly shortened = new Map<string, string>();
  private readonly alike = new Map<string, { names: string[]; words: string[][] }>();
  /** number of names per short form; a full name may equal another's short form */
  private readonly uses = new Map<string, number>();
  private shared = 0;

  add(names: string[]): void {
    const changed = new Set<string>();
    for (const name of names) {
      if (this.shortened.has(name)) continue;
      const found = signatureOf(name);
      const text = textOf(name, found);
      const group = this.alike.get(text) ?? { names: [], words: [] };
      this.alike.set(text, group);
      group.names.push(name);
      group.words.push(found?.words ?? []);
      if (group.names.length > 1) changed.add(text);
      this.tell(name, text);
    }
    for (const text of changed) {
      const group = this.alike.get(text)!;
      const added = differences(group.words);
      group.names.forEach((name, at) => this.tell(name, !added ? name : added[at] ? `${text} \u2039${added[at]}\u203a` : text));
    }
  }

  /** The short form of a name that was added. */
  of(name: string): string {
    return this.shared > 0 ? name : (this.shortened.get(name) ?? name);
  }

  private tell(name: string, text: string): void {
    const before = this.shortened.get(name);
    if (before === text) return;
    if (before !== undefined) this.count(before, -1);
    this.shortened.set(name, text);
    this.count(text, 1);
  }

  private count(text: string, by: 1 | -1): void {
    const [was, is] = [this.uses.get(text) ?? 0, (this.uses.get(text) ?? 0) + by];
    this.uses.set(text, is);
    this.shared += Number(is > 1) - Number(was > 1);
  }
}

/** For each list, the few words that make all lists different, in their order; null if none do. Picks the position that
 *  separates the most lists first; among equals, types before numbers such as those of lambdas and vector widths. */
function differences(lists: string[][]): string[] | null {
  const width = Math.min(MAX_WORDS, Math.max(...lists.map((words) => words.length)));
  const hasWords = Array.from({ length: width }, (_, place) => !lists.every((words) => VALUE.test(words[place] ?? '')));
  const taken: number[] = [];
  let keys = lists.map(() => '');
  let distinct = 1;
  while (distinct < lists.length) {
    let best = -1;
    let most = distinct;
    for (let place = 0; place < width; place += 1) {
      const parts = new Set(lists.map((words, index) => `${keys[index]}\n${words[place] ?? ''}`)).size;
      if (parts > most || (parts === most && best >= 0 && hasWords[place] && !hasWords[best])) [most, best] = [parts, place];
    }
    if (best < 0) return null;
    keys = keys.map((key, index) => `${key}\n${lists[index]![best] ?? ''}`);
    taken.push(best);
    distinct = most;
  }
  taken.sort((a, b) => a - b);
  const added = lists.map((words) => taken.map((place) => words[place] ?? '').filter((word) => word !== '').join(', '));
  return new Set(added).size === lists.length ? added : null;
}
