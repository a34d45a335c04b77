import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { beforeAll, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';
import { drawFrom } from '../support/random-orders.ts';

// A sweep meets the drafts of every account: here it has a table of its own.
process.env['TABLE_TRANSACTIONS'] = `transactions_${crypto.randomUUID()}`;
vi.resetModules();
const { handlers } = await import('../../infra/local/handlers.ts');
const { advanceClock } = await import('../../shared/config/clock.ts');
const { newCaller } = await import('../support/api.ts');
const { clientOf, creditOf, hourMs, made, michigan, sale } = await import('../support/sales.ts');

beforeAll(() => createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string })));

const sweep = () => handlers.schedules['sweep-drafts']({}, { getRemainingTimeInMillis: () => 240_000 } as Context);
type Row = { readonly id: string; readonly status: string; readonly type: string; readonly customer: { id: string } };

/** The filters, each with what a row that they keep is. */
const lists: readonly (readonly [Record<string, string>, (row: Row) => boolean])[] = [
  [{}, () => true],
  [{ status: 'draft' }, ({ status }) => status === 'draft'],
  [{ status: 'finalized' }, ({ status }) => status === 'finalized'],
  [{ status: 'void' }, ({ status }) => status === 'void'],
  [{ type: 'sale', customer_id: 'cus_1' }, ({ type, customer }) => type === 'sale' && customer.id === 'cus_1'],
  [{ 'tax_date[gte]': '2026-01-01', status: 'finalized' }, ({ status }) => status === 'finalized'],
  [{ 'tax_date[gte]': '2026-01-01' }, () => true],
];

it.each([1, 2])(
  'a list shows what was there exactly once, whatever is written between its pages: %i',
  async (seed) => {
    const draw = drawFrom(seed);
    const client = clientOf(await newCaller({ settings: { draft_ttl_hours: 24 } }));
    const days = ['2026-09-01', '2026-10-01', '2026-10-01T12:00:00Z', '2026-11-01'];
    const body = () =>
      sale({
        status: draw.of(['draft', 'finalized']),
        tax_date: draw.of(days),
        customer: { id: draw.of(['cus_1', 'cus_2']), address: michigan },
      });
    const create = (count: number) =>
      Promise.all(Array.from({ length: count }, () => client.create(body()).then(({ body }) => body)));
    const some = async (status: string): Promise<Row> => {
      const { data } = await made(client.list({ status, limit: '100' }));
      return data.length > 0 ? draw.of(data as Row[]) : made(client.create({ ...body(), status }));
    };
    const whole = { line_items: [{ id: 'item_1', quantity: '0.1' }] };
    const changes: readonly (() => Promise<unknown>)[] = [
      () => create(2),
      async () => client.update((await some('draft')).id, { status: 'finalized' }),
      async () => client.update((await some('draft')).id, { status: 'void' }),
      async () => client.update((await some('finalized')).id, { status: 'void' }),
      async () => client.create(creditOf(await some('finalized'), whole)),
      async () => client.update((await some('finalized')).id, { metadata: { a: String(draw.below(99)) } }),
    ];
    const everything = async (): Promise<Map<string, Row>> => {
      const rows: Row[] = [];
      for (let after: string | null = null; ; ) {
        const page: any = await made(client.list({ limit: '100', ...(after && { starting_after: after }) }));
        rows.push(...page.data);
        after = page.next_cursor;
        if (after === null) return new Map(rows.map((row) => [row.id, row]));
      }
    };

    let advancedMs = 0;
    const advance = (milliseconds: number) => {
      advanceClock(milliseconds);
      advancedMs += milliseconds;
    };
    try {
      await create(30);
      advance(20 * hourMs);
      await create(30);
      for (const [at, [filters, keeps]] of lists.entries()) {
        const before = await everything();
        const shown: string[] = [];
        let pages = 0;
        for (let after: string | null = null; pages === 0 || after !== null; pages += 1) {
          const page: any = await made(
            client.list({ ...filters, limit: '7', ...(after && { starting_after: after }) }),
          );
          shown.push(...page.data.map(({ id }: Row) => id));
          after = page.next_cursor;
          for (let times = 1 + draw.below(3); times > 0; times -= 1) await draw.of(changes)();
          // In the midst of one of them the older half of the drafts expires, and is swept.
          if (at === 1 + (seed % 3) && pages === 1) {
            advance(5 * hourMs);
            await sweep();
          }
        }
        const now = await everything();
        expect([filters, new Set(shown).size]).toEqual([filters, shown.length]);
        const stayed = [...before.values()].filter((row) => keeps(row) && now.get(row.id)?.status === row.status);
        expect(stayed.length).toBeGreaterThan(0);
        expect(pages).toBeGreaterThan(1);
        const missing = stayed.filter(({ id }) => !shown.includes(id));
        expect([filters, missing]).toEqual([filters, []]);
        // And nothing that never was what was asked for.
        const wrong = shown.filter((id) => ![before.get(id), now.get(id)].some((row) => row && keeps(row)));
        expect([filters, wrong]).toEqual([filters, []]);
      }
    } finally {
      advanceClock(-advancedMs);
    }
  },
  120_000,
);
