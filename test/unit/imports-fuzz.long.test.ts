import { expect, it } from 'vitest';
import { runCommand } from '../support/child-process.ts';

// The time for an input depends on the machine: `npm run fuzz` measures it. Here the limit only ends an infinite loop.
it('handles every hostile input of 1 MB within 256 MB and 2 s', async () => {
  const { code, out, err } = await runCommand(['test/fuzz/fuzz.ts', '--inputs', '2', '--seconds', '30']);
  expect(code, out + err).toBe(0);
  expect(out.match(/^[\w-]+: 2 inputs in .* 0 faults$/gm)).toHaveLength(22);
}, 1_800_000);
