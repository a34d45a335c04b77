import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { answerBytes } from '../../shared/base/answer-size.ts';
import { createFiling } from '../../shared/filings/create-filing.ts';
import type { ClosePorts } from '../../shared/filings/ports.ts';
import { getFiling } from '../../shared/filings/read-filings.ts';
import type { Filing } from '../../shared/filings/response.ts';
import { filingPorts } from '../../shared/store/filings/filing-ports.ts';
import {
  cancelIt,
  close,
  filingOf,
  idInShard,
  type Levy,
  newFiler,
  placesOf,
  portsFor,
  post,
  read,
  resume,
} from '../support/filing-ledger.ts';

const period = { state: 'US-TX', period_end: '2026-10-31' };

// Lambda's limit of a response, less its envelope.
const responseBytesMax = 6_200_000;

const currencies =
  'AED AUD BAM BBD BDT BGN BMD BND BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR ' +
  'FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA USD';

const cities = 500;
const sales = 180;
/** The cities of a sale: 60 of them. */
const citiesOf = (sale: number) => Array.from({ length: 60 }, (_, at) => (sale * 61 + at * 7) % cities);

/** The tax of a sale in a city in cents, with many digits that differ. */
const taxOf = (sale: number, city: number): number => 1 + ((sale * 7919 + city * 104_729) % 999_983);

const leviesOf = (sale: number): Levy[] => [
  { code: 'US-TX', rate: '0.0625', taxable: '1.00', exempt: '0.00', tax: '0.06' },
  ...citiesOf(sale).map((city) => ({
    code: `US-TX-${48_000 + city}`,
    rate: '0.02',
    taxable: new Decimal(taxOf(sale, city)).div(2).toFixed(2),
    exempt: '0.00',
    tax: new Decimal(taxOf(sale, city)).div(100).toFixed(2),
  })),
];

/** The ports with the limits of the service. */
const portsOf = (account: Account): ClosePorts => {
  const { stepEntriesMax, totalsRowsMax } = filingPorts(() => 0);
  return portsFor(account, { stepEntriesMax, totalsRowsMax });
};

const caller = (account: Account) => ({ account, credential: 'key_filer' });

/** `EUR US-TX-48000 1234 3` for each total: currency, jurisdiction, tax in cents and entries. */
const linesOf = (totals: Filing['totals']): string[] =>
  (totals ?? []).map(
    (of) => `${of.currency} ${of.jurisdiction_code} ${new Decimal(of.tax_amount).times(100)} ${of.count}`,
  );

const expected = (): string[] => {
  const names = currencies.split(' ');
  return names.flatMap((currency, at) => {
    const own = Array.from({ length: sales }, (_, sale) => sale).filter((sale) => sale % names.length === at);
    const ofCity = (city: number) => {
      const taxes = own.filter((sale) => citiesOf(sale).includes(city)).map((sale) => taxOf(sale, city));
      const sum = taxes.reduce((all, tax) => all + tax, 0);
      return taxes.length > 0 ? [`${currency} US-TX-${48_000 + city} ${sum} ${taxes.length}`] : [];
    };
    const ofCities = Array.from({ length: cities }, (_, city) => ofCity(city)).flat();
    return [`${currency} US-TX ${6 * own.length} ${own.length}`, ...ofCities];
  });
};

/** All pages of totals, each small enough for a response. */
const allTotals = async (read: (cursor: string | null) => Promise<Filing>) => {
  const lines: string[] = [];
  let pages = 0;
  let cursor: string | null = null;
  do {
    const page = await read(cursor);
    expect(answerBytes(JSON.stringify(page))).toBeLessThan(responseBytesMax);
    expect(page.summary).toHaveLength(currencies.split(' ').length);
    lines.push(...linesOf(page.totals));
    cursor = page.totals_next_cursor;
    pages += 1;
  } while (cursor !== null);
  return { lines, pages };
};

describe('180 sales in 500 cities and 60 currencies in one shard', () => {
  let account: Account;
  let id: string;

  beforeAll(async () => {
    account = newFiler({ books_open_from: '2026-10-01' });
    for (let sale = 0; sale < sales; sale++) {
      const currency = currencies.split(' ')[sale % 60] ?? '';
      await post(account, { day: '2026-10-05', levies: leviesOf(sale), currency, id: idInShard(3) });
    }
  });

  it('have a dry run in pages', { timeout: 120_000 }, async () => {
    const dryRun = async (cursor: string | null) => {
      const request = { ...period, dry_run: true, totals_starting_after: cursor };
      const page = filingOf(await createFiling(request, null, caller(account), portsOf(account)));
      expect(answerBytes(JSON.stringify(page))).toBeLessThan(responseBytesMax);
      expect(page.summary).toHaveLength(60);
      return page;
    };
    const first = await dryRun(null);
    const second = await dryRun(first.totals_next_cursor);
    const lines = [...linesOf(first.totals), ...linesOf(second.totals)];
    expect(lines.length).toBeGreaterThan(2000);
    expect(lines).toEqual(expected().slice(0, lines.length));
  });

  it('close, and their totals come in pages', { timeout: 120_000 }, async () => {
    ({ id } = filingOf(await close(account, period, portsOf(account))));
    const { lines, pages } = await allTotals(async (cursor) => {
      const page = await getFiling(
        id,
        { expand: 'entries', limit: 10, ...(cursor !== null && { totals_starting_after: cursor }) },
        account,
        portsOf(account),
      );
      if (!page.ok) throw new Error('No such page.');
      expect(page.value).toMatchObject({ status: 'closed', progress: { entries_moved: sales, complete: true } });
      return page.value;
    });
    expect(pages).toBeGreaterThan(2);
    expect(lines).toEqual(expected());
  });

  it('are canceled, and open again', { timeout: 120_000 }, async () => {
    filingOf(await cancelIt(account, id, portsOf(account)));
    expect(await resume(account)).toMatchObject({ complete: true, failed: 0 });
    expect(await read(account, id)).toMatchObject({ status: 'canceled', progress: { entries_reopened: sales } });
    expect((await placesOf(account, 'US-TX')).open).toHaveLength(sales);
  });
});
