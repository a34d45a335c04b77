import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { type Document, toDocument } from '../document.ts';
import { createQuotes, warningText } from '../quotes.ts';
import { apiKey, type Fault, startFaults, startLevy } from './levy.ts';
import { buildCart, honolulu } from './orders.ts';

const service = await startLevy();
const faults = await startFaults(service.url);
beforeEach(() => Object.assign(faults.state, { fault: 'none', seen: [] }));

const document = (unitPrice: string, address: object = honolulu): Document => {
  const documented = toDocument({ ...buildCart([{ id: 'a', quantity: 1, unitPrice }]), address });
  if (!documented.ok) throw new Error(documented.gap.code);
  return documented.document;
};
const quotes = (options: { timeoutMs?: number; now?: () => number; maxEntries?: number; key?: string } = {}) =>
  createQuotes({ levy: createClient({ url: faults.url, apiKey: options.key ?? apiKey }), timeoutMs: 2000, ...options });

describe('quotes', () => {
  it('makes one call for concurrent and later carts with the same document', async () => {
    const quote = quotes();
    const results = await Promise.all([1, 2, 3].map(() => quote(document('10.00'))));
    results.push(await quote(document('10.00')));
    expect(results.map((result) => result.ok && result.calculation.tax_amount)).toEqual(Array(4).fill('0.45'));
    expect(faults.state.seen).toHaveLength(1);
    await quote(document('10.01'));
    expect(faults.state.seen).toHaveLength(2);
  });

  it.each(['us-hi', 'US-HI', 'hi', 'Hawaii'])('accepts the province %s', async (province) => {
    const quote = await quotes()(document('100.00', { ...honolulu, province, country: 'us' }));
    expect(quote).toMatchObject({ ok: true, calculation: { tax_amount: '4.50' } });
  });

  // The tax day of an account begins at midnight of its time zone.
  it.each(['America/New_York', 'Asia/Kathmandu', 'UTC'])('caches no quote past midnight in %s', async (timeZone) => {
    const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' });
    const quarters = [...Array(96).keys()].map((at) => Date.parse('2026-11-23T00:00:00Z') + at * 15 * 60_000);
    const midnight = quarters.find((at) => format.format(at) === '00:00') as number;
    let now = midnight - 1000;
    const quote = quotes({ now: () => now });
    await quote(document('1.00'));
    now = midnight;
    await quote(document('1.00'));
    expect(faults.state.seen).toHaveLength(2);
  });

  it('caches a quote for ten minutes, but not past midnight UTC, and evicts the oldest', async () => {
    let now = Date.parse('2026-11-23T23:55:00Z');
    const quote = quotes({ now: () => now, maxEntries: 2 });
    const calls = async (price: string) => {
      const before = faults.state.seen.length;
      await quote(document(price));
      return faults.state.seen.length - before;
    };
    expect([await calls('1.00'), await calls('1.00')]).toEqual([1, 0]);
    now = Date.parse('2026-11-24T00:00:01Z');
    expect([await calls('1.00'), await calls('2.00'), await calls('1.00'), await calls('3.00')]).toEqual([1, 1, 0, 1]);
    expect([await calls('1.00'), await calls('2.00')]).toEqual([0, 1]);
    now += 10 * 60_000;
    expect(await calls('2.00')).toBe(1);
  });

  it.each<Fault>(['hang', 'hang up', 429, 500, 503])(
    'returns no quote during %s, with one call for all carts',
    async (fault) => {
      faults.state.fault = fault;
      let now = 0;
      const quote = quotes({ now: () => now });
      const reasons = [];
      for (const price of ['1.00', '2.00', '3.00']) reasons.push(await quote(document(price)));
      expect(reasons).toMatchObject(Array(3).fill({ ok: false, reason: 'unavailable' }));
      expect(faults.state.seen).toHaveLength(1);
      faults.state.fault = 'none';
      expect(await quote(document('4.00'))).toMatchObject({ ok: false });
      now = 5000;
      expect(await quote(document('1.00'))).toMatchObject({ ok: true });
    },
  );

  it('waits for the Retry-After of a response, if that is longer than the pause', async () => {
    Object.assign(faults.state, { fault: 429, retryAfter: 30 });
    let now = 0;
    const quote = quotes({ now: () => now });
    await quote(document('1.00'));
    Object.assign(faults.state, { fault: 'none', retryAfter: 0 });
    now = 29_000;
    const skipped = {
      ok: false,
      detail: expect.stringMatching(/^Skipped: Levy failed less than 30 s ago. Last error: /),
    };
    expect(await quote(document('2.00'))).toMatchObject(skipped);
    now = 30_000;
    expect(await quote(document('2.00'))).toMatchObject({ ok: true });
  });

  it('returns no quote during a conflict, but does not pause the next call', async () => {
    const quote = quotes();
    faults.state.fault = 409;
    expect(await quote(document('1.00'))).toMatchObject({ ok: false, reason: 'unavailable' });
    faults.state.fault = 'none';
    expect(await quote(document('1.00'))).toMatchObject({ ok: true });
  });

  it('returns no quote after a 422, without affecting other carts', async () => {
    Object.assign(faults.state, {
      fault: 422,
      applies: ({ sent }: { sent: unknown }) => JSON.stringify(sent).includes('66.00'),
    });
    const quote = quotes();
    expect(await quote(document('66.00'))).toMatchObject({ ok: false, reason: 'refused' });
    expect(await quote(document('7.00'))).toMatchObject({ ok: true });
    faults.state.applies = () => true;
  });

  it('returns warnings about possibly missing tax, and whether the address is covered', async () => {
    const guam = { city: 'Hagatna', province: 'GU', postalCode: '96910', country: 'US' };
    const quote = await quotes()(document('10.00', guam));
    expect(quote).toMatchObject({ ok: true, isCovered: false });
    const messages = quote.ok ? quote.warnings : [];
    expect(messages.join('\n')).toMatch(/Guam/);
    expect(warningText('A1', messages)).toContain('order A1');
    expect(await quotes()(document('10.00'))).toMatchObject({ ok: true, isCovered: true });
  });

  it('taxes orders in Puerto Rico, where the province is a municipality', async () => {
    // The rates are 10.5 % and 1 % (13 L.P.R.A. 32021, 32024).
    for (const province of [null, 'San Juan', 'us-pr']) {
      const quote = await quotes()(document('10.00', { country: 'pr', province, postalCode: '00901' }));
      expect(quote).toMatchObject({ ok: true, isCovered: true, calculation: { tax_amount: '1.15' } });
    }
  });

  it('returns no quote for any cart without a valid key', async () => {
    const quote = quotes({ key: 'levy_wrong' });
    for (const price of ['1.00', '2.00']) expect(await quote(document(price))).toMatchObject({ reason: 'unavailable' });
    expect(faults.state.seen).toHaveLength(1);
  });

  it('shares the time limit of one checkout request', async () => {
    faults.state.fault = 'hang';
    let now = 0;
    const quote = quotes({ now: () => now });
    const scope = {};
    await quote(document('1.00'), scope);
    // Even after the circuit breaker's pause, this request has exhausted its time limit.
    now = 10_000;
    expect(await quote(document('2.00'), scope)).toMatchObject({ ok: false, reason: 'unavailable' });
    expect(faults.state.seen).toHaveLength(1);
    const ended: string[] = [];
    const other = quote(document('2.00'), {}).then(() => ended.push('other'));
    expect(faults.state.seen).toHaveLength(1);
    // The call of a different request has a separate limit.
    await quote(document('2.00'), scope).then(() => ended.push('this'));
    await other;
    expect([ended, faults.state.seen.length]).toEqual([['this', 'other'], 2]);
  });
});

