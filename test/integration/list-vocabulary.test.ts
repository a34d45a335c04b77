import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { currentVersion } from '../../shared/api/versions.ts';
import { ProductAttributesListResponse, ProductTaxCodeList } from '../../shared/vocabulary/schema.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { anonymous, type Call, newCaller } from '../support/api.ts';

const { productAttributes } = vocabulary();
const file = new URL('../../shared/vocabulary/product-tax-codes.json', import.meta.url);
const everyCode = (JSON.parse(readFileSync(file, 'utf8')) as { code: string }[]).map(({ code }) => code).sort();
const clothing = everyCode.filter((code) => code.startsWith('CLOTHING.'));

let call: Call;
beforeAll(async () => {
  ({ call } = await newCaller({ scopes: ['read'] }));
});

type Path = '/product-attributes' | '/product-tax-codes';
type Parameters = Record<string, string>;
const list = <P extends Path>(path: P, parameters: Parameters = {}, headers: Record<string, string | string[]> = {}) =>
  call('GET', `${path}?${new URLSearchParams(parameters)}` as P, { headers });
const listCodes = ({ body }: { body: { data: readonly { code: string }[] } }): string[] =>
  body.data.map(({ code }) => code);
const attributes = async (parameters: Parameters) => listCodes(await list('/product-attributes', parameters));
const codes = async (parameters: Parameters) => listCodes(await list('/product-tax-codes', parameters));

describe.each([
  ['/product-attributes', productAttributes.map(({ code }) => code), ProductAttributesListResponse],
  ['/product-tax-codes', everyCode, ProductTaxCodeList],
] as const)('GET %s', (path, all, schema) => {
  it('returns the whole list in one page by default, and requires a credential', async () => {
    const response = await call('GET', path);
    expect([response.status, listCodes(response)]).toEqual([200, all]);
    expect(response.body).toMatchObject({ object: 'list', url: path, has_more: false });
    // Parsing drops fields that are not documented.
    expect(z.parse<z.ZodMiniType>(schema, response.body)).toEqual(response.body);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('service-version')).toBe(currentVersion);
    expect((await anonymous.call('GET', path)).status).toBe(401);
  });

  it.each(['7', '40', String(all.length - 1), String(all.length)])(
    'pages through the same list with a limit of %s and the last code received',
    async (limit) => {
      const received: string[] = [];
      for (let more = true; more; ) {
        const cursor = received.at(-1);
        const page = await list(path, { limit, ...(cursor !== undefined && { starting_after: cursor }) });
        received.push(...listCodes(page));
        expect(received.length).toBeLessThanOrEqual(all.length);
        more = page.body.has_more;
      }
      expect(received).toEqual(all);
    },
  );

  it('accepts a retired code as a cursor: codes are compared as strings', async () => {
    const [first = '', second = ''] = all;
    expect(listCodes(await list(path, { starting_after: `${first}~`, limit: '1' }))).toEqual([second]);
    expect((await list(path, { starting_after: '~' })).body).toMatchObject({ has_more: false, data: [] });
  });
});

describe('the ETag of a page', () => {
  const expectedHeaders = { 'cache-control': 'private, no-cache', vary: 'Authorization, X-API-Key, Service-Version' };
  const readTag = async (parameters: Parameters = {}) =>
    (await list('/product-attributes', parameters)).headers.get('etag') ?? '';

  it('sends a strong ETag, equal only for identical bytes', async () => {
    const { headers } = await list('/product-attributes');
    expect(Object.fromEntries(headers)).toMatchObject({ etag: expect.stringMatching(/^"[^"]+"$/), ...expectedHeaders });
    expect(await readTag()).toBe(await readTag({ limit: '1000' }));
    expect(await readTag({ ptc: 'APPAREL' })).toBe(await readTag({ ptc: 'CLOTHING.APPAREL._FUR' }));
    // SWIMWEAR has only _ATHLETIC; APPAREL has four, and this is the first.
    expect(await readTag({ ptc: 'SWIMWEAR', limit: '1' })).not.toBe(await readTag({ ptc: 'APPAREL', limit: '1' }));
  });

  it('returns 304 with only headers if the second If-None-Match line matches', async () => {
    const tag = await readTag();
    const { status, text, headers } = await list('/product-attributes', {}, { 'If-None-Match': ['"other"', tag] });
    expect([status, text, headers.get('content-type')]).toEqual([304, '', null]);
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: tag,
      'service-version': currentVersion,
      ...expectedHeaders,
    });
  });

  it('returns the page for a different ETag, and never replaces an error', async () => {
    for (const value of ['"other"', 'garbage'])
      expect((await list('/product-attributes', {}, { 'If-None-Match': value })).status).toBe(200);
    const refused = await list('/product-attributes', { ptc: 'NOTHING' }, { 'If-None-Match': '*' });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([422, 'no-store']);
  });
});

