// The whole tab: chooses the pair, requests its comparison and shows a view of it.

import { useLayoutEffect, useState } from 'preact/hooks';
import { wholeRun, type Pair, type RunsAnswer, type Side } from './contract/wire';
import { firstRuns } from './early';
import { takeFocus } from './host/host';
import { STRICT, SUMMARY } from './host/tab';
import { FRESH, FRESH_STEPS, isDrawn } from './host/url_state';
import { useAddress, type Change } from './host/use_address';
import { Actions } from './pair/actions';
import { MarkerChoice } from './pair/marker_choice';
import { NoPair } from './pair/no_pair';
import { Pickers } from './pair/pickers';
import { remember } from './pair/recent';
import { alternativeChange, defaultPair, withLaunches, withSteps } from './pair/selection';
import { useRuns } from './pair/use_runs';
import { profilerLinks } from './profiler_links';
import { ResultView } from './result_view';
import { Failed, failureText } from './states/failed';
import { Loading } from './states/loading';
import { Message } from './states/message';
import { Brief } from './summary/verdict';
import { Tabs } from './tabs';
import { Button, LinkButton } from './ui/buttons';
import { Banner } from './ui/controls/banners';
import { Problems } from './ui/controls/problems';
import { Lazy } from './ui/lazy';
import { sideName } from './ui/sides';
import { text } from './ui/strings';
import { useKeys } from './ui/use_keys';
import { useComparison } from './use_comparison';
import { viewOf } from './views';

// constants, because Lazy caches a part by the function that loads it
const loadKeys = () => import('./ui/controls/keys').then((part) => part.Keys);
const loadVerdicts = () => import('./candidates/verdicts_view').then((part) => part.VerdictsView);
const loadHistory = () => import('./history/history_view').then((part) => part.HistoryView);

