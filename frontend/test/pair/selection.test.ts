import { describe, expect, it } from 'vitest';
import { attachable, defaultPair, filesOf, fingerprint, missingOf, sideQuery, spanPair, spansOf, withLaunches } from '../../src/pair/selection';
import { run, runs } from '../samples';

const answer = runs([run('normal', ['1', '2'], ['w0', 'w1']), run('abnormal')]);
const all = (name: string) => ({ run: name, worker: null, span: null });

it('takes the first suggestion, else the first two runs, and never guesses for one run', () => {
  const pair = { baseline: all('abnormal'), candidate: all('normal'), reason: 'said so' };
  expect(defaultPair(runs(answer.runs, { pairs: [pair] }))).toBe(pair);
  expect(defaultPair(answer)).toMatchObject({ baseline: all('normal'), candidate: all('abnormal') });
  expect(defaultPair(runs([run('only', ['1', '2'])]))).toBeNull();
});

it('offers two spans of one run, where there are two', () => {
  expect(spanPair(run('only', ['1', '2']))).toMatchObject({ baseline: { worker: 'worker0', span: '1' }, candidate: { worker: 'worker0', span: '2' } });
  expect(spanPair(run('only'))).toBeNull();
});

it('names what is missing', () => {
  expect(missingOf(answer, all('normal'))).toBeNull();
  expect(missingOf(answer, all('gone'))).toEqual({ what: 'run', name: 'gone' });
  expect(missingOf(answer, { run: 'normal', worker: 'w9', span: null })).toEqual({ what: 'worker', name: 'w9' });
  expect(missingOf(answer, { run: 'normal', worker: null, span: '9' })).toEqual({ what: 'span', name: '9' });
});

it('counts the files of a side and notices when one changes', () => {
  expect(filesOf(answer, all('normal')).length).toBe(4);
  expect(filesOf(answer, { run: 'normal', worker: 'w1', span: '2' }).length).toBe(1);
  expect(spansOf(answer.runs[0]!, null)).toEqual(['1', '2']);
  const later = structuredClone(answer);
  later.runs[0]!.workers[1]!.spans[0]!.files[0]!.modified = 2;
  expect(fingerprint(later, all('normal'))).not.toBe(fingerprint(answer, all('normal')));
  expect(fingerprint(later, all('abnormal'))).toBe(fingerprint(answer, all('abnormal')));
});

it('asks the server with the names of http_api.md', () => {
  const query = sideQuery({ run: 'a&b', worker: 'w', span: '1' }, all('c'), 'marker');
  expect(query.toString()).toBe('baseline=a%26b&baseline_worker=w&baseline_span=1&candidate=c&step_window=marker');
  expect(sideQuery(all('a'), all('b'), 'device').toString()).toBe('baseline=a&candidate=b');
});

describe('figures of a listing on a side', () => {
  const listing = { ...run('list.txt'), format: 'kernel_listing' };
  const answer = runs([run('a'), run('b'), listing, { ...run('x.csv'), format: 'ncu_csv' }]);
  const whole = (name: string) => ({ run: name, worker: null, span: null });
  it('can be those of listings and exports', () => {
    expect(attachable(answer).map((one) => one.run)).toEqual(['list.txt', 'x.csv']);
  });
  it('are asked for by name, and their file is one of the side', () => {
    const side = withLaunches(whole('a'), 'list.txt');
    expect(sideQuery(side, whole('b'), 'device').get('baseline_launches')).toBe('list.txt');
    expect(sideQuery(whole('b'), side, 'device').get('candidate_launches')).toBe('list.txt');
    expect(filesOf(answer, side).length).toBe(2);
    expect(fingerprint(answer, side)).not.toBe(fingerprint(answer, whole('a')));
    expect(withLaunches(side, '')).toEqual(whole('a'));
  });
});
