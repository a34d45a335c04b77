/** A signal ends `content update` during any transfer from a publisher. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openPublisherServer } from '../support/publisher-server.ts';

it('SIGTERM ends an update while it reads a page with deeply nested tags or a slow file', async () => {
  const server = await openPublisherServer([]);
  const folder = mkdtempSync(join(tmpdir(), 'levy-signal-'));
  const name = 'Domicile-Rate-Listing-October-2026.xlsx';
  const update = spawn(process.execPath, ['shared/cli/content.ts', 'update', '--state', 'LA', '--mirror', server.url], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, TMPDIR: folder },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => update.on('close', (code, signal) => resolve(code ?? signal)));
  server.play('louisiana.gov', ({ url }, response) => {
    if (url?.endsWith('.gov/')) response.end(`${'<div>'.repeat(800_000)}<a href="/Documents/${name}">`);
    else {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
      setTimeout(() => update.kill('SIGTERM'), 100);
    }
    return true;
  });
  // 128 plus the signal number, as in a shell.
  expect(await ended).toBe(143);
  expect(readdirSync(folder)).toEqual([]);
  await server.close();
  rmSync(folder, { recursive: true });
});
