import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { currentVersion } from '../../shared/api/versions.ts';
import { ProductTaxCodeList } from '../../shared/vocabulary/schema.ts';
import { type Call, newCaller } from '../support/api.ts';
import { goods, sale } from '../support/sales.ts';

const path = '/product-tax-codes';
const file = new URL('../../shared/vocabulary/product-tax-codes.json', import.meta.url);
const everyCode = (JSON.parse(readFileSync(file, 'utf8')) as { code: string }[]).map(({ code }) => code).sort();

let call: Call;
beforeAll(async () => {
  ({ call } = await newCaller({ scopes: ['read'] }));
});

const list = (parameters: Record<string, string> = {}) => call('GET', `${path}?${new URLSearchParams(parameters)}`);
const codesOf = ({ body }: { body: { data: { code: string }[] } }): string[] => body.data.map((item) => item.code);

describe('GET /product-tax-codes', () => {
  it('returns every product tax code in one page by default', async () => {
    const answer = await call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ object: 'list', url: path, has_more: false });
    expect(codesOf(answer)).toEqual(everyCode);
    expect(everyCode).toHaveLength(123);
    expect(z.safeParse(ProductTaxCodeList, answer.body).error).toBeUndefined();
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('service-version')).toBe(currentVersion);
  });

  it.each(['7', '40', '122', '123'])('pages through the same list with a limit of %s', async (limit) => {
    const whole = await call('GET', path);
    const received: unknown[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await list({ limit, ...(cursor !== undefined && { starting_after: cursor }) });
      received.push(...body.data);
      expect(received.length).toBeLessThanOrEqual(everyCode.length);
      cursor = body.data.at(-1)?.code;
      more = body.has_more;
    }
    expect(received).toEqual(whole.body.data);
  });

  it('filters by family, and pages through that', async () => {
    const clothing = everyCode.filter((code) => code.startsWith('CLOTHING.'));
    expect(codesOf(await list({ family: 'CLOTHING' }))).toEqual(clothing);
    const first = await list({ family: 'CLOTHING', limit: '9' });
    expect([first.body.has_more, codesOf(first)]).toEqual([true, clothing.slice(0, 9)]);
    const rest = await list({ family: 'CLOTHING', starting_after: clothing[8] ?? '' });
    expect([rest.body.has_more, codesOf(rest)]).toEqual([false, clothing.slice(9)]);
    expect(codesOf(await list({ family: 'GENERAL' }))).toEqual(['GENERAL']);
  });

  it.each([
    ['stripe:txcd_30011000', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
    ['taxjar:81162000A9000', ['SOFTWARE.SAAS']],
    ['avalara:PC040100', ['CLOTHING.APPAREL']],
    ['avalara:pc040100', ['CLOTHING.APPAREL']],
    ['stripe:PC040100', []],
    ['stripe:txcd_12345678', []],
    // All services: the family to choose from.
    ['stripe:txcd_20030000', everyCode.filter((code) => code.startsWith('SERVICES.'))],
  ])('filters by the equivalent %s', async (equivalent, expected) => {
    const answer = await list({ equivalent });
    expect([answer.status, codesOf(answer)]).toEqual([200, expected]);
  });

  it('returns how each equivalent matches', async () => {
    const { body } = await list({ equivalent: 'stripe:txcd_10103001' });
    expect(body.data).toHaveLength(1);
    expect(body.data[0]?.equivalents).toContainEqual({ system: 'stripe', code: 'txcd_10103001', match: 'narrower' });
    expect(body.data[0]?.equivalents).toContainEqual({ system: 'avalara', code: 'SW054000', match: 'exact' });
  });

  it('combines filters with AND', async () => {
    const equivalent = 'taxjar:20010';
    expect(codesOf(await list({ equivalent, family: 'CLOTHING' }))).toHaveLength(2);
    expect(codesOf(await list({ equivalent, family: 'FOOD' }))).toEqual([]);
  });

  it('searches by the words of a product, best first, in one page of at most 20', async () => {
    const { body } = await list({ q: 'Vanilla Whey Protein Powder' });
    expect(body.data[0]?.code).toBe('FOOD.DIETARY_SUPPLEMENTS');
    const many = await list({ q: 'service' });
    expect(codesOf(many).length).toBeGreaterThan(3);
    expect(codesOf(many).length).toBeLessThanOrEqual(20);
    const two = await list({ q: 'service', limit: '2' });
    expect([codesOf(two), two.body.has_more]).toEqual([codesOf(many).slice(0, 2), false]);
    expect((await list({ q: 'qqqq wwww' })).body).toMatchObject({ data: [], has_more: false });
  });

  it('searches by a code of another service, and combines with the other filters', async () => {
    expect(codesOf(await list({ q: 'txcd_30011000' }))).toEqual(['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']);
    expect(codesOf(await list({ q: 'book', family: 'PRINT' }))[0]).toBe('PRINT.BOOKS');
    expect(codesOf(await list({ q: 'shoes', equivalent: 'stripe:txcd_30011000' }))).toEqual(['CLOTHING.FOOTWEAR']);
    expect(codesOf(await list({ q: 'SaaS', family: 'FOOD' }))).toEqual([]);
  });

  it('refuses a page after the results of a search', async () => {
    const { status, body } = await list({ q: 'book', starting_after: 'PRINT.BOOKS' });
    expect([status, body.errors.length]).toEqual([422, 1]);
    expect(body.errors[0]).toMatchObject({
      code: 'validation_invalid_format',
      source: { parameter: 'starting_after' },
    });
  });

  it.each(['TX', 'tx', 'US-TX', 'Texas'])('adds how a state taxes each product: %s', async (state) => {
    const { body } = await list({ state });
    expect(codesOf({ body })).toEqual(everyCode);
    expect(new Set(body.data.map(({ taxability }) => taxability?.state))).toEqual(new Set(['TX']));
    const drugs = body.data.find(({ code }) => code === 'HEALTH.DRUGS');
    // Tex. Tax Code 151.313: drugs for people with and without a prescription.
    expect(drugs?.taxability).toMatchObject({
      treatment: 'exempt',
      rule_id: expect.stringMatching(/^tx-/),
      source: expect.stringContaining('151.313'),
      attributes: [{ code: '_ANIMAL_USE', treatment: 'taxable' }],
    });
  });

  it('adds none without a state', async () => {
    const { body } = await list({ family: 'HEALTH' });
    expect(new Set(body.data.map(({ taxability }) => taxability))).toEqual(new Set([null]));
  });

  it.each([
    ['family', 'clothing'],
    ['family', 'CLOTHING.APPAREL'],
    ['family', 'SHIRTS'],
    ['family', ''],
    ['equivalent', 'txcd_30011000'],
    ['equivalent', 'vertex:12345'],
    ['equivalent', 'Stripe:txcd_30011000'],
    ['equivalent', 'stripe:'],
    ['equivalent', 'stripe:txcd 1'],
    ['equivalent', `stripe:${'1'.repeat(65)}`],
    ['equivalent', ''],
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', 'all'],
    ['starting_after', ''],
    ['q', ''],
    ['q', '  '],
    ['q', 'x'.repeat(101)],
    ['state', ''],
    ['state', 'ZZ'],
    ['state', 'GU'],
    ['state', 'AE'],
    ['state', 'Bavaria'],
  ])('refuses %s=%s with what to send instead', async (parameter, value) => {
    const { status, body } = await list({ [parameter]: value });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      {
        code: 'validation_invalid_format',
        source: { pointer: null, parameter },
        detail: expect.stringMatching(/\bSend /),
      },
    ]);
  });

  it('names the families where one is wrong', async () => {
    const { body } = await list({ family: 'SHIRTS' });
    for (const code of everyCode) expect(body.errors[0].detail).toContain(code.split('.')[0]);
  });
});

describe('a refused product tax code', () => {
  it.each([
    ['CLOTHING.SHIRT', everyCode.filter((code) => code.startsWith('CLOTHING.'))],
    ['HEALTH.DRUGS_PRESCRIPTION', ['HEALTH.DRUGS._PRESCRIPTION']],
    ['20010', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
  ])('comes with the codes that %s may mean', async (product_tax_code, expected) => {
    const answer = await call('POST', '/calculations', { body: sale({ line_items: [goods({ product_tax_code })] }) });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([
      { code: 'validation_unknown_product_tax_code', source: { pointer: '/line_items/0/product_tax_code' } },
    ]);
    expect([answer.body.errors[0].meta['did_you_mean']].flat().toSorted()).toEqual(expected);
  });
});
