import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { currentVersion } from '../../shared/api/versions.ts';
import { ProductAttributesListResponse } from '../../shared/vocabulary/schema.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { anonymous, type Call, newCaller } from '../support/api.ts';

const { productAttributes } = vocabulary();

const path = '/product-attributes';
const everyCode = productAttributes.map(({ code }) => code);

let call: Call;
beforeAll(async () => {
  ({ call } = await newCaller({ scopes: ['read'] }));
});

const list = (parameters: Record<string, string> = {}, headers: Record<string, string | string[]> = {}) =>
  call('GET', `${path}?${new URLSearchParams(parameters)}`, { headers });
const codesOf = ({ body }: { body: { data: { code: string }[] } }): string[] => body.data.map((item) => item.code);

describe('GET /product-attributes', () => {
  it('returns the whole vocabulary in one page by default (spec 4.1 rule 1)', async () => {
    const answer = await call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ object: 'list', url: path, has_more: false, data: productAttributes });
    expect(z.safeParse(ProductAttributesListResponse, answer.body).success).toBe(true);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('service-version')).toBe(currentVersion);
  });

  it('needs a credential', async () => {
    expect((await anonymous.call('GET', path)).status).toBe(401);
  });

  it('pages through everything with the last code received (spec 4.1 rule 2)', async () => {
    const received: string[] = [];
    for (let cursor: string | undefined, more = true; more; cursor = received.at(-1)) {
      const answer = await list({ limit: '20', ...(cursor !== undefined && { starting_after: cursor }) });
      received.push(...codesOf(answer));
      expect(received.length).toBeLessThanOrEqual(everyCode.length);
      more = answer.body.has_more;
    }
    expect(received).toEqual(everyCode);
  });

  it('accepts a retired code as a cursor: codes are compared as strings', async () => {
    expect(codesOf(await list({ starting_after: '_NEWER', limit: '1' }))).toEqual(['_NEWSPAPER']);
    expect((await list({ starting_after: '~' })).body).toMatchObject({ has_more: false, data: [] });
  });

  it.each([
    { ptc: 'CLOTHING.APPAREL', because: 'it is a full path' },
    { ptc: 'APPAREL', because: 'it is a label, as ptcs writes it' },
    { ptc: 'CLOTHING.APPAREL._FUR', because: 'its attributes are ignored' },
    { ptc: 'CLOTHING.APPAREL._NEW', because: 'also one that does not apply' },
  ])('narrows the list to what applies to $ptc: $because', async ({ ptc }) => {
    expect(codesOf(await list({ ptc }))).toEqual(['_ATHLETIC', '_FORMAL_WEAR', '_FUR', '_PROTECTIVE']);
  });

  it('pages through a narrowed list', async () => {
    const first = await list({ ptc: 'APPAREL', limit: '3' });
    expect(first.body.has_more).toBe(true);
    const second = await list({ ptc: 'APPAREL', limit: '3', starting_after: '_FUR' });
    expect([second.body.has_more, codesOf(second)]).toEqual([false, ['_PROTECTIVE']]);
  });

  it('returns an empty list for a code that no attribute applies to', async () => {
    expect((await list({ ptc: 'GENERAL' })).body).toMatchObject({ has_more: false, data: [] });
  });

  it.each(['0', '-1', '1001', '1.5', '', 'abc', '+5', '1e2', ' 5', '5 ', '05', '٥', '9'.repeat(400)])(
    'refuses a limit of "%s"',
    async (limit) => {
      const { status, body } = await list({ limit });
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([
        { status: '422', code: 'validation_invalid_format', source: { pointer: null, parameter: 'limit' } },
      ]);
    },
  );

  it.each(['1', '9', '10', '999', '1000'])('takes a limit of %s', async (limit) => {
    const answer = await list({ limit });
    expect(codesOf(answer)).toEqual(everyCode.slice(0, Number(limit)));
  });

  it('refuses an empty cursor', async () => {
    const { status, body } = await list({ starting_after: '' });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { code: 'validation_invalid_format', source: { pointer: null, parameter: 'starting_after' } },
    ]);
  });

  it.each(['', 'CLOTHING', 'FOOD.APPAREL', 'apparel', '_FUR', 'APPAREL.'])('refuses "%s" as a ptc', async (ptc) => {
    const { status, body } = await list({ ptc });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { code: 'validation_unknown_product_tax_code', source: { pointer: null, parameter: 'ptc' } },
    ]);
  });

  it('refuses a ptc with an attribute that does not exist', async () => {
    const { status, body } = await list({ ptc: 'APPAREL._SILK' });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { code: 'validation_unknown_product_attribute', source: { parameter: 'ptc' }, meta: { attribute: '_SILK' } },
    ]);
  });

  it('refuses unknown and repeated parameters', async () => {
    const { status, body } = await call('GET', `${path}?page=2&limit=1&limit=2`);
    expect(status).toBe(422);
    expect(body.errors.map(({ source }) => source.parameter).sort()).toEqual(['limit', 'page']);
  });
});

describe('the ETag of a page', () => {
  it('is strong, and requires revalidation', async () => {
    const { headers } = await list();
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Authorization, X-API-Key, Service-Version');
  });

  it('is equal for the same bytes only', async () => {
    const tagOf = async (parameters: Record<string, string>) => (await list(parameters)).headers.get('etag');
    expect(await tagOf({})).toBe(await tagOf({ limit: '1000' }));
    expect(await tagOf({ ptc: 'APPAREL' })).toBe(await tagOf({ ptc: 'CLOTHING.APPAREL._FUR' }));
    const others = [{}, { limit: '10' }, { limit: '11' }, { limit: '10', starting_after: '_FUR' }, { ptc: 'APPAREL' }];
    const tags = await Promise.all(others.map(tagOf));
    expect(new Set(tags).size).toBe(others.length);
  });

  it('differs between a last page and a page with the same attributes and more after it', async () => {
    const last = await list({ ptc: 'APPAREL', limit: '4' });
    const whole = await list({ ptc: 'APPAREL' });
    expect(last.headers.get('etag')).toBe(whole.headers.get('etag'));
    // SWIMWEAR has _ATHLETIC only; of APPAREL it is the first of four.
    const only = await list({ ptc: 'SWIMWEAR', limit: '1' });
    const first = await list({ ptc: 'APPAREL', limit: '1' });
    expect(codesOf(only)).toEqual(codesOf(first));
    expect(only.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });

  it.each([
    { write: (tag: string) => tag, because: 'it is the tag' },
    { write: (tag: string) => `W/${tag}`, because: 'the comparison is weak' },
    { write: (tag: string) => `"other", W/"a,b", ${tag}`, because: 'it is in the list' },
    { write: (tag: string) => ['"other"', tag], because: 'it is in the second of two lines' },
    { write: () => '*', because: '* matches any page' },
  ])('returns 304 with headers only: $because', async ({ write }) => {
    const tag = (await list()).headers.get('etag') ?? '';
    const answer = await list({}, { 'If-None-Match': write(tag) });
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('content-type')).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('vary')).toBe('Authorization, X-API-Key, Service-Version');
    expect(answer.headers.get('service-version')).toBe(currentVersion);
  });

  it.each(['"other"', '', 'garbage', '"unfinished'])(
    'returns the whole page for an If-None-Match of %s',
    async (value) => {
      const answer = await list({}, { 'If-None-Match': value });
      expect([answer.status, codesOf(answer).length]).toEqual([200, everyCode.length]);
    },
  );

  it('does not replace a refusal by a 304', async () => {
    const answer = await list({ ptc: 'NOTHING' }, { 'If-None-Match': '*' });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});
