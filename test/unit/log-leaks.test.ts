import { runInThisContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { scheduled } from '../../shared/define-schedule.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { countMetric } from '../../shared/observability/metric.ts';
import { send } from '../support/http.ts';
import { leaksIn, secretsIn } from '../support/log-leaks.ts';
import { forgetWrites, keepSecret, leaks, metricLines, noteWritten } from '../support/log-watch.ts';

const address = { line1: '77 Canary Lane', city: 'Canaryville', state: 'MI', postal_code: '48933', country: 'US' };
const body = { customer: { name: 'Canary Bird', address }, line_items: [{ unit_price: '1.00' }] };
const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`;

describe('the detector of leaks', () => {
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

  it('finds what was sent, whatever it looks like', () => {
    const secrets = secretsIn({ ...body, metadata: { any: { thing: 'a very secret note' } }, currency: 'USDUSDUSD' });
    expect(secrets).toEqual(['Canary Bird', '77 Canary Lane', 'Canaryville', '48933', 'a very secret note']);
    expect(leaksIn([{ message: 'no such street: 77 Canary Lane' }], secrets)).toEqual([
      'what was sent: 77 Canary Lane',
    ]);
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
    [{ frames: ['    at none (/a/none.ts:1:2)', '    at async Lansing.one (/b.ts:1:2)'] }, []],
    [{ frames: ['    at f (/a.ts:1:2)'], of: 'none' }, ['none']],
  ])('finds a short text that was sent as a word of its own: in %o %o', (line, found) => {
    expect(leaksIn([line], short)).toEqual(found.map((text) => `what was sent: ${text}`));
  });

  it('lets pass what the service logs today', () => {
    countMetric('RateLimitOpen', { error: 'TimeoutError' }, 1_763_000_048_933);
    const metric = metricLines().at(-1);
    expect(metric).toMatchObject({ RateLimitOpen: 1, error: 'TimeoutError' });
    const lines = [
      metric,
      JSON.stringify(metric),
      { schedule: 'sweep-drafts', voided: 3, failed: 0 },
      {
        request_id: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
        outage: true,
        error: 'Error',
        frames: ['    at f (/a.js:1:2)'],
      },
    ];
    for (const line of lines) expect(leaksIn([line], secretsIn(body))).toEqual([]);
  });
});

describe('the watch over a test file', () => {
  afterEach(() => vi.restoreAllMocks());
  afterAll(forgetWrites);
  const root = new URL('../..', import.meta.url).pathname;
  const codeIn = (path: string, code: string) =>
    runInThisContext(`(console, text) => ${code}`, { filename: root + path });
  const street = 'Kanarienweg 77 B';

  it.each([
    ['functions/leaky.ts', 'console.info(text)'],
    ['shared/store/leaky.ts', 'console.error("failed", { text })'],
    ['shared/http/leaky.ts', 'process.stdout.write(text)'],
    ['infra/local/leaky.ts', 'process.stderr.write(text)'],
  ])('sees what %s writes by %s', (path, code) => {
    keepSecret([street]);
    forgetWrites();
    expect(leaks()).toEqual([]);
    codeIn(path, code)(console, street);
    expect(leaks()).toEqual([`${path} logs what was sent: ${street}`]);
  });

  it('sees it also where a test has taken the console away', () => {
    forgetWrites();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockReturnValue();
    codeIn('shared/http/one.ts', 'console.error({ a: { b: text } })')(console, street);
    codeIn('shared/http/two.ts', 'console.warn(text)')(console, street);
    expect(leaks()).toEqual([
      `shared/http/one.ts logs what was sent: ${street}`,
      `shared/http/two.ts logs what was sent: ${street}`,
    ]);
  });

  const inLibrary = (code: string) => runInThisContext(code, { filename: `${root}node_modules/library/index.js` });
  const warn = inLibrary(
    '(function warn(console, text, depth) { return depth > 0 ? warn(console, text, depth - 1) : console.warn(text); })',
  );

  it('sees what a library writes for the service, however deep in it, or with nobody waiting for it', async () => {
    forgetWrites();
    codeIn('shared/http/calling.ts', `text(console, '${street}', 30)`)(console, warn);
    expect(leaks()).toEqual([`shared/http/calling.ts logs what was sent: ${street}`]);
    forgetWrites();
    const later = inLibrary(
      '(console, text, warn) => new Promise((done) => setTimeout(() => done(warn(console, text, 0)), 1))',
    );
    await later(console, street, warn);
    expect(leaks()).toEqual([`a library logs what was sent: ${street}`]);
    expect(Error.stackTraceLimit).toBeLessThan(100);
  });

  it('knows what a test sends before it is answered, in every project, and reads other processes along', async () => {
    forgetWrites();
    const body = { customer: { address: { city: 'Elmo', postal_code: '99501' } } };
    const headers = { 'Idempotency-Key': 'canary-key-1' };
    await send('http://127.0.0.1:1', 'POST', '/calculations', { body, headers }).catch(() => undefined);
    noteWritten('Elmo, canary-key-1', 'npm start');
    expect(leaks()).toEqual(['npm start logs what was sent: Elmo', 'npm start logs what was sent: canary-key-1']);
  });

  it.each(['test/support/noise.ts', 'shared/cli/accounts.ts'])('leaves %s alone, which is no service', (path) => {
    forgetWrites();
    codeIn(path, 'console.log(text)')(console, street);
    expect(leaks()).toEqual([]);
  });
});

describe('what is logged of an error', () => {
  const thrownBy = (error: unknown) => {
    try {
      throw error;
    } catch (thrown) {
      return failureLine(thrown);
    }
  };

  it('is its name and where it came from', () => {
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
    ['a name that is no name', Object.assign(new Error('x'), { name: '77 Canary Lane' })],
    ['the cause', new Error('x', { cause: new Error('77 Canary Lane') })],
    ['the fields', Object.assign(new Error('x'), { CancellationReasons: [{ Item: body }] })],
    ['what is no error', body],
    ['a text', '77 Canary Lane'],
  ])('is never %s', (_what, error) => {
    expect(JSON.stringify(thrownBy(error))).not.toMatch(/canary/i);
  });

  it('is the same of a schedule, and Lambda hears its name alone', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const cause = Object.assign(new Error('77 Canary Lane'), { name: 'TransactionCanceledException', Item: body });
    const failed = await scheduled('sweep-drafts', () => Promise.reject(cause))({}, {} as never).catch(
      (error) => error,
    );
    expect(failed.message).toBe('The schedule sweep-drafts failed with TransactionCanceledException.');
    expect(leaksIn([failed], ['Canary'])).toEqual([]);
    expect(log.mock.calls).toEqual([
      [{ schedule: 'sweep-drafts', error: 'TransactionCanceledException', frames: expect.any(Array) }],
    ]);
  });
});
