// Toolbar above the timelines: step pickers, colors, search, zoom, trace downloads.

import { ZoomButtons } from '../charts/zoom_buttons';
import { formatTime } from '../ui/format';
import { Menu, MenuItems, type Item } from '../ui/controls/menu';
import { SearchBox } from '../ui/controls/search_box';
import { Segments } from '../ui/controls/segments';
import { Toolbar } from '../ui/controls/toolbar';
import { Badge, sideName, type Letter } from '../ui/sides';
import { readChoice, traceUrl, writeChoice, type Choice } from './data/fetch';
import type { Picture } from './data/wire';
import { words } from './data/words';
import type { Colors } from './drawing/paint';

interface StepPickerProps {
  side: Letter;
  choice: Choice;
  /** the step that the server resolved the choice to */
  whole: Picture | null;
  otherIsSame: boolean;
  onChoose: (choice: string) => void;
}

/** Selects the typical step, the longest, the same as on the other side, or any step. */
export function StepPicker({ side, choice, whole, otherIsSame, onChoose }: StepPickerProps) {
  const steps = whole?.wire.steps;
  const label = whole?.wire.step.label ?? '';
  const named = (word: string): string => (choice.step === word ? label : '');
  const several = steps !== undefined && new Set(steps.label.map((_, at) => `${steps.worker[at]}\n${steps.span[at]}`)).size > 1;
  const options = (steps?.label ?? []).map((text, at) => ({
    value: writeChoice({ step: text, worker: several ? steps!.worker[at]! : '', span: several ? steps!.span[at]! : '' }),
    text: words.step.one(text, formatTime(steps!.total_ns[at]! / 1000), several ? words.step.where(steps!.worker[at]!, steps!.span[at]!) : '', steps!.reason[at]!),
    compared: steps!.reason[at] === '',
    drawable: steps!.drawable[at]!,
  }));
  const value = writeChoice(choice);
  const known = ['', 'worst', 'same'].includes(value) || options.some((option) => option.value === value);
  return (
    <label class={`st-step inline side-${side}`}>
      <Badge side={side} />
      <select class="select" aria-label={words.step.choose(sideName(side))} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{words.step.typical(named('typical'))}</option>
        <option value="worst">{words.step.worst(named('worst'))}</option>
        <option value="same" disabled={otherIsSame}>
          {words.step.same(named('same'))}
        </option>
        {!known && <option value={value}>{words.head.step(readChoice(value).step)}</option>}
        {[true, false].map(
          (compared) =>
            options.some((option) => option.compared === compared) && (
              <optgroup key={String(compared)} label={compared ? words.step.groups.compared : words.step.groups.others}>
                {options.map(
                  (option) =>
                    option.compared === compared && (
                      <option key={option.value} value={option.value} disabled={!compared && !option.drawable}>
                        {option.text}
                      </option>
                    ),
                )}
              </optgroup>
            ),
        )}
        {whole?.wire.steps_left_out !== undefined && <option disabled>{words.step.more(whole.wire.steps_left_out)}</option>}
      </select>
    </label>
  );
}

interface DownloadsProps {
  pair: URLSearchParams;
  /** labels of the drawn steps, null while they are unknown */
  steps: Record<Letter, Choice> | null;
}

interface ToolsProps extends DownloadsProps {
  colors: Colors;
  search: string;
  /** error in the search text, "" if none */
  problem: string;
  found: string;
  onColors: (colors: Colors) => void;
  onSearch: (text: string) => void;
  onNext: () => void;
  onZoom: (key: '+' | '-' | '0') => void;
}

export function Tools({ colors, search, problem, found, onColors, onSearch, onNext, onZoom, ...downloads }: ToolsProps) {
  return (
    <>
      <SearchBox value={search} problem={problem} onSearch={onSearch} onKey={(event) => event.key === 'Enter' && onNext()} />
      {found !== '' && (
        <span class="st-found small soft" role="status">
          {found}
        </span>
      )}
      <Toolbar class="contents" label={words.toolbar}>
        <Segments label={words.color.label} all={['kind', 'change'] as const} chosen={(one) => colors === one} name={(one) => words.color[one]} title={(one) => one === 'kind' ? words.color.kindAbout : words.color.changeAbout} onChoose={(one) => onColors(one)} />
        <ZoomButtons onZoom={onZoom} />
        <span class="spacer" />
        <Downloads {...downloads} />
      </Toolbar>
    </>
  );
}

function Downloads({ pair, steps }: DownloadsProps) {
  const one = (side: Letter): Item => ({ label: words.download.one(sideName(side), steps![side].step), note: words.download.oneAbout, href: traceUrl(pair, side, steps!, false) });
  const items = (): Item[] => [one('a'), one('b'), { label: words.download.both, note: words.download.bothAbout, href: traceUrl(pair, 'a', steps!, true) }];
  return (
    <Menu label={words.download.label} icon="export" align="right" disabled={!steps}>
      {(close) => (
        <>
          <p class="pop-note muted">{words.download.about}</p>
          <MenuItems items={items()} close={close} />
        </>
      )}
    </Menu>
  );
}
