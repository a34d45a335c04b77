import { globSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { scheduled } from '../../shared/api/define-schedule.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { forgetWrites, keepSecret, leaks, leaksIn, secretsIn } from '../support/log-watch.ts';

const address = { line1: '77 Canary Lane', city: 'Canaryville', state: 'MI', postal_code: '48933', country: 'US' };
const body = { customer: { name: 'Canary Bird', address }, line_items: [{ unit_price: '1.00' }] };
const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`;

describe('the leak detector', () => {
  it.each<[string, unknown]>([
    ['an API key', `key ${newApiKey()} is unknown`],
    ['an API key', { deep: { deeper: [{ key: newApiKey() }] } }],
    ['a token', token],
    ['a credential header', `Authorization: Bearer ${token.slice(0, 12)}`],
    ['a credential header', { headers: { 'X-API-Key': 'levy_demo' } }],
    ['a key digest', `no item KEY#${'0a'.repeat(32)}`],
    ['an email address', new Error('cannot reach canary@shop.example')],
    ['a field of a body or an item', JSON.stringify(body)],
    ['a field of a body or an item', new Error('refused', { cause: { Item: body } })],
    [
      'a field of a body or an item',
      Object.assign(new Error('canceled'), { CancellationReasons: [{ Item: address }] }),
    ],
    ['a field of a body or an item', Buffer.from(JSON.stringify(address))],
  ])('finds %s', (name, written) => {
    expect(leaksIn(['at the end of', written])).toContain(name);
  });

  const short = secretsIn({
    reference_id: 'inv_1',
    customer: { address: { line1: '1 Elm', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } },
    certificate_id: 'none',
  });
  it.each<[unknown, string[]]>([
    [{ place: 'Lansing 48933', at: '1 Elm', ref: 'inv_1' }, ['inv_1', '1 Elm', 'Lansing', '48933']],
    [`no such place: Lansing.`, ['Lansing']],
    [{ request_id: '00048933-7b61-11e6-9a41-93e8deadbeef' }, []],
    ['Lansingburgh, inv_10, 489334, is-none, none_of, MI, US', []],
    [{ Duration: 3.48933, Tax: 48933 }, []],
    ['{"Tax":48933,"ZIP":"48933"}', ['48933']],
    ['item 1. 48933', ['48933']],
    [{ frames: ['    at none (/a/none.ts:1:2)', '    at async Lansing.one (/b.ts:1:2)'] }, []],
    [{ frames: ['    at f (/a.ts:1:2)'], of: 'none' }, ['none']],
  ])('finds a short string only as a whole word: %o contains %o', (line, found) => {
    expect(leaksIn([line], short)).toEqual(found.map((text) => `what was sent: ${text}`));
  });
});

describe('the leak check of a test file', () => {
  afterEach(() => vi.restoreAllMocks());
  afterAll(forgetWrites);
  const root = new URL('../..', import.meta.url).pathname;
  const codeIn = (path: string, code: string) =>
    runInThisContext(`(console, text) => ${code}`, { filename: root + path });
  const street = 'Kanarienweg 77 B';

  it.each([
    ['functions/leaky.ts', 'console.info(text)'],
    ['shared/store/leaky.ts', 'console.error("failed", { text })'],
    ['shared/api/leaky.ts', 'process.stdout.write(text)'],
    ['infra/local/leaky.ts', 'process.stderr.write(text)'],
  ])('detects writes by %s with %s', (path, code) => {
    keepSecret([street]);
    forgetWrites();
    expect(leaks()).toEqual([]);
    codeIn(path, code)(console, street);
    expect(leaks()).toEqual([`${path} logs what was sent: ${street}`]);
  });
});

describe('the log line of an error', () => {
  const thrownBy = (error: unknown) => {
    try {
      throw error;
    } catch (thrown) {
      return failureLine(thrown);
    }
  };

  it('contains the name and stack frames of the error', () => {
    const { error, frames } = thrownBy(new TypeError('7 Canary Lane'));
    expect(error).toBe('TypeError');
    expect(frames.length).toBeGreaterThan(2);
    expect(frames[0]).toMatch(/^ {4}at .*log-leaks\.test\.ts:\d+:\d+/);
  });

  const disguised = '\n    at 77 Canary Lane (/home:1:2)\n    at Bird (/canary:3:4)';
  it.each<[string, unknown]>([
    ['the message', new Error(JSON.stringify(body))],
    ['a message that looks like a stack', new Error(`no place${disguised}`)],
    ['a message that was changed', Object.assign(new Error(`no place${disguised}`), { message: 'other' })],
    ['a name that is not an error name', Object.assign(new Error('x'), { name: '77 Canary Lane' })],
    ['the cause', new Error('x', { cause: new Error('77 Canary Lane') })],
    ['the fields', Object.assign(new Error('x'), { CancellationReasons: [{ Item: body }] })],
    ['a value that is not an error', body],
    ['a string', '77 Canary Lane'],
  ])('never contains %s', (_what, error) => {
    expect(JSON.stringify(thrownBy(error))).not.toMatch(/canary/i);
  });

  it('writes the same line for a schedule, and passes only the error name to Lambda', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const cause = Object.assign(new Error('77 Canary Lane'), { name: 'TransactionCanceledException', Item: body });
    const failed = await scheduled('sweep-drafts', () => Promise.reject(cause))({}, {} as Context).catch(
      (error) => error,
    );
    expect(failed.message).toBe('The schedule sweep-drafts failed with TransactionCanceledException.');
    expect(leaksIn([failed], ['Canary'])).toEqual([]);
    expect(log.mock.calls).toEqual([
      [{ schedule: 'sweep-drafts', error: 'TransactionCanceledException', frames: expect.any(Array) }],
    ]);
  });
});

describe('the log', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const sources = ['shared/**/*.ts', 'functions/*.ts', 'infra/local/*.ts'];
  // The client is a package for shops, and its example prints to stdout.
  const operators = /^shared\/(cli|docs|client)\//;

  const writes = globSync(sources, { cwd: root })
    .filter((path) => !operators.test(path))
    .flatMap((path) =>
      [...readFileSync(root + path, 'utf8').matchAll(/(?:console\.\w+|process\.std(?:out|err)\.write)\(.*/g)].map(
        ([line]) => ({ path, line }),
      ),
    );

  // A new writer is a deliberate decision: CloudWatch stores its lines for three months.
  it('allows only the listed writers', () => {
    expect([...new Set(writes.map(({ path }) => path))].sort()).toEqual([
      'functions/count-transactions.ts',
      'functions/sweep-drafts.ts',
      'functions/update-content.ts',
      'infra/local/gateway.ts',
      'infra/local/handlers.ts',
      'infra/local/start.ts',
      'shared/api/define-schedule.ts',
      'shared/api/response.ts',
      'shared/observability/metric.ts',
      'shared/store/filings/filing-ports.ts',
    ]);
  });

  it('writes only the name and location of errors, except when npm start fails', () => {
    const whole = writes.filter(({ line }) => {
      const said = line
        .replace(/^console\.\w+/, '')
        .replace(/failureLine\(\w+\)/, '')
        .replaceAll(/[`'][^`']*[`']/g, '');
      return /\b(error|thrown|cause)\b/.test(said.replace(/\(error: unknown\) =>/, ''));
    });
    expect(whole.map(({ path }) => path)).toEqual(['infra/local/start.ts']);
  });
});
