// @isolated: the event source polls the stream until its process ends.

import { beforeAll, describe, expect, it } from 'vitest';
import { countRecords, startEventSource } from '../../infra/local/handlers.ts';
import { openStream, type StreamRecord, streamReader } from '../../infra/local/table-stream.ts';
import { environment } from '../../shared/config/environment.ts';
import { rowItem } from '../../shared/store/report-store.ts';
import { putItems } from '../bench/database.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, type Filer, file, monthly, newFiler } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { accounts, ledger } from '../support/run-command.ts';
import {
  buildCreditRequest,
  everyRow,
  getRefusal,
  goods,
  listCharges,
  made,
  michigan,
  sale,
  sold,
} from '../support/sales.ts';

type Report = Schema<'ReportByState'>;
type Transaction = Schema<'Transaction'>;
type Head = { readonly Keys: { readonly sk: { readonly S: string } } };

let read: () => Promise<StreamRecord[]>;
const delivered: StreamRecord[] = [];
/** Returns the stream records since the last call. */
const fresh = async (): Promise<StreamRecord[]> => {
  const records = await read();
  delivered.push(...records);
  return records;
};

beforeAll(async () => {
  read = streamReader(await openStream(environment.tables.transactions));
});

const getReport = (filer: Filer, query = '?from=2026-01&to=2026-12') =>
  made(filer.call('GET', `/reports/by-state${query}`)) as Promise<Report>;

