import { expect, it, vi } from 'vitest';
import { countMetric, metrics, writeMetrics } from '../../shared/observability/metric.ts';
import { emfProblems, seriesOf } from '../support/embedded-metric-format.ts';

const line = (metric: object, fields: object = {}) => ({
  _aws: { Timestamp: 1, CloudWatchMetrics: [{ Namespace: 'Levy', Dimensions: [[]], Metrics: [metric] }] },
  ...fields,
});

it.each([
  { line: { _aws: { CloudWatchMetrics: [] } }, because: 'it has no time and no metrics' },
  { line: line({ Name: 'Tax', Unit: 'Dollars' }, { Tax: 1 }), because: 'there is no such unit' },
  { line: line({ Name: 'Tax' }), because: 'the metric has no value' },
  { line: line({ Name: 'Tax' }, { Tax: '1.00' }), because: 'the value is text' },
  { line: line({ name: 'Tax' }, { Tax: 1 }), because: 'members are case-sensitive' },
  {
    line: {
      _aws: { Timestamp: 1, CloudWatchMetrics: [{ Namespace: 'AWS/X', Dimensions: [[]], Metrics: [{ Name: 'A' }] }] },
      A: 1,
    },
    because: "the namespace is AWS's",
  },
  {
    line: {
      _aws: {
        Timestamp: 1,
        CloudWatchMetrics: [{ Namespace: 'L', Dimensions: [['state']], Metrics: [{ Name: 'A' }] }],
      },
      A: 1,
    },
    because: 'the dimension has no value',
  },
])('the check finds a fault where $because', ({ line: faulty }) => {
  expect(emfProblems(faulty)).not.toEqual([]);
});

it('a line is one line, with its metrics, its fields and its time', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  writeMetrics([metrics(['Tax'], 'state'), metrics(['KeyKept'])], { state: 'US-MN', Tax: 6.5, KeyKept: 1 }, 1_800_000);
  countMetric('RateLimitOpen', { error: 'TimeoutError' }, 1_800_001);
  const written = write.mock.calls.map(([text]) => String(text));
  write.mockRestore();
  expect(written.map((text) => text.indexOf('\n') === text.length - 1)).toEqual([true, true]);
  const [first, second] = written.map((text) => JSON.parse(text));
  expect([emfProblems(first), emfProblems(second)]).toEqual([[], []]);
  expect(first).toMatchObject({ _aws: { Timestamp: 1_800_000 }, state: 'US-MN', Tax: 6.5 });
  expect(seriesOf(first)).toEqual(['Levy Tax state', 'Levy KeyKept']);
  expect(seriesOf(second)).toEqual(['Levy RateLimitOpen']);
});
