import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

it('no hostile input of 1 MB takes longer than 2 s or more than 256 MB anywhere, or finds a bug', async () => {
  const { code, out, err } = await runCommand(['test/fuzz/fuzz.ts', '--inputs', '15']);
  expect(code, out + err).toBe(0);
  expect(out.match(/^[\w-]+: 15 inputs in .* 0 faults$/gm)).toHaveLength(22);
}, 1_800_000);