export function App() {
  const { answer, failure, scanning, retryIn, refresh } = useRuns(firstRuns);
  const [address, change] = useAddress();
  const [guess, setGuess] = useState<Pair | null>(null);
  const [notice, setNotice] = useState('');
  const [keysShown, setKeysShown] = useState(false);
  const [loaded, setLoaded] = useState<RunsAnswer | null>(null);

  // guesses the pair once: later lists of runs must not change what is on screen
  useLayoutEffect(() => {
    if (answer && !guess) setGuess(defaultPair(answer));
    if (answer && !loaded) setLoaded(answer);
  }, [answer]);

  const guessed = address.a === null && address.b === null ? guess : null;
  const a = address.a ?? guessed?.baseline ?? null;
  const b = address.b ?? guessed?.candidate ?? null;
  const { page, candidates } = address;
  const paired = page === '';
  const { question, missing, newer, state, again, cancel, comparison, compared, tabs, views, tab, strict } = useComparison(answer, loaded, a, b, address);

  /** Shows another pair, at `at` if given, else in the current view. */
  const pair = (nextA: Side | null, nextB: Side | null, at?: Change): void => {
    setLoaded(answer);
    takeFocus();
    change({ a: nextA, b: nextB, page: '', row: '', ...FRESH_STEPS, ...(!paired && { chartOptions: '' }), ...(at && { ...FRESH, tab: '', category: '', ...at }) }, true);
  };
  const several = (chosen: Side[]): void => {
    // kernel listings and exports can be attached only to a pair
    change({ a: a && withLaunches(a, ''), page: 'verdicts', chartOptions: '', candidates: chosen.map((side) => withLaunches(side, '')) }, true);
  };
  useLayoutEffect(() => {
    if (paired && answer && a && b && state.status === 'ready' && state.question === question) remember(answer, a, b);
  }, [state, question]);
  const chooseTab = (id: string): void => change({ ...FRESH, tab: id === SUMMARY ? '' : id }, true);

  useKeys({
    x: () => paired && a && b && pair(b, a),
    '?': () => setKeysShown(true),
    '/': () => document.querySelector<HTMLInputElement>('.search input')?.focus(),
    Escape: () => {
      if (address.row !== '') change({ row: '' });
      else if (address.category !== '') change({ category: '' });
      else if (a?.steps || b?.steps) pair(a && withSteps(a, ''), b && withSteps(b, ''));
    },
    '[': () => document.querySelectorAll<HTMLElement>('.row-panel header button')[0]?.click(),
    ']': () => document.querySelectorAll<HTMLElement>('.row-panel header button')[1]?.click(),
    digit: (n) => document.querySelectorAll<HTMLElement>('.tabs [role=tab]')[n - 1]?.click(),
  });

  const heading = <h1 class="sr">{text.title}</h1>;
  if (!answer)
    return (
      <main class="app">
        {heading}
        {failure ? (
          <>
            <Failed failure={failure} onRetry={() => refresh(true)} />
            {retryIn > 0 && <p class="retry muted">{text.errors.retryIn(retryIn)}</p>}
          </>
        ) : (
          <Message title={text.loading.runs} />
        )}
      </main>
    );

  const profiler = profilerLinks(answer, a, b, setNotice);
  const body = (): preact.ComponentChildren => {
    if (answer.runs.length === 0) return <NoPair answer={answer} onPair={pair} onRescan={() => refresh(true)} />;
    if (page === 'verdicts')
      return <Lazy load={loadVerdicts} height={400} props={{ answer, baseline: a, candidates, address, onChange: change, onPair: pair }} />;
    if (page === 'history')
      return <Lazy load={loadHistory} height={400} props={{ answer, address, onChange: change, onPair: pair }} />;
    if (missing)
      return (
        <>
          <Message
            alert
            title={text.errors.missingTitle(sideName(missing.side), text.errors.missing[missing.what], missing.name)}
            hint={text.errors.missingHint}
            action={text.empty.again}
            onAction={() => refresh(true)}
          />
          <Problems problems={answer.problems} />
        </>
      );
    if (!a || !b)
      return answer.runs.length === 1 ? <NoPair answer={answer} onPair={pair} onRescan={() => refresh(true)} /> : <Message title={text.empty.choosePair} />;
    switch (state.status) {
      case 'loading':
        return <Loading {...state} onCancel={cancel} />;
      case 'failed':
        return <Failed failure={state.failure!} onRetry={again} pairs={answer.pairs.filter((one) => holds(one, a) || holds(one, b)).slice(0, OTHER_PAIRS)} onPair={pair} />;
      case 'cancelled':
        return <Message title={text.loading.cancelled} action={text.loading.again} onAction={again} />;
      case 'ready':
        return (
          <ResultView
            comparison={state.answer!}
            question={state.question}
            query={compared}
            tab={tab}
            tabs={tabs}
            address={address}
            onChange={change}
            onSteps={(letter, steps) => {
              if (letter === 'a') pair(a && withSteps(a, steps), b);
              else pair(a, b && withSteps(b, steps));
            }}
            onAlternative={(one) => {
              setLoaded(answer);
              change(alternativeChange(one, a, b, address.window), true);
            }}
            chosen={{ a: a?.steps ?? '', b: b?.steps ?? '' }}
            profiler={profiler}
          />
        );
      default:
        return <Message title={text.loading.runs} />;
    }
  };

  return (
    <div class={`app${tab === SUMMARY || tab === STRICT || !comparison ? '' : ' app-table'}`}>
      <header class="top">
        {heading}
        <Button class="skip" onClick={() => document.querySelector('main')?.focus()}>{text.skip}</Button>
        {answer.runs.length > 0 && (
          <Pickers
            answer={answer}
            a={a}
            b={b}
            guess={guessed && paired ? guessed.reason : null}
            comparison={comparison}
            sides={paired ? 'both' : page === 'verdicts' ? 'a' : 'none'}
            back={
              candidates.length > 0 && (
                <LinkButton class="more small" onClick={() => several(candidates)}>{text.pages.back(candidates.length)}</LinkButton>
              )
            }
            onSeveral={(runs) => several(runs.map(wholeRun))}
            onListOpen={() => refresh(false)}
            onHistory={paired && (answer.points ?? 0) > 0 ? () => change({ page: 'history', chartOptions: '', sort: '' }, true) : undefined}
            window={page === 'history' ? null : address.window}
            onWindow={(window) => change({ window, row: '', at: '', event: '', shift: '' }, true)}
            marker={paired && <MarkerChoice marker={address.marker} comparison={comparison} kind={address.kind} onMarker={(marker) => change({ marker, kind: '', a: a && withSteps(a, ''), b: b && withSteps(b, ''), row: '', ...FRESH_STEPS }, true)} onKind={(kind) => change({ kind, row: '', ...FRESH_STEPS }, true)} />}
            onPair={paired ? pair : (next) => change({ a: next }, true)}
            onOpenProfiler={profiler && profiler.open}
            brief={comparison ? <Brief comparison={comparison} onSummary={() => chooseTab(SUMMARY)} /> : state.status === 'loading' && <span class="brief" />}
            actions={
              <Actions
                answer={answer}
                address={address}
                a={a}
                b={b}
                comparison={comparison}
                table={tab}
                onPair={pair}
                onPage={(next) => change({ page: next, chartOptions: '', sort: '' }, true)}
                onStrict={strict ? () => chooseTab(STRICT) : null}
                onKeys={() => setKeysShown(true)}
              />
            }
          />
        )}
        {answer.version !== PAGE_VERSION && (
          <Banner message={text.banners.older(PAGE_VERSION, answer.version)} action={text.banners.reload} onAction={() => location.reload()} />
        )}
        {failure && <Banner message={`${failureText(failure).message} ${retryIn > 0 ? text.errors.retryIn(retryIn) : ''}`} action={text.errors.retry} onAction={() => refresh(true)} />}
        {newer !== '' && <Banner message={text.banners.newer(newer)} action={text.banners.update} onAction={() => setLoaded(answer)} />}
        {notice !== '' && <Banner message={notice} onDismiss={() => setNotice('')} />}
        {!comparison && state.status === 'loading' && <div class="tab-bar waiting" />}
        {comparison && <Tabs views={views} current={tab} table={isDrawn(address, tab) ? undefined : comparison.tables[tab]} metric={address.metric} sort={address.sort} onChoose={chooseTab} onMetric={(metric) => change({ metric, sort: '', columns: '' }, true)} />}
      </header>
      <main class="view" tabIndex={-1} aria-busy={scanning || state.status === 'loading'}>
        {comparison ? (
          <div id="view" class="view-panel" role="tabpanel" data-tab={tab} aria-labelledby={viewOf(views, tab).id}>
            {body()}
          </div>
        ) : (
          body()
        )}
      </main>
      {keysShown && <Lazy load={loadKeys} height={0} props={{ version: answer.version, reader: answer.reader ?? '', onClose: () => setKeysShown(false) }} />}
    </div>
  );
}

/** Most suggestions listed if a pair cannot be compared. */
const OTHER_PAIRS = 4;

function holds(pair: Pair, side: Side): boolean {
  return pair.baseline.run === side.run || pair.candidate.run === side.run;
}