const places = {
  MI: michigan,
  NY: { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' },
  TX: { city: 'Austin', state: 'TX', postal_code: '78701', country: 'US' },
  OR: { city: 'Portland', state: 'OR', postal_code: '97201', country: 'US' },
} as const;
type State = keyof typeof places;
const states = Object.keys(places) as State[];

/** Returns the cents of a decimal string. */
const cents = (text: string): number => Math.round(Number(text) * 100);
type Sums = Record<string, { gross: number; taxable: number; tax: number; count: number }>;

/** Sums finalized transactions from API responses, line by line: by month, state and type. */
const getSums = (transactions: readonly Transaction[]): Sums => {
  const sums: Sums = {};
  for (const { status, type, tax_date, line_items, shipping } of transactions) {
    if (status !== 'finalized' && status !== 'filed') continue;
    const counted = new Set<string>();
    for (const { net_amount: net, taxes } of listCharges({ line_items: line_items ?? [], shipping })) {
      const state = taxes[0]?.jurisdiction_code.slice(0, 5) as string;
      const key = `${tax_date.slice(0, 7)} ${state} ${type}`;
      sums[key] ??= { gross: 0, taxable: 0, tax: 0, count: 0 };
      const sum = sums[key];
      sum.gross += cents(net);
      sum.taxable += cents(taxes.find(({ jurisdiction_code }) => jurisdiction_code === state)?.taxable_amount ?? '0');
      for (const { tax_amount } of taxes) sum.tax += cents(tax_amount);
      if (!counted.has(key)) sum.count += 1;
      counted.add(key);
    }
  }
  return sums;
};

const reported = ({ data }: Report): Sums =>
  Object.fromEntries(
    data.flatMap(({ month, state, sales, credits }) =>
      Object.entries({ sale: sales, credit: credits })
        .filter(([, { count }]) => count > 0)
        .map(([type, { count, ...sum }]) => {
          const sums = {
            gross: cents(sum.gross_amount),
            taxable: cents(sum.taxable_amount),
            tax: cents(sum.tax_amount),
          };
          return [`${month} ${state} ${type}`, { ...sums, count }];
        }),
    ),
  );

const readAll = async (filer: Filer) =>
  (await everyRow((after) => filer.list({ limit: '10', expand: 'line_items', ...after }))).rows as Transaction[];

const creditOfA = { tax_date: '2026-10-28', line_items: [{ id: 'a', quantity: '1' }] };

/** Creates random sales in one or two states, with credits, voids, changed taxes, drafts and filings. */
const exercise = async (filer: Filer, seed: number, steps: number) => {
  const draw = drawFrom(seed);
  const line = (id: string, state: State) =>
    goods({
      id,
      product_tax_code: draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL']),
      quantity: String(1 + draw.below(3)),
      unit_price: `${1 + draw.below(200)}.${10 + draw.below(90)}`,
      customer: { address: places[state] },
    });
  const sales: Transaction[] = [];
  for (let step = 0; step < steps; step++) {
    const [first, second] = [draw.of(states), draw.of(states)];
    const body = sale({
      tax_date: `2026-${draw.of(['08', '09', '10'])}-${10 + draw.below(15)}`,
      customer: { address: places[first] },
      line_items: [line('a', first), line('b', draw.oneIn(3) ? second : first)],
      ...(draw.oneIn(2) && { status: 'finalized' }),
    });
    const made1 = await made(filer.create(body));
    if (made1.status === 'finalized') sales.push(made1);
    else if (draw.oneIn(2)) sales.push(await made(filer.update(made1.id, { status: 'finalized' })));
    const parent = sales[draw.below(Math.max(1, sales.length))];
    if (!parent || !draw.oneIn(2)) continue;
    // Errors are expected: a sale with credits, or a filed sale, cannot be voided.
    const kind = draw.below(4);
    if (kind === 0) await filer.update(parent.id, { status: 'void', void_reason: 'test' });
    else if (kind === 1) await filer.update(parent.id, { tax_amount: `${draw.below(9)}.00` });
    else await filer.create(buildCreditRequest(parent, creditOfA));
  }
};

it('returns sums by state and month that equal the transactions, however records are batched, repeated and interleaved', async () => {
  const [one, other] = await Promise.all([newCaller(), newCaller()]);
  const [filer, neighbor] = [createFiler(one), createFiler(other)];
  await Promise.all([exercise(filer, 1, 40), exercise(neighbor, 2, 10)]);
  await file(filer, (await closedFiling(filer, 'MI', '2026-08-31')).id);
  await cancel(filer, (await closedFiling(filer, 'NY', '2026-08-31')).id);
  const records = await fresh();
  expect(records.length).toBeGreaterThan(60);
  // Simulates two shards: records of one item are in order, records of different items might not be.
  const getKey = ({ dynamodb }: StreamRecord) => (dynamodb as { Keys: { pk: { S: string } } }).Keys.pk.S;
  const shards = [...Map.groupBy(records, (record) => Number(getKey(record).at(-1)?.charCodeAt(0)) % 2).values()];
  await Promise.all(
    shards.map(async (shard, index) => {
      const draw = drawFrom(index + 7);
      for (let at = 0; at < shard.length; at += draw.below(8)) await countRecords(shard.slice(at, at + 12));
    }),
  );
  for (const client of [filer, neighbor]) {
    const report = await getReport(client);
    expect(reported(report)).toEqual(getSums(await readAll(client)));
    expect(report.warnings).toEqual([]);
  }
  // Delivers everything again, as after an outage. Nothing is counted twice.
  const before = await getReport(filer);
  await countRecords(records);
  await countRecords(records.slice(0, records.length / 2));
  expect(await getReport(filer)).toEqual(before);
  expect(before.as_of).toMatch(/^20/);
});

it('adds each transaction that the stream missed in a recount, and counts it once', async () => {
  const caller = await newCaller();
  const filer = createFiler(caller);
  await exercise(filer, 3, 25);
  const records = await fresh();
  await countRecords(records.slice(0, 40));
  const recount = () => ledger('recount', '--account', caller.account.id);
  const first = await recount();
  expect([first.code, first.err]).toEqual([0, '']);
  expect(reported(await getReport(filer))).toEqual(getSums(await readAll(filer)));
  expect((await recount()).out).toMatch(/added 0 that were missing/);
  await countRecords(records);
  expect(reported(await getReport(filer))).toEqual(getSums(await readAll(filer)));
});

describe('late records of earlier versions', () => {
  // A recount reads a version, and the stream delivers newer versions before the recount writes.
  const newestFirst = async (update: (filer: Filer, id: string) => Promise<void>) => {
    const filer = await newFiler();
    await fresh();
    const { id } = await made(filer.create(sale({ status: 'finalized' })));
    await update(filer, id);
    return { filer, records: await fresh() };
  };

  it('does not count the record after the void', async () => {
    const { filer, records } = await newestFirst(async ({ update }, id) => {
      await made(update(id, { status: 'void', void_reason: 'test' }));
    });
    for (const record of records.toReversed()) await countRecords([record]);
    expect(reported(await getReport(filer))).toEqual({});
  });

  it('does not count the record after a newer version with the same amounts', async () => {
    const { filer, records } = await newestFirst(async ({ update }, id) => {
      const { tax_amount } = await made(update(id, { tax_amount: '1.00' }));
      expect(tax_amount).toBe('1.00');
      await made(update(id, { tax_amount: '6.00' }));
    });
    const [first, second, third] = records.filter(({ dynamodb }) => (dynamodb as Head).Keys.sk.S === 'H');
    for (const record of [first, third, second]) await countRecords([record as StreamRecord]);
    expect(reported(await getReport(filer))).toEqual(getSums(await readAll(filer)));
    expect((await getReport(filer)).data[0]?.sales.tax_amount).toBe('6.00');
  });
});

it('counts sales in states without registration, by exemption reason', async () => {
  const filer = await newFiler({ registrations: [monthly('MI')] });
  for (const customer of [{ address: places.TX }, { address: michigan, exemption: { type: 'resale' } }])
    await sold(filer, { customer });
  await countRecords(await fresh());
  const { data } = await getReport(filer);
  expect(data.map(({ state, sales }) => [state, sales.gross_amount, sales.exempt_by_reason])).toEqual([
    ['US-MI', '100.00', expect.objectContaining({ resale: '100.00', not_registered: '0.00' })],
    ['US-TX', '100.00', expect.objectContaining({ resale: '0.00', not_registered: '100.00' })],
  ]);
});

it('keeps every sum after a redaction', async () => {
  const caller = await newCaller();
  const filer = createFiler(caller);
  const exempt = { address: michigan, exemption: { type: 'resale', certificate_number: 'secret' } };
  const { id } = await made(filer.create(sale({ status: 'finalized', customer: exempt })));
  await countRecords(await fresh());
  const before = await getReport(filer);
  const redact = ['redact', '--account', caller.account.id, '--transaction', id, '--yes'];
  expect(await accounts(...redact)).toMatchObject({ code: 0 });
  await countRecords(await fresh());
  expect({ ...(await getReport(filer)), as_of: null }).toEqual({ ...before, as_of: null });
});

describe('accounts check', () => {
  type Finding = { readonly status: string; readonly subject: string };
  const readCheck = async (settings: Parameters<typeof newCaller>[0]) => {
    const { account } = await newCaller(settings);
    const { code, out } = await accounts('check', '--account', account.id, '--json');
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const listSubjects = (wanted: string) =>
      findings.filter(({ status }) => status === wanted).map(({ subject }) => subject);
    return { code, missing: listSubjects('missing'), ok: listSubjects('ok'), check: listSubjects('check') };
  };

  it('exits with 2 while registrations and the ship-from address are not set', async () => {
    const { code, missing } = await readCheck({ settings: { registrations: null } });
    expect([code, missing]).toEqual([2, ['registrations', 'ship_from']]);
  });

  it('exits with 0 if everything is set, and lists what it cannot check', async () => {
    const decided = await readCheck({
      settings: {
        registrations: [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'quarter' }],
        ship_from: { state: 'MI', postal_code: '48226' },
        incomplete_coverage: 'reject',
        ambiguous_address: 'reject',
        time_zone: 'America/Detroit',
        retain_personal_data_days: 400,
        return_identity: {
          legal_name: 'A Shop',
          tin: { type: 'FEIN', number: '123456789' },
          sst_id: 'S12345678',
          state_ids: {},
        },
      },
    });
    expect(decided).toMatchObject({ code: 0, missing: [], check: ['content US-MI', 'alarms'] });
    expect(decided.ok).toContain('registration US-MI');
  });
});

