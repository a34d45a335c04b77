/**
 * Lambda limits a response to 6,291,556 bytes and counts the body as a JSON string, so a quote inside a string takes
 * four bytes and a JSON delimiter two.
 */
import { describe, expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { connectClient, creditOf, getRefusal, goods, made, sale } from '../support/sales.ts';

const lambdaMax = 6_291_556;
const getBytes = ({ text }: { readonly text: string }) => Buffer.byteLength(JSON.stringify({ body: text }));

const quotes = (length: number) => '"'.repeat(length);
const minneapolis = { city: 'Minneapolis', state: 'MN', postal_code: '55401', country: 'US' };
const manyQuotes = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key_${at}`, quotes(500)]));

/** A thousand lines in six jurisdictions. The certificate is repeated in each jurisdiction. */
const huge = (text: number, certificate: number, others: Record<string, unknown> = {}) =>
  sale({
    customer: {
      address: minneapolis,
      ...(certificate > 0 && { exemption: { type: 'resale', certificate_id: quotes(certificate) } }),
    },
    line_items: Array.from({ length: 1000 }, (_, at) =>
      goods({ id: `${at}`, quantity: '1', description: quotes(text), metadata: { a: quotes(text) } }),
    ),
    ...others,
  });

describe('the response of a sale with a thousand lines', () => {
  it.each([
    { text: 150, certificate: 0, explain: true, status: 201 },
    { text: 225, certificate: 0, explain: false, status: 201 },
    { text: 225, certificate: 200, explain: true, status: 413 },
    { text: 225, certificate: 255, explain: false, status: 201 },
  ])(
    "is below Lambda's limit, or the request is rejected before anything is stored: %o",
    async ({ status, ...shape }) => {
      const client = connectClient(await newCaller());
      const body = huge(shape.text, shape.certificate, { explain: shape.explain });
      const calculated = await client.calculate(body);
      const created = await client.create(body);
      expect([calculated.status, created.status]).toEqual([status === 201 ? 200 : status, status]);
      for (const answer of [calculated, created]) expect(getBytes(answer)).toBeLessThan(lambdaMax);
      const { data } = await made(client.list());
      if (status === 413) {
        expect(getRefusal(created)).toBe('413 | validation_body_too_large');
        expect(data).toEqual([]);
        expect((await client.create({ ...body, line_items: body.line_items.slice(500) })).status).toBe(201);
        return;
      }
      // Later changes still fit.
      const { id } = created.body;
      for (const change of [{ metadata: manyQuotes }, { status: 'finalized' }])
        expect(getBytes(await client.update(id, change))).toBeLessThan(lambdaMax);
      const credit = await client.create(creditOf({ id }));
      expect([201, 413]).toContain(credit.status);
      expect(getBytes(credit)).toBeLessThan(lambdaMax);
      expect(
        getBytes(await client.call('GET', `/transactions/${id}?expand=history` as '/transactions/{id}')),
      ).toBeLessThan(lambdaMax);
    },
  );

  it('is rejected if a draft edit makes it too large, and the draft remains unchanged', async () => {
    const client = connectClient(await newCaller());
    const { id, version } = await made(client.create(huge(225, 200)));
    expect(getRefusal(await client.update(id, { explain: true }))).toBe('413 | validation_body_too_large');
    expect(await made(client.get(id))).toMatchObject({ version, explanation: null });
  });
});

it('ends a list page by its size in bytes in Lambda', async () => {
  const client = connectClient(await newCaller());
  for (let count = 0; count < 3; count++) await made(client.create(huge(225, 0)));
  const page = await client.list({ expand: 'line_items' });
  expect(getBytes(page)).toBeLessThan(lambdaMax);
  expect(page.body).toMatchObject({ has_more: true });
});