it.each([
  [{ ptc: 'CLOTHING.APPAREL' }, ['_ATHLETIC', '_FORMAL_WEAR', '_FUR', '_PROTECTIVE']],
  [{ ptc: 'APPAREL', limit: '3' }, ['_ATHLETIC', '_FORMAL_WEAR', '_FUR']],
  [{ ptc: 'APPAREL', limit: '3', starting_after: '_FUR' }, ['_PROTECTIVE']],
  [{ ptc: 'NONTAXABLE' }, []],
])('lists the attributes $1 for $0', async (parameters, expected) =>
  expect(await attributes(parameters as unknown as Parameters)).toEqual(expected),
);

it.each<[Parameters, string[]]>([
  [{ family: 'CLOTHING' }, clothing],
  [{ family: 'CLOTHING', limit: '9' }, clothing.slice(0, 9)],
  [{ family: 'CLOTHING', starting_after: clothing[8] ?? '' }, clothing.slice(9)],
  [{ family: 'GENERAL' }, ['GENERAL']],
  [{ equivalent: 'stripe:txcd_30011000' }, ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
  [{ equivalent: 'avalara:pc040100' }, ['CLOTHING.APPAREL']],
  [{ equivalent: 'stripe:PC040100' }, []],
  // This code of Stripe covers all services, so the list is the family to choose from.
  [{ equivalent: 'stripe:txcd_20030000' }, everyCode.filter((code) => code.startsWith('SERVICES.'))],
  [{ equivalent: 'taxjar:20010', family: 'FOOD' }, []],
  [{ q: 'txcd_30011000' }, ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
  [{ q: 'shoes', equivalent: 'stripe:txcd_30011000' }, ['CLOTHING.FOOTWEAR']],
  [{ q: 'SaaS', family: 'FOOD' }, []],
  [{ q: 'qqqq wwww' }, []],
])('lists the product tax codes $1 for $0', async (parameters, expected) =>
  expect(await codes(parameters)).toEqual(expected),
);

it('returns the best codes of a search first, in one page of at most 20', async () => {
  const many = await codes({ q: 'service' });
  expect(many.length > 3 && many.length <= 20).toBe(true);
  const two = await list('/product-tax-codes', { q: 'service', limit: '2' });
  expect([listCodes(two), two.body.has_more]).toEqual([many.slice(0, 2), false]);
});

it('returns a product tax code with its equivalents, and its taxability if a state is given', async () => {
  const { body } = await list('/product-tax-codes', { equivalent: 'stripe:txcd_10103001' });
  expect(body.data).toMatchObject([{ taxability: null }]);
  expect(body.data[0]?.equivalents).toContainEqual({
    system: 'stripe',
    code: 'txcd_10103001',
    match: 'narrower',
    product_tax_code: 'SOFTWARE.SAAS._BUSINESS_USE',
  });
  expect(body.data[0]?.equivalents).toContainEqual({
    system: 'avalara',
    code: 'SW054000',
    match: 'exact',
    product_tax_code: 'SOFTWARE.SAAS',
  });
  for (const state of ['tx', 'US-TX', 'Texas']) {
    const { data } = (await list('/product-tax-codes', { state })).body;
    expect(new Set(data.map(({ taxability }) => taxability?.state))).toEqual(new Set(['TX']));
    // Tex. Tax Code 151.313: drugs for people with and without a prescription.
    expect(data.find(({ code }) => code === 'HEALTH.DRUGS')?.taxability).toMatchObject({
      treatment: 'exempt',
      rule_id: expect.stringMatching(/^tx-/),
      source: expect.stringContaining('151.313'),
      attributes: [{ code: '_ANIMAL_USE', treatment: 'taxable' }],
    });
  }
});

it('rejects a cursor with a search, and lists all families if the family is unknown', async () => {
  const { status, body } = await list('/product-tax-codes', { q: 'book', starting_after: 'PRINT.BOOKS' });
  expect([status, body.errors.map(({ source }) => source.parameter)]).toEqual([422, ['starting_after']]);
  const refused = await list('/product-tax-codes', { family: 'SHIRTS' });
  for (const code of everyCode) expect(refused.body.errors[0].detail).toContain(code.split('.')[0]);
});