it('returns a warning in a calculation only while registrations are not set', async () => {
  const readCodes = async (settings: object) => {
    const { warnings } = await made((await newFiler(settings)).calculate(sale()));
    return warnings.map(({ code }) => code).filter((code) => code === 'registrations_missing');
  };
  expect(await readCodes({ registrations: null })).toEqual(['registrations_missing']);
  expect(await readCodes({ registrations: 'all' })).toEqual([]);
  expect(await readCodes({ registrations: [] })).toEqual([]);
});

describe('GET /registrations/advice', () => {
  const month = { status: 'finalized', tax_date: '2026-10-08' };
  const sellIn = (filer: Filer, state: State, unit_price: string) =>
    sold(filer, { customer: { address: places[state] }, line_items: [goods({ quantity: '1', unit_price })] });
  const readAdvice = async (filer: Filer) => {
    await countRecords(await fresh());
    const { data, warnings } = (await made(filer.call('GET', '/registrations/advice'))) as Schema<'RegistrationAdvice'>;
    return { of: (state: string) => data.find((advice) => advice.state === `US-${state}`), data, warnings };
  };

  it('returns the states in which to register, and states close to a threshold', async () => {
    const filer = await newFiler({ registrations: [monthly('NY')] });
    // New York requires an amount and a number of sales. Michigan counts the previous year. Texas requires 500,000 in
    // twelve months.
    await sellIn(filer, 'NY', '600000.00');
    await sellIn(filer, 'MI', '100000.01');
    await sellIn(filer, 'TX', '499999.99');
    const { of, data } = await readAdvice(filer);
    expect(of('NY')?.status).toBe('registered');
    const next = [{ sales_amount: '0.00' }, { counts_from: '2027-01-01' }];
    expect(of('MI')).toMatchObject({ status: 'upcoming', periods: next });
    const almost = [{ share_reached: '0.9999', reached: false }, {}];
    expect(of('TX')).toMatchObject({ status: 'approaching', periods: almost });
    await sellIn(filer, 'TX', '0.01');
    expect((await readAdvice(filer)).of('TX')?.status).toBe('reached');
    expect(data).toHaveLength(48);
    expect(of('OR')).toBeUndefined();
  });

  it('omits marketplace sales in states that exclude them, even before a registration', async () => {
    const filer = await newFiler({ registrations: [] });
    // Georgia excludes marketplace sales (O.C.G.A. 48-8-2(8)), New Jersey counts them (N.J.S.A. 54:32B-3.5).
    for (const address of [
      { city: 'Atlanta', state: 'GA', postal_code: '30303', country: 'US' },
      { city: 'Trenton', state: 'NJ', postal_code: '08608', country: 'US' },
    ]) {
      const line_items = [goods({ quantity: '1', unit_price: '200000.00' })];
      await made(filer.create(sale({ ...month, customer: { address }, collected_by: 'marketplace', line_items })));
      await made(filer.create(sale({ ...month, customer: { address } })));
      const voided = await made(filer.create(sale({ ...month, customer: { address }, collected_by: 'marketplace' })));
      await made(filer.update(voided.id, { status: 'void', void_reason: 'test' }));
    }
    const { of } = await readAdvice(filer);
    const own = { sales_amount: '100.00', transaction_count: 1 };
    expect(of('GA')).toMatchObject({ status: 'below', periods: [{}, own] });
    const all = { sales_amount: '200100.00', transaction_count: 2 };
    expect(of('NJ')).toMatchObject({ status: 'reached', periods: [{}, all] });
  });

  it('warns about other currencies, and prints the same warning in the CLI', async () => {
    const caller = await newCaller();
    const filer = createFiler(caller);
    await made(filer.create(sale({ ...month, currency: 'EUR', line_items: [goods({ unit_price: '900000.00' })] })));
    const { warnings, of } = await readAdvice(filer);
    expect(warnings.map(({ code }) => code)).toEqual(['currency_not_counted']);
    expect(of('MI')?.periods[1]).toMatchObject({ sales_amount: '0.00', transaction_count: 1 });
    const printed = await accounts('advice', '--account', caller.account.id, '--json');
    expect(JSON.parse(printed.out)).toMatchObject({ warnings });
  });
});

