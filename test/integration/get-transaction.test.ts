import { expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { clientOf, dayMs, later, made, refusalOf, retrieved, sale, sold } from '../support/sales.ts';

const newClient = async () => clientOf(await newCaller());

it('returns the bytes of the last change, with its version as ETag and with history on request', async () => {
  const client = await newClient();
  const { id } = await made(client.create(sale({ metadata: { a: '1' }, shipping: { amount: '3.00' } })));
  const changed = await client.update(id, { metadata: { b: '2' } });
  const answer = await client.get(id);
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(`${changed.text.slice(0, -1)},"history":null}`);
  expect(answer.headers.get('etag')).toBe('"2"');
  expect(answer.headers.get('location')).toBeNull();
});

it('returns the same 404 for an unknown id, another account’s, and an invalid id', async () => {
  const [client, other] = await Promise.all([newClient(), newClient()]);
  const foreign = await sold(other);
  const ids = ['txn_01ARZ3NDEKTSV4RRFFQ69G5FAV', foreign.id, 'x', '%00', '%F0%9F%A7%BE', 'a%23b', 'x'.repeat(3000)];
  const details = new Set<string>();
  for (const id of ids) {
    const [got, updated] = await Promise.all([client.get(id), client.update(id, { metadata: { a: 'b' } })]);
    expect([id, refusalOf(got), refusalOf(updated)]).toEqual([id, '404 | not_found', '404 | not_found']);
    for (const { body } of [got, updated]) details.add(body.errors[0].detail);
  }
  expect(details.size).toBe(1);
  expect((await made(other.get(foreign.id))).version).toBe(1);
});

it('reads an expired draft as the void that the sweep will write', async () => {
  const client = await newClient();
  const draft = await made(client.create(sale()));
  await later(dayMs - 2000, async () => expect((await made(client.get(draft.id))).status).toBe('draft'));
  await later(dayMs, async () => {
    const answer = await client.get(draft.id);
    const { expires_at } = draft;
    expect(answer.body).toEqual({
      ...retrieved(draft),
      status: 'void',
      void_reason: 'draft_expired',
      voided_at: expires_at,
      updated_at: expires_at,
      version: 2,
    });
    expect(answer.headers.get('etag')).toBe('"2"');
  });
});

it('accepts no query parameter but expand', async () => {
  const client = await newClient();
  const { id } = await sold(client);
  expect(refusalOf(await client.get(`${id}?verbose=1`))).toBe('422 | validation_unknown_parameter verbose');
  expect(refusalOf(await client.get(`${id}?expand=line_items`))).toBe('422 | validation_invalid_format expand');
});
