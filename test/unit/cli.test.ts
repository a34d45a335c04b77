import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Line } from '../../shared/cli/ledger/format.ts';
import { toItems } from '../../shared/cli/ledger/read-export.ts';
import { print, printJson } from '../../shared/cli/terminal/output.ts';
import { explainError } from '../../shared/cli/terminal/run-command.ts';
import { newFiling } from '../../shared/filings/work-on.ts';
import { runCommand } from '../support/child-process.ts';
import { createFolder } from '../support/temporary-files.ts';

/** Returns what a command writes to standard output. */
const written = (run: () => void): string => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  run();
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('');
  write.mockRestore();
  return text;
};

const hostile = 'a\u001b[2J\u001b]0;title\u0007\u009b31mb\u202ec\rd';

describe('command output', () => {
  it('removes control characters, but keeps line breaks and tabs', () => {
    expect(written(() => print(`one\ttwo\r\n${hostile}`))).toBe('one\ttwo\r\na?[2J?]0;title??31mb?c?d\n');
  });

  it('escapes control characters in JSON without changing the value', () => {
    const text = written(() => printJson({ hostile, emoji: '🧾' }));
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    expect(JSON.parse(text)).toEqual({ hostile, emoji: '🧾' });
  });
});

it.each([
  [{ DYNAMODB_ENDPOINT: 'nonsense' }, 'DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "nonsense".'],
  [{ DYNAMODB_ENDPOINT: 'localhost:8000' }, 'DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "loc'],
  // Commands use no bearer tokens, so they do not read these settings.
  [{ OIDC_ISSUER: 'nonsense', OIDC_CLIENT_ID: 'x', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, 'Cannot connect to'],
])('prints one line without a stack for the settings %j', async (settings, message) => {
  const { code, out, err } = await runCommand(['shared/cli/content.ts', 'list'], {
    env: { ...process.env, ...settings },
  });
  expect([code, out, err.split('\n').length, err]).toEqual([1, '', 2, expect.stringMatching(`^${message}`)]);
});

it.each([
  'EACCES: permission denied, open "/a"',
  'ENOSPC: no space left on device, write',
  'EFBIG: file too large, write',
  'EROFS: read-only file system, open "/a"',
  "ENOTDIR: not a directory, mkdir '/dev/null/x'",
  "ENAMETOOLONG: name too long, open '/a'",
])('explains a file error: %s', (message) => {
  const error = Object.assign(new Error(message), { code: message.slice(0, message.indexOf(':')) });
  expect(explainError(error)).toBe(`Cannot read or write the file: ${message}.`);
});

const folder = createFolder();
beforeAll(() => void vi.stubEnv('TMPDIR', folder));

it('removes the folders of killed processes, but not folders of running processes or of other programs', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const [abandoned, used, other] = [`levy-import-${ended}-a`, `levy-import-${process.ppid}-b`, 'levy-import-c'].map(
    (name) => join(folder, name),
  ) as [string, string, string];
  for (const path of [abandoned, used, other]) mkdirSync(path);
  vi.resetModules();
  const { temporaryFolder } = await import('../../shared/cli/terminal/files.ts');
  expect(existsSync(temporaryFolder())).toBe(true);
  expect([abandoned, used, other].map(existsSync)).toEqual([false, true, true]);
});

/** The keys and attributes with which an item would appear in the lists of a different account. */
const forged = {
  pk: 'T#acct_other#txn_1',
  sk: 'ANY',
  account: 'acct_other',
  id: 'txn_1',
  account_reference: 'acct_other#r',
};

const at = '2026-10-01T00:00:00.000Z';
const filing = newFiling(
  { account: 'acct_other', id: 'fil_1', state: 'US-OH', previous: null, asked_by: 'key_1' },
  { start: '2026-09-01', end: '2026-09-30', frequency: 'month' },
  Date.parse(at),
);
const totals = { jurisdictions: [], summary: [], exceptions: [], review: [] };
const entries = { moved: 0, marked: 0, reopened: 0 };
const progress = { shard: 0, phase: 'move', isDone: false, entries, cursor: null, totals, parts: [], version: 1 };
const customer = { id: 'c1', name: null, exemptions: [], created_at: at, updated_at: at, version: 1 };

it.each([
  ['filing', { kind: 'filing', filing: { ...filing, ...forged } }],
  [
    'chain',
    { kind: 'chain', chain: { state: 'US-OH', last: null, isBusy: true, isHeld: false, version: 1, ...forged } },
  ],
  ['progress', { kind: 'filing_shard', filing: 'fil_1', progress: { ...progress, ...forged } }],
  ['totals', { kind: 'filing_totals', filing: 'fil_1', part: { shard: 0, from: '', sums: [], ...forged } }],
  ['customer', { kind: 'customer', customer: { ...customer, ...forged } }],
])('imports an exported line with keys of another account as a %s of the given account only', (_kind, line) => {
  const items = toItems('acct_own', line as unknown as Line);
  expect(items).toHaveLength(1);
  for (const item of items) {
    expect(item.pk.split('#')[1]).toBe('acct_own');
    expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['account']));
    expect(Object.values(item)).not.toContain('acct_other#r');
  }
});
