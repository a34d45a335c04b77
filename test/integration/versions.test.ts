import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { endpointsWith, startGateway } from '../support/gateway.ts';
import { type Answer, type Request, type Schema, send } from '../support/http.ts';
import { goods, refusalOf, sale } from '../support/sales.ts';
import { renamed, testVersions } from '../support/test-versions.ts';

const [aspen, birch, cedar] = ['aspen.2026-10-01', 'birch.2027-01-01', 'cedar.2027-06-01'] as const;

// The service as it is after each of the versions came.
const services = { birch: testVersions.slice(0, 2), cedar: testVersions };
const running: Record<string, Awaited<ReturnType<typeof startGateway>>> = {};

beforeAll(async () => {
  for (const [name, versions] of Object.entries(services)) running[name] = await startGateway(endpointsWith(versions));
});
afterAll(() => {
  for (const { close } of Object.values(running)) close();
});

/** The fields of all versions, which their answers have some of. */
type Body = Schema<'Transaction'> & {
  readonly line_items: readonly { readonly price: string }[];
  readonly data: readonly object[];
  readonly [name: string]: unknown;
};
type Ask = (method: string, path: string, body?: unknown, headers?: Request['headers']) => Promise<Answer<Body>>;

const clientOf = async (version?: string, service: keyof typeof services = 'cedar') => {
  const { key } = await newCaller(version === undefined ? {} : { settings: { service_version: version } });
  const ask =
    (url: string): Ask =>
    (method, path, body, headers = {}) =>
      send(url, method, path, { body, headers: { 'X-API-Key': key, ...headers } }) as ReturnType<Ask>;
  return { ask: ask(running[service]?.url ?? ''), askLater: ask(running['cedar']?.url ?? '') };
};

const line = (name: string) => renamed(goods({ id: 'item_1' }), 'unit_price', name);
const olderSale = { ...sale({ line_items: [line('price')] }), invoice_number: 'inv_1' };
const middleSale = { ...sale({ line_items: [line('price')] }), reference: 'inv_1' };
const currentSale = sale({ reference_id: 'inv_1' });
const as = (version: string | readonly string[]) => ({ 'Service-Version': version });

describe('an account that was created with an older version', () => {
  it('sends and receives the older shape everywhere, without a header', async () => {
    const { ask } = await clientOf(aspen);
    const created = await ask('POST', '/transactions', olderSale);
    expect(created.text).toContain('"invoice_number":"inv_1"');
    expect([created.status, created.body.invoice_number, created.body.line_items[0]?.price]).toEqual([
      201,
      'inv_1',
      '50.00',
    ]);
    for (const name of ['reference', 'reference_id']) expect(created.body).not.toHaveProperty(name);
    expect(created.body.warnings.map(({ code }) => code)).not.toContain('unknown_field');
    expect([created.headers.get('service-version'), created.headers.get('vary')]).toEqual([aspen, 'Service-Version']);

    const path = `/transactions/${created.body.id}`;
    const updated = await ask('POST', path, { invoice_number: 'inv_2' });
    expect([updated.status, updated.body.invoice_number]).toEqual([200, 'inv_2']);
    expect((await ask('GET', path)).body).toMatchObject({ invoice_number: 'inv_2', line_items: [{ price: '50.00' }] });
    const { data } = (await ask('GET', '/transactions')).body;
    expect(data.map((item) => Object.entries(item).filter(([name]) => /^(invoice|reference)/.test(name)))).toEqual([
      [['invoice_number', 'inv_2']],
    ]);
  });

  it('can request each later version of the same transaction', async () => {
    const { ask } = await clientOf(aspen);
    const { id } = (await ask('POST', '/transactions', olderSale)).body;
    const answers = await Promise.all(
      [aspen, birch, cedar].map((name) => ask('GET', `/transactions/${id}`, undefined, as(name))),
    );
    expect(answers.map(({ body }) => [body.invoice_number, body.reference, body.reference_id])).toEqual([
      ['inv_1', undefined, undefined],
      [undefined, 'inv_1', undefined],
      [undefined, undefined, 'inv_1'],
    ]);
    expect(
      answers.map(({ body }) => Object.keys(body.line_items[0] ?? {}).filter((name) => name.endsWith('price'))),
    ).toEqual([['price'], ['price'], ['unit_price']]);
    expect(answers.map(({ headers }) => headers.get('service-version'))).toEqual([aspen, birch, cedar]);
    // It is the same transaction in every shape.
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
  });
});

it.each([
  { version: aspen, body: olderSale },
  { version: birch, body: middleSale },
  { version: cedar, body: currentSale },
])('the version $version calculates the same tax, and is stored as one', async ({ version, body }) => {
  const { ask } = await clientOf(cedar);
  const { status, body: created } = await ask('POST', '/transactions', body, as(version));
  expect([status, created.tax_amount]).toEqual([201, '6.00']);
  const stored = (await ask('GET', `/transactions/${created.id}`)).body;
  expect([stored.reference_id, stored.line_items[0]?.unit_price]).toEqual(['inv_1', '50.00']);
});

