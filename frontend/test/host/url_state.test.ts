import { describe, expect, it } from 'vitest';
import { readHash, withPlugin, writeHash, type Address } from '../../src/host/url_state';

const EMPTY_ADDRESS = readHash('');
const full: Address = {
  a: { run: 'a b/50%=&#?', worker: 'host_1.2', span: '3' },
  b: { run: 'résumé/中文', worker: null, span: null, steps: '3-10', launches: 'ncu/a.csv' },
  page: 'verdicts',
  candidates: [
    { run: 'c/a,b|c%', worker: null, span: null },
    { run: 'é=&#', worker: 'w|1', span: '2', steps: '4' },
  ],
  series: 'nightly/a100',
  window: 'marker',
  marker: 'execute_*',
  kind: 'step[DECODE bs=8]',
  tab: 'kernels',
  q: '/gemm.*tn/ -relu',
  sort: '-delta_us,name',
  metric: 'device_self',
  status: 'added',
  min: 0,
  category: 'CPU Exec',
  row: 'mm › [[1, 2]]',
  widths: 'name:240',
  layers: 'each', pins: '["gemm"]',
  columns: 'baseline_us,delta_us',
  clear: true,
  closedCharts: 'closed',
  color: 'dram',
  chartOptions: 'b,share',
  zoom: 'Net_0 / Conv2d_3',
  processes: '10:12',
  beta: 'exclusive',
  stepA: 'worst',
  stepB: '12|worker0|1',
  at: '-2500_7000000',
  event: 'a:41',
  shift: '-1200',
  fold: 'python.0',
};

describe('the address', () => {
  it('survives a round trip whatever the names hold', () => {
    expect(readHash(writeHash('#tb_perfcompare', full))).toEqual(full);
  });
  it('has one equals sign per token, as TensorBoard wants', () => {
    for (const token of writeHash('', full).slice(1).split('&')) expect(token.split('=').length).toBe(2);
  });
  it('leaves defaults out and other plugins alone', () => {
    expect(writeHash('#tb_perfcompare&tagFilter=x&p.tb_perfcompare.q=old', EMPTY_ADDRESS)).toBe('#tb_perfcompare&tagFilter=x');
    expect(readHash('#scalars&p.other.a=1')).toEqual(EMPTY_ADDRESS);
  });
  it('ignores nonsense', () => {
    expect(readHash('#&&p.tb_perfcompare.min=much&p.tb_perfcompare.only=x&p.tb_perfcompare.a=%E0%A4%A&p.tb_perfcompare.q')).toEqual({
      ...EMPTY_ADDRESS,
      a: { run: '%E0%A4%A', worker: null, span: null },
    });
  });
  it('keeps our keys when another tab is shown', () => {
    const hash = writeHash('#tb_perfcompare', full);
    expect(withPlugin(hash, 'pytorch_profiler')).toMatch(/^#pytorch_profiler&p\.tb_perfcompare\.a=/);
    expect(readHash(withPlugin(hash, 'pytorch_profiler'))).toEqual(full);
    expect(withPlugin('', 'pytorch_profiler')).toBe('#pytorch_profiler');
  });
});
