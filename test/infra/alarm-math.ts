import { expect } from 'vitest';
import type { Properties } from './synthesized.ts';

/** A metric without data. Every expression with it fails, except FILL. */
const missing = {
  [Symbol.toPrimitive]: () => {
    throw new Error('The expression has no value where a metric has no data.');
  },
};

/**
 * Whether an alarm's expression breaches its threshold. A metric that is not among the values has no data. `date` is
 * the day of the month of the evaluated period.
 */
export const isBreached = (
  { Metrics, Threshold, ComparisonOperator }: Properties,
  values: Readonly<Record<string, number>>,
  date = 1,
): boolean => {
  const { Expression } = Metrics.find(({ ReturnData }: Properties) => ReturnData !== false);
  const ids: string[] = Metrics.flatMap(({ Id, MetricStat }: Properties) => (MetricStat ? [Id] : []));
  const IF = (condition: boolean, yes: number, no: number) => (condition ? yes : no);
  const FILL = (value: unknown, otherwise: number) => (value === missing ? otherwise : value);
  // Not sparse: it has a value even where the metric has none.
  const DATE = () => date;
  const value = new Function('IF', 'FILL', 'DATE', ...ids, `return ${Expression}`)(
    IF,
    FILL,
    DATE,
    ...ids.map((id) => values[id] ?? missing),
  );
  expect(value).toEqual(expect.any(Number));
  return ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold;
};

/**
 * Whether an alarm of an expression fires at a time (ms): all evaluated periods are breached. They end now, or at the last
 * full period of the clock (UTC).
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
 */
export const firesAt = (
  alarm: Properties,
  now: number,
  valuesIn: (from: number, to: number) => Readonly<Record<string, number>>,
): boolean => {
  const periods = new Set<number>(alarm.Metrics.flatMap(({ MetricStat }: Properties) => MetricStat?.Period ?? []));
  expect([...periods]).toEqual([expect.any(Number)]);
  const ms = Math.max(...periods) * 1000;
  const end = alarm.EvaluationWindow?.WallClockWindow ? now - (now % ms) : now;
  return Array.from({ length: alarm.EvaluationPeriods }, (_, at) => end - at * ms).every((to) =>
    isBreached(alarm, valuesIn(to - ms, to), new Date(to - ms).getUTCDate()),
  );
};
