import { beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { newClient } from '../support/api.ts';
import { activate, importRelease } from '../support/content.ts';
import { intercept } from '../support/faults.ts';
import { buildHead, buildPart } from '../support/local-content.ts';
import { buildCreditRequest, goods, later, made, sale } from '../support/sales.ts';

type Input = { readonly TableName?: string; readonly ConsistentRead?: boolean };

let calls: string[] = [];

/** Returns the Content table calls of a run. */
const recordCalls = async (run: () => Promise<unknown>): Promise<string[]> => {
  calls = [];
  await run();
  return calls;
};

/** Hennepin County, Minneapolis and two districts: 9.025 % together with the state. */
const minneapolis = { 'US-MN-H': '0.0015', 'US-MN-MPLS': '0.005', 'US-MN-T': '0.0075', 'US-MN-M': '0.0075' };
const one = 'US-MN@2032-01-01.1';
const other = 'US-MN@2032-01-02.1';
const parts = {
  [one]: [buildPart('55401', minneapolis)],
  [other]: [buildPart('55401', { 'US-MN-NEW': '0.03125' })],
};

beforeAll(async () => {
  for (const id of [one, other] as const) await importRelease(buildHead(id), parts[id]);
  intercept(({ command, input, pass }) => {
    const table = environment.tables.content;
    const { RequestItems, ...only } = input as Input & { RequestItems?: Record<string, Input> };
    const asked = only.TableName === table ? only : RequestItems?.[table];
    // A replica can lag, so a missing item would be cached as absent.
    if (asked) calls.push(asked.ConsistentRead ? command : `${command}, perhaps of a replica`);
    return pass();
  });
});

let minutes = 0;
/** Activates a new release that no instance has cached, and advances the clock a minute until instances detect it. */
const activated = async <Value>(id: string | null, run: () => Promise<Value>): Promise<Value> => {
  await activate('MN', id);
  minutes += 2;
  return later(minutes * 60_000, run);
};

const inMinnesota = (postal_code: string) => ({
  customer: { address: { state: 'MN', postal_code, country: 'US' } },
});
const atNicollet = sale(inMinnesota('55401'));
const taxed = async (client: Awaited<ReturnType<typeof newClient>>) => {
  const { tax_amount, content_releases } = await made(client.calculate(atNicollet));
  return [tax_amount, content_releases['US-MN']];
};

describe('active imported releases', () => {
  it('reads the directory once and all parts once on a cold instance, and nothing on a warm one', async () => {
    const client = await newClient();
    await activated(one, async () => {
      expect(await recordCalls(() => client.calculate(atNicollet))).toEqual(['GetItem', 'BatchGetItem']);
      expect(await recordCalls(() => client.calculate(atNicollet))).toEqual([]);
      expect(await recordCalls(() => made(client.create(atNicollet)))).toEqual([]);
      expect(await recordCalls(() => client.calculate(sale(inMinnesota('55402'))))).toEqual(['BatchGetItem']);
      expect(await recordCalls(() => client.calculate(sale(inMinnesota('55402'))))).toEqual([]);
      // Michigan has no import.
      expect(await recordCalls(() => client.calculate(sale()))).toEqual([]);
    });
  });
});

describe('transactions with an imported release', () => {
  const unmatched = { line_items: [goods({ id: 'another', quantity: '1', unit_price: '80.00' })] };

  it('keeps the release of a transaction: a credit after a later activation still uses it', async () => {
    const client = await newClient();
    const sold = await activated(one, () => made(client.create({ ...atNicollet, status: 'finalized' })));
    expect([sold.tax_amount, sold.content_releases]).toEqual(['9.03', { 'US-MN': one }]);
    await activated(other, async () => {
      expect(await taxed(client)).toEqual(['10.00', other]);
      // The tax is 9.025 % of 80.00.
      const calculated = await made(client.calculate(buildCreditRequest(sold, { status: undefined, ...unmatched })));
      expect([calculated.tax_amount, calculated.content_releases]).toEqual(['7.22', { 'US-MN': one }]);
      const credit = await made(client.create(buildCreditRequest(sold, unmatched)));
      expect([credit.tax_amount, credit.content_releases]).toEqual(['7.22', { 'US-MN': one }]);
    });
  });

  it('uses the active release when a draft is edited, unless only its tax changes', async () => {
    const client = await newClient();
    const [edited, retaxed] = await activated(one, () =>
      Promise.all([made(client.create(atNicollet)), made(client.create({ ...atNicollet, tax_amount: '5.00' }))]),
    );
    await activated(other, async () => {
      const recalculated = await made(client.update(retaxed.id, { tax_amount: null }));
      expect([recalculated.tax_amount, recalculated.content_releases]).toEqual(['9.03', { 'US-MN': one }]);
      const metadata = await made(client.update(edited.id, { metadata: { a: '1' } }));
      expect([metadata.tax_amount, metadata.content_releases]).toEqual(['9.03', { 'US-MN': one }]);
      const moved = await made(client.update(edited.id, { line_items: [goods({ quantity: '4' })] }));
      expect([moved.tax_amount, moved.content_releases]).toEqual(['20.00', { 'US-MN': other }]);
    });
  });
});
