import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

// The speed of a machine decides how long an input takes: `npm run fuzz` measures that. Here the limit only ends a loop.
it('no hostile input of 1 MB takes more than 256 MB or 2 s, or finds a bug', async () => {
  const { code, out, err } = await runCommand(['test/fuzz/fuzz.ts', '--inputs', '3', '--seconds', '30']);
  expect(code, out + err).toBe(0);
  expect(out.match(/^[\w-]+: 3 inputs in .* 0 faults$/gm)).toHaveLength(22);
}, 1_800_000);
