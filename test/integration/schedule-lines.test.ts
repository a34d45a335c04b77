import type { Context } from 'aws-lambda';
import { beforeAll, expect, it, vi } from 'vitest';
import { handlers } from '../../infra/local/handlers.ts';
import { published } from '../../shared/observability/metric.ts';
import { requestLines } from '../../shared/observability/tally.ts';
import { newCaller } from '../support/api.ts';
import { emfProblems } from '../support/embedded-metric-format.ts';
import { failSends, noFaults } from '../support/faults.ts';
import { metricLines } from '../support/log-watch.ts';
import { clientOf, dayMs, later, made, sale } from '../support/sales.ts';

beforeAll(async () => {
  requestLines.areOn = true;
  published.areAll = true;
});

const metrics = (...names: string[]) => ({
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [{ Namespace: 'Levy', Dimensions: [['schedule']], Metrics: names.map((Name) => ({ Name })) }],
});
const used = { Duration: expect.any(Number), database_calls: expect.any(Number), database_units: expect.any(Number) };

const run = async (name: 'sweep-drafts' | 'close-periods') => {
  const before = metricLines().length;
  const done = handlers.schedules[name]({}, { getRemainingTimeInMillis: () => 240_000 } as Context);
  const [failed] = (await Promise.allSettled([done])).map(({ status }) => status === 'rejected');
  const lines = metricLines().slice(before);
  expect(lines.flatMap((line) => emfProblems(line))).toEqual([]);
  return { failed, lines };
};

it('sweep-drafts: voided and skipped drafts, and whether it is complete', async () => {
  const client = clientOf(await newCaller());
  await made(client.create(sale()));
  await made(client.create(sale()));
  const { lines } = await later(40 * dayMs, () => run('sweep-drafts'));
  const _aws = metrics('Voided', 'Skipped', 'Complete');
  expect(lines).toEqual([{ _aws, schedule: 'sweep-drafts', Voided: 2, Skipped: 0, Complete: 1, ...used }]);
  // Each draft is read and written, and the index is queried: no less than that, and no less than a unit each.
  expect(lines[0]?.database_calls).toBeGreaterThan(4);
  expect(lines[0]?.database_units).toBeGreaterThan(4);
});

it('close-periods: created, processed, finished and failed filings', async () => {
  const { lines } = await run('close-periods');
  const _aws = metrics('Created', 'Worked', 'Finished', 'Complete', 'Failed');
  const figures = { Created: 0, Worked: 0, Finished: 0, Complete: 1, Failed: 0 };
  expect(lines).toEqual([{ _aws, schedule: 'close-periods', ...figures, ...used }]);
});

it('the line with essential metrics has the same fields and publishes only those of alarms', async () => {
  published.areAll = false;
  const { lines } = await run('close-periods');
  published.areAll = true;
  const figures = { Created: 0, Worked: 0, Finished: 0, Complete: 1, Failed: 0 };
  expect(lines).toEqual([{ _aws: metrics('Complete', 'Failed'), schedule: 'close-periods', ...figures, ...used }]);
});

it('a failed run has none, which the alarm detects', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
  failSends({ error: () => new TypeError('no'), where: 'on the way there' });
  expect(await run('close-periods')).toEqual({ failed: true, lines: [] });
  noFaults();
  quiet.mockRestore();
});
