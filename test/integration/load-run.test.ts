import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

// How fast it is is not asked here: it shows that the command works from end to end.
it('npm run load serves what it asks for, over processes and a database of its own, and says how it went', {
  timeout: 120_000,
}, async () => {
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...environment } = process.env;
  const words = ['test/load/load.ts', ...'--seconds 1 --calculations 20 --creates 5 --times 1'.split(' ')];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env: environment });
  const phases = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(phases).toEqual([
    expect.objectContaining({ phase: 'warm-up', statuses: { 200: 20, 201: 5 }, unanswered: 0 }),
    expect.objectContaining({ phase: 'steady', statuses: { 200: 20, 201: 5 }, unanswered: 0 }),
  ]);
  expect(Object.keys(phases[1])).toEqual(
    expect.arrayContaining(['served_per_second', 'calculation_ms', 'create_ms', 'cores', 'load_average']),
  );
});
