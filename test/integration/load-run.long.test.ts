import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

type Phase = {
  readonly phase: string;
  readonly statuses: Readonly<Record<string, number>>;
  readonly unanswered: number;
};

// How fast it is is not asked here: it shows that the command works from end to end. A slow machine's emulator may have the
// service say 503. So much more that it is too much also for two windows of the limit, as what is late counts in the next.
const words = '--seconds 1 --calculations 8 --creates 2 --times 4'.split(' ');

it('npm run load serves what it asks for, refuses what is too much, and says how it went and when it was over', {
  timeout: 240_000,
}, async () => {
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...environment } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['test/load/load.ts', ...words], { env: environment });
  const phases: readonly Phase[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const answered = phases.map(({ phase, statuses, unanswered }) => [
    phase,
    Object.values(statuses).reduce((sum, count) => sum + count, 0),
    unanswered,
  ]);
  expect(answered).toEqual([
    ['warm-up', 10, 0],
    ['steady', 10, 0],
    ['overload', 400, 0],
    ['afterwards', 50, 0],
  ]);
  const [warmUp, steady, overload, afterwards] = phases.map(({ statuses }) => statuses);
  for (const statuses of [warmUp, steady]) {
    const { 200: calculated = 0, 201: created = 0, 503: busy = 0, ...others } = statuses ?? {};
    expect([calculated <= 8, created <= 2, calculated + created + busy, others]).toEqual([true, true, 10, {}]);
  }
  for (const statuses of [overload, afterwards])
    expect(['200', '201', '429', '503']).toEqual(expect.arrayContaining(Object.keys(statuses ?? {})));
  expect(overload?.[429]).toBeGreaterThan(0);
  expect(phases[1]).toMatchObject({
    served_per_second: expect.any(Number),
    calculation_ms: expect.any(Object),
    create_ms: expect.any(Object),
    cores: expect.any(Object),
    load_average: expect.any(Number),
  });
  expect(phases[3]).toMatchObject({ refused_until_ms: expect.any(Number), back_to_normal_ms: expect.any(Number) });
});