it('counts the time of concurrent calls of a request once', async () => {
  const delayed = { post: () => new Promise((resolve) => setTimeout(resolve, 100, { ok: true, data: calculation })) };
  const calculation = { line_items: [], shipping: null, warnings: [] };
  const quote = createQuotes({ levy: delayed as never, timeoutMs: 600 });
  const scope = {};
  const prices = Array.from({ length: 10 }, (_, at) => `${at + 1}.00`);
  await Promise.all(prices.map((price) => quote(document(price), scope)));
  expect(await quote(document('11.00'), scope)).toMatchObject({ ok: true });
});

describe('the document of a cart', () => {
  it.each([
    [{ ...honolulu, country: 'DE' }, 'foreign_country'],
    [{ country: 'US', city: 'Honolulu' }, 'incomplete_address'],
    [{ country: 'US' }, 'no_address'],
    [{ country: 'PR' }, 'no_address'],
    [{ ...honolulu, country: '' }, 'no_address'],
    [null, 'no_address'],
  ])('refuses to build a document for the address %j', (address, code) => {
    const cart = buildCart([{ id: 'a', quantity: 1, unitPrice: '1.00' }]);
    expect(toDocument({ ...cart, address })).toMatchObject({ ok: false, gap: { code } });
    expect(toDocument({ ...cart, lines: [] })).toMatchObject({ ok: false, gap: { code: 'no_lines' } });
  });
});
