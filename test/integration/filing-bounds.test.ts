import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { responseBytes } from '../../shared/base/response-size.ts';
import { filingLines } from '../../shared/cli/ledger/format.ts';
import { toItems } from '../../shared/cli/ledger/read-export.ts';
import { verifyFiling } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { beginFiling, workOn } from '../../shared/filings/work-on.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import { deleteAccountItems } from '../../shared/store/accounts/account-items.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { database } from '../../shared/store/client/client.ts';
import { decompress } from '../../shared/store/client/compressed.ts';
import { allFilings } from '../../shared/store/filings/entry-places.ts';
import { filingPorts } from '../../shared/store/filings/filing-ports.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, type Filer, type Filing } from '../support/filings.ts';
import { later, made, sale } from '../support/sales.ts';
import { buildCommit, created, finalized, line, newTransactionId, readItems } from '../support/transactions.ts';

const period = { state: 'US-TX', period_end: '2026-10-31' };
// Lambda's response limit minus the envelope.
const responseBytesMax = 6_200_000;

const currencies =
  'AED AUD BAM BBD BDT BGN BMD BND BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR ' +
  'FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA USD';

const cities = 500;
const sales = 120;
/** Returns the 60 cities of a sale. */
const listCities = (sale: number) => Array.from({ length: 60 }, (_, at) => (sale * 61 + at * 7) % cities);

/** The tax of a sale in a city in cents, with many distinct digits. */
const getTax = (sale: number, city: number): number => 1 + ((sale * 7919 + city * 104_729) % 999_983);

const listRows = (sale: number) =>
  [
    { code: 'US-TX', rate: '0.0625', cents: 6 },
    ...listCities(sale).map((city) => ({ code: `US-TX-${48_000 + city}`, rate: '0.02', cents: getTax(sale, city) })),
  ].map(({ code, rate, cents }) => ({
    ...(line().taxes[0] as ReturnType<typeof line>['taxes'][number]),
    jurisdiction_code: code,
    jurisdiction_name: `Name of ${code}`,
    rate,
    taxable_amount: new Decimal(cents).div(2).toFixed(2),
    tax_amount: new Decimal(cents).div(100).toFixed(2),
  }));

/** Returns a new transaction id whose entries are in this shard. */
const idInShard = (shard: number): string => {
  for (;;) {
    const id = newTransactionId();
    if (createHash('sha256').update(id).digest().readUInt32BE() % 8 === shard) return id;
  }
};

/** Records a sale with its open entries in the table, because no content has that many cities. */
const post = async (account: string, sale: number, taxes = listRows(sale)) => {
  const tax_amount = taxes.reduce((sum, row) => sum.plus(row.tax_amount), new Decimal(0)).toFixed(2);
  const amounts = { tax_amount, calculated_tax_amount: tax_amount };
  const currency = currencies.split(' ')[sale % 60] ?? '';
  const terms = { ...finalized, id: idInShard(3), currency, tax_date: '2026-10-05' };
  const head = created({ ...terms, ...amounts, line_items: [line({ taxes, tax_amount })] });
  const openEntries = { post: listLiabilityEntries(head.after), remove: [] };
  expect(await ledger.commit(buildCommit(account, head, { openEntries }))).toEqual({ kind: 'committed' });
};

/** Formats each total as `EUR US-TX-48000 1234 3`: currency, jurisdiction, tax in cents and entries. */
const listLines = (totals: Filing['totals']): string[] =>
  (totals ?? []).map(
    (of) => `${of.currency} ${of.jurisdiction_code} ${new Decimal(of.tax_amount).times(100)} ${of.count}`,
  );

const expected = (): string[] => {
  const names = currencies.split(' ');
  return names.flatMap((currency, at) => {
    const own = Array.from({ length: sales }, (_, sale) => sale).filter((sale) => sale % names.length === at);
    const ofCity = (city: number) => {
      const taxes = own.filter((sale) => listCities(sale).includes(city)).map((sale) => getTax(sale, city));
      const sum = taxes.reduce((all, tax) => all + tax, 0);
      return taxes.length > 0 ? [`${currency} US-TX-${48_000 + city} ${sum} ${taxes.length}`] : [];
    };
    const ofCities = Array.from({ length: cities }, (_, city) => ofCity(city)).flat();
    return [`${currency} US-TX ${6 * own.length} ${own.length}`, ...ofCities];
  });
};

