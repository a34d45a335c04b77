import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

it('no mutated file of up to 1 MB takes an importer longer than 2 s or more than 256 MB, or finds a bug', async () => {
  const words = ['--max-old-space-size=256', 'test/unit/fuzz-importers.ts', '25', '1'];
  const { code, out, err } = await runCommand(words);
  expect(code, out + err).toBe(0);
  expect(out).toMatch(/^375 inputs/m);
});