it('counts transactions continuously in the local service', async () => {
  await startEventSource(environment.tables.transactions);
  const filer = await newFiler();
  await sold(filer);
  await expect.poll(async () => (await getReport(filer)).data).toHaveLength(1);
});

describe('reports in many currencies', () => {
  const months = ['2026-01', '2026-02', '2026-03'];
  const states = Array.from({ length: 26 }, (_, at) => `US-${String.fromCharCode(65 + at)}A`);
  const currencies =
    'AUD CAD CHF CLP CNY CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW KWD MXN MYR NOK NZD PEN PHP PLN RON RSD SEK SGD THB TRY TWD UAH USD UYU VND XAF XOF ZAR'.split(
      ' ',
    );

  /** The sums that `count-transactions` would keep for sales in many currencies. One in seven is for voided sales. */
  const rows = months.flatMap((month) =>
    states.flatMap((state) =>
      currencies.map((currency, at) => {
        const sum = { taxable: 10n ** 26n + BigInt(at), exempt: 0n, tax: 7n, count: at % 7 === 0 ? 0 : 1 };
        return { month, state, currency, sales: sum, credits: { ...sum, count: 0 }, seen: 0 };
      }),
    ),
  );

  it('returns the report in pages, with each row once', async () => {
    const caller = await newCaller();
    const client = createFiler(caller);
    const buildItem = (row: (typeof rows)[number]) => rowItem(caller.account.id, row, '2026-04-01T00:00:00.000Z');
    await putItems(environment.tables.transactions, rows.length, (at) => buildItem(rows[at] as (typeof rows)[number]));
    const path = '/reports/by-state?from=2026-01&to=2026-03';
    const readPage = async (after: Readonly<Record<string, string>> = {}) => {
      const response = await client.call('GET', `${path}&${new URLSearchParams(after)}` as '/reports/by-state');
      expect(Buffer.byteLength(JSON.stringify(response.text))).toBeLessThan(6_200_000);
      return response;
    };
    const { rows: found, pages } = await everyRow(readPage);
    expect(pages).toBe(2);
    const seen = found.map(({ month, state, currency }) => `${month} ${state} ${currency}`);
    const shown = rows.filter(({ sales }) => sales.count > 0);
    expect(seen).toEqual(shown.map(({ month, state, currency }) => `${month} ${state} ${currency}`));
    const { next_cursor } = await made(readPage());
    const other = `/reports/by-state?from=2026-02&to=2026-03&starting_after=${next_cursor}`;
    const invalid = '422 | validation_invalid_cursor starting_after';
    expect(getRefusal(await client.call('GET', other))).toBe(invalid);
    const stranger = await newFiler();
    expect(getRefusal(await stranger.call('GET', `${path}&starting_after=${next_cursor}`))).toBe(invalid);
    await made(client.call('GET', '/registrations/advice'));
  });
});