const form = 'TX-01-114';
/** The tax in dollars. Its totals are on the last page, because they are in the order of the currencies. */
const taxInDollars = (): string => {
  const cents = expected().flatMap((row) => (row.startsWith('USD ') ? Number(row.split(' ')[2]) : []));
  return new Decimal(cents.reduce((sum, tax) => sum + tax, 0)).div(100).toFixed(2);
};

/** Returns all pages of totals, each small enough for a response. */
const allTotals = async (read: (cursor: string | null) => Promise<Filing>) => {
  const lines: string[] = [];
  let pages = 0;
  let cursor: string | null = null;
  do {
    const page = await read(cursor);
    expect(responseBytes(JSON.stringify(page))).toBeLessThan(responseBytesMax);
    expect(page.summary).toHaveLength(60);
    lines.push(...listLines(page.totals));
    cursor = page.totals_next_cursor;
    pages += 1;
  } while (cursor !== null);
  expect(pages).toBeGreaterThan(2);
  return lines;
};

describe('120 sales in 500 cities and 60 currencies in one shard', () => {
  let caller: Caller;
  let filer: Filer;
  let id: string;

  beforeAll(async () => {
    caller = await newCaller({ settings: { books_open_from: '2026-10-01' } });
    filer = createFiler(caller);
    for (let sale = 0; sale < sales; sale++) await post(caller.account.id, sale);
  });

  it('returns a dry run in pages', async () => {
    const dryRun = (cursor: string | null) =>
      made(filer.close({ ...period, dry_run: true, totals_starting_after: cursor }));
    expect(await allTotals(dryRun)).toEqual(expected());
    const { worksheet } = await made(filer.close({ ...period, dry_run: true, form }));
    expect(worksheet?.tax_due_amount).toBe(taxInDollars());
  });

  it('closes the filing, and returns its totals in pages', async () => {
    ({ id } = await closedFiling(filer, period.state, period.period_end));
    const lines = await allTotals(async (cursor) => {
      const from = cursor === null ? {} : { totals_starting_after: cursor };
      const page = await made(filer.filing(id, { expand: 'entries', limit: '10', ...from }));
      expect(page).toMatchObject({ status: 'closed', progress: { entries_moved: sales, complete: true } });
      return page;
    });
    expect(lines).toEqual(expected());
    const { worksheet } = await made(filer.filing(id, { form }));
    expect(worksheet?.tax_due_amount).toBe(taxInDollars());
  });

  describe('totals in parts', () => {
    /** Returns the items with the parts of the filing's totals. */
    const listParts = async () =>
      Object.values(await readItems(caller.account.id)).filter(({ pk }) => String(pk).endsWith('#TOTALS'));

    it('adds up the parts in the verification, and reports a wrong part', async () => {
      expect(await verifyFiling(caller.account.id, id)).toEqual({ findings: [] });
      const [first, second] = await listParts();
      const put = (Item: object = {}) =>
        database.send(new PutCommand({ TableName: environment.tables.transactions, Item }));
      await put({ ...first, sums: second?.['sums'] });
      expect(await verifyFiling(caller.account.id, id)).toMatchObject({ findings: [{ id }] });
      await put(first);
    });

    it('exports the parts, and imports the same items', async () => {
      const stored = await listParts();
      expect(stored.length).toBeGreaterThan(10);
      const { account } = caller;
      const lines = await Array.fromAsync(filingLines(account.id, await allFilings(account.id), ['US-TX']));
      const imported = lines
        .filter(({ kind }) => kind === 'filing_totals')
        .flatMap((line) => toItems('acct_other', line));
      const renamed = stored.map((item) => ({ ...item, pk: String(item['pk']).replace(account.id, 'acct_other') }));
      // The database returns bytes as a different type, and a scan has no order.
      const texts = (items: readonly Record<string, unknown>[]) =>
        items
          .map((item) => ({ ...item, sums: decompress(item['sums'] as Uint8Array) }))
          .sort((a, b) => (String(a['sk' as never]) < String(b['sk' as never]) ? -1 : 1));
      expect(texts(imported)).toEqual(texts(renamed));
    });
  });

  it('cancels the filing, opens its entries again, and deletes them with the account', async () => {
    expect(await cancel(filer, id)).toMatchObject({ status: 'canceled', progress: { entries_reopened: sales } });
    const keys = async () => Object.keys(await readItems(caller.account.id));
    expect((await keys()).filter((key) => key.startsWith('O#'))).toHaveLength(sales);
    await deleteAccountItems(caller.account.id, () => {});
    expect((await keys()).filter((key) => /^[FO]#/.test(key))).toEqual([]);
  });
});

describe('steps of a filing', () => {
  it.each([
    ['as many entries as a transaction of 100 writes allows', 1000, [49, 49, 22]],
    ['fewer entries if it also writes parts of the totals', 2, [47, 47, 26]],
  ])('moves %s', async (_, totalsRowsMax, expected) => {
    const { account } = await newCaller();
    // Three jurisdictions with a rate each: six rows, and three parts of two rows.
    for (let sale = 0; sale < 120; sale++) await post(account.id, sale * 60, listRows(0).slice(0, 3));
    const ports = filingPorts(() => 240_000);
    const moved: number[] = [];
    const commit: typeof ports.filings.commit = (change) => {
      if (change.take?.length) moved.push(change.take.length);
      return ports.filings.commit(change);
    };
    const owner = { account: account.id, state: period.state, asked_by: 'test' };
    const closed = { start: '2026-10-01', end: period.period_end, frequency: 'month' } as const;
    const { filing, commit: start } = beginFiling(owner, closed, null, ports);
    await ports.filings.commit(start);
    expect(await workOn(filing, { ...ports, totalsRowsMax, filings: { ...ports.filings, commit } }, 0)).toBe(true);
    expect(moved).toEqual(expected);
  });
});

describe("days before the account's books open", () => {
  const refusal = {
    status: 422,
    body: { errors: [{ code: 'validation_date_out_of_range', meta: { earliest: '2025-01-01' } }] },
  };

  it('rejects the day for transactions and filings, with the first allowed day', async () => {
    const filer = createFiler(await newCaller({ settings: { books_open_from: '2025-01-01' } }));
    const draft = await made(filer.create(sale({ tax_date: '2025-01-01' })));
    for (const tax_date of ['2024-12-31', '2024-12-31T23:59:59.999Z', '0202-10-08'])
      for (const response of [
        await filer.create(sale({ tax_date })),
        await filer.create({ type: 'credit', parent_transaction_id: draft.id, tax_date }),
        await filer.update(draft.id, { tax_date }),
        await filer.close({ state: 'MI', period_end: tax_date.slice(0, 10) }),
      ])
        expect(response).toMatchObject(refusal);
    expect((await filer.get(draft.id)).body.version).toBe(1);
    expect((await filer.calculate(sale({ tax_date: '2024-12-31' }))).status).toBe(200);
    expect((await filer.close({ state: 'MI', period_end: '2025-01-31' })).status).toBe(202);
  });

  it('accepts a day before the opening if it is the stored tax date', async () => {
    const account = await newCaller();
    const filer = createFiler(account);
    const stored = await made(filer.create(sale({ tax_date: '2024-12-31' })));
    await changeSettings(account.account, { books_open_from: '2025-01-01' });
    await later(120_000, async () => {
      expect(await filer.create(sale({ tax_date: '2024-12-31' }))).toMatchObject(refusal);
      expect((await filer.update(stored.id, { tax_date: '2024-12-31', metadata: { a: 'b' } })).status).toBe(200);
    });
  });
});
