import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

it('matches its model as a process that is killed, behind a network that loses requests and replies', async () => {
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { code, out, err } = await runCommand(['test/attack/attack.ts', '--worlds', '1'], { env });
  expect(code, out + err).toBe(0);
  expect(out).toMatch(/^seed 1: clean, \d+ requests, [1-9]\d* kills/);
}, 600_000);
