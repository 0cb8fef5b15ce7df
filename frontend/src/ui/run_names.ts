// Short names of runs in the pickers, and of devices.

/** Most characters of a run's label. */
const RUN_LABEL = 28;

/** Characters kept of the path before a long last part. */
const MIN_HEAD = 4;

/** Shortens a run's name to fit the picker. Cuts the middle, because runs differ at their ends; the last part of a path
 *  stays whole if it fits. */
export function runLabel(run: string): string {
  if (run.length <= RUN_LABEL) return run;
  const last = run.slice(run.lastIndexOf('/'));
  const usual = RUN_LABEL - 1 - Math.floor(RUN_LABEL * 0.4);
  const tail = last.startsWith('/') && last.length <= RUN_LABEL - 1 - MIN_HEAD ? Math.max(last.length, usual) : usual;
  return `${run.slice(0, RUN_LABEL - 1 - tail)}…${run.slice(-tail)}`;
}

/** Labels of several runs. Labels that would be equal start with the last part of the path, then name the directories that
 *  differ, so that truncation at the end loses the least. */
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

/** A run's name next to another's: whole if it fits, else without the directories, then the words, that both share. */
export function labelBeside(run: string, other: string | undefined): string {
  if (run.length <= RUN_LABEL) return run;
  let cut = 0;
  for (let at = 0; at < run.length && run[at] === other?.[at]; at += 1) if (run[at] === '/') cut = at;
  const label = cut === 0 ? run : `…${run.slice(cut)}`;
  return label.length <= RUN_LABEL ? label : runLabel(withoutSharedWords(label, run, other ?? ''));
}

/** Drops the leading words that both runs' last path parts share: "…/night/…_64" for `night/training_bs_64`. Of equal
 *  parts the beginning is left: "…/h100/bert-bas…". */
function withoutSharedWords(label: string, run: string, other: string): string {
  const [own, others] = [lastPart(run), lastPart(other)];
  const before = label.slice(0, label.length - own.length);
  if (own === others) return `${before}${own.slice(0, 2 * MIN_SHARED)}…`;
  const cut = sharedStart(own, others);
  return cut < MIN_SHARED ? label : `${before}…${own.slice(cut)}`;
}

/** The shortest name that differs from the other run's: the last path part without the leading and trailing words that
 *  both share. */
export function differenceTo(run: string, other: string): string {
  const [own, others] = [lastPart(run), lastPart(other)];
  if (own === others) return labelBeside(run, other);
  const from = sharedStart(own, others);
  const reversed = (text: string): string => [...text].reverse().join('');
  const end = sharedStart(reversed(own.slice(from)), reversed(others.slice(from)));
  const to = own.length - (end > 0 ? end + 1 : 0);
  return `${from < MIN_SHARED ? own.slice(0, to) : `…${own.slice(from, to)}`}${to < own.length ? '…' : ''}`;
}

const lastPart = (run: string): string => run.slice(Math.max(run.lastIndexOf('/'), run.lastIndexOf('#')) + 1);

/** Length of the whole words that both begin with. */
function sharedStart(own: string, others: string): number {
  let cut = 0;
  for (let at = 0; at < own.length && own[at] === others[at]; at += 1) if (/[_.\-]/.test(own[at]!)) cut = at;
  return cut;
}

/** Shared words are dropped from a long label only if they have at least this many characters. */
const MIN_SHARED = 4;

/** Drops the vendor before a device's model: "A100-SXM4-40GB" for "NVIDIA A100-SXM4-40GB". */
export function deviceName(name: string): string {
  return /^[A-Z][a-zA-Z()]+ (?=.*\d)/.test(name) ? name.slice(name.indexOf(' ') + 1) : name;
}