describe('a refusal', () => {
  it.each([
    { version: aspen, name: 'price', reference: 'invoice_number' },
    { version: birch, name: 'price', reference: 'reference' },
    { version: cedar, name: 'unit_price', reference: 'reference_id' },
  ])('a refusal of $version points at the fields as they were sent', async ({ version, name, reference }) => {
    const { ask } = await clientOf(cedar);
    const wrong = { ...sale({ line_items: [{ ...line(name), [name]: 7 }] }), [reference]: '' };
    const answer = await ask('POST', '/transactions', wrong, as(version));
    expect(answer.status).toBe(422);
    const problems = answer.body.errors.map(({ title, source }) => [source.pointer, title]);
    expect(problems).toEqual([
      [`/line_items/0/${name}`, expect.stringContaining(` ${name}`)],
      [`/${reference}`, expect.stringContaining(` ${reference}`)],
    ]);
    expect(answer.text).not.toMatch(/line_items.0.(unit_)?price(?<!price)/);
    expect(Object.keys(answer.body.errors[0])).toEqual(['status', 'code', 'title', 'detail', 'source', 'meta']);
  });

  it('409 names the field as it was sent', async () => {
    const { ask } = await clientOf(aspen);
    await ask('POST', '/transactions', olderSale);
    expect(refusalOf(await ask('POST', '/transactions', olderSale))).toBe(
      '409 | conflict_duplicate_reference_id /invoice_number',
    );
  });

  it('a refusal of an unknown field, and the warning of one, name it as it was sent', async () => {
    const { ask } = await clientOf(aspen);
    // A field of the newer version is unknown in the older one, where it is still ignored.
    const sent = { ...olderSale, line_items: [{ ...line('price'), colour: 'red' }] };
    const { body } = await ask('POST', '/calculations', sent);
    expect(body.warnings.map(({ pointer }) => pointer)).toContain('/line_items/0/colour');
    const strict = await ask('POST', '/calculations', sent, { Prefer: 'handling=strict' });
    expect(refusalOf(strict)).toContain('validation_unknown_field /line_items/0/colour');
  });

  it.each(['dogwood.2028-01-01', 'aspen', '', [aspen, cedar]])(
    'the refusal of "%s" lists the supported versions',
    async (sent) => {
      const { ask } = await clientOf();
      const answer = await ask('POST', '/calculations', sale(), as(sent));
      expect(refusalOf(answer)).toBe('422 | validation_unknown_service_version Service-Version');
      expect(answer.body.errors[0].meta.supported_versions).toEqual([aspen, birch, cedar]);
      expect(answer.headers.get('service-version')).toBe(cedar);
    },
  );

  it.each([null, 7, 'text', [], [null], { line_items: null }, { line_items: [null, 7] }])(
    'the refusal of %j is that of a body, in every version',
    async (body) => {
      const { ask } = await clientOf();
      for (const version of [aspen, birch, cedar])
        expect((await ask('POST', '/transactions', body, as(version))).status).toBe(422);
    },
  );
});

describe('an answer that is kept', () => {
  const key = { 'Idempotency-Key': 'k' };

  it.each([
    { version: aspen, body: olderSale },
    { version: birch, body: middleSale },
  ])('is replayed in $version to the byte, even after a newer version exists', async ({ version, body }) => {
    const { ask, askLater } = await clientOf(version, 'birch');
    // Before cedar, the lines have their price under its present name already.
    const sent = { ...body, line_items: currentSale.line_items };
    const request = renamed(sent, 'reference', 'reference_id');
    const first = await ask('POST', '/transactions', version === birch ? request : sent, key);
    expect(first.status).toBe(201);
    const again = await askLater('POST', '/transactions', version === birch ? request : sent, key);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  });

  it('belongs to one version: the same body with another version is a different request', async () => {
    const { ask } = await clientOf(cedar);
    const first = await ask('POST', '/transactions', olderSale, { ...key, ...as(aspen) });
    const second = await ask('POST', '/transactions', olderSale, { ...key, ...as(aspen) });
    expect([first.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect(refusalOf(await ask('POST', '/transactions', olderSale, { ...key, ...as(birch) }))).toBe(
      '422 | idempotency_key_reused Idempotency-Key',
    );
  });

  it('has a different ETag in each version, which the others do not match', async () => {
    const { ask } = await clientOf(cedar);
    const path = '/product-attributes?limit=1';
    const [older, current] = [await ask('GET', path, undefined, as(aspen)), await ask('GET', path)];
    expect([older.body.more, older.body.has_more]).toEqual([true, undefined]);
    expect([current.body.more, current.body.has_more]).toEqual([undefined, true]);
    const tag = older.headers.get('etag') ?? '';
    expect(tag).not.toBe(current.headers.get('etag'));
    expect(older.headers.get('vary')).toContain('Service-Version');
    const same = await ask('GET', path, undefined, { ...as(aspen), 'If-None-Match': tag });
    expect([same.status, same.text, same.headers.get('service-version')]).toEqual([304, '', aspen]);
    expect((await ask('GET', path, undefined, { 'If-None-Match': tag })).status).toBe(200);
  });
});
