import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { currentVersion } from '../../shared/http/versions.ts';
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
const codesOf = ({ body }: { body: any }): string[] => body.data.map((item: { code: string }) => item.code);

describe('GET /product-attributes', () => {
  it('answers the whole vocabulary in one page by default (spec 4.1 rule 1)', async () => {
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

  it.each([
    { ptc: 'CLOTHING.APPAREL', because: 'it is a full path' },
    { ptc: 'APPAREL', because: 'it is a label, as ptcs writes it' },
    { ptc: 'CLOTHING.APPAREL._FUR', because: 'its attributes are ignored' },
    { ptc: 'CLOTHING.APPAREL._NEW', because: 'also one that does not apply' },
  ])('narrows the list to what applies to $ptc: $because', async ({ ptc }) => {
    expect(codesOf(await list({ ptc }))).toEqual(['_ATHLETIC', '_FORMAL_WEAR', '_FUR', '_PROTECTIVE']);
  });

  it('answers an empty list for a code that no attribute applies to', async () => {
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

  it('refuses an empty cursor, for starting over would page for ever', async () => {
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
});
