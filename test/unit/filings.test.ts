import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { csvText } from '../../shared/base/csv.ts';
import calendar from '../../shared/catalog/filing-calendar.json' with { type: 'json' };
import type { FilingSummary } from '../../shared/filings/filing.ts';
import { estimateDiscount, findFilingTerms, getDiscount } from '../../shared/filings/filing-calendar.ts';
import type { FilingReads } from '../../shared/filings/ports.ts';
import { getFiling } from '../../shared/filings/read-filings.ts';
import { newFiling } from '../../shared/filings/work-on.ts';
import { encodeEntry, type LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import {
  chainKey,
  filedEntryKey,
  filingKey,
  filingOfWork,
  filingProgressKey,
  filingShardPartition,
  filingWorkKey,
  openEntryKey,
  openEntryPartition,
  openEntryShards,
  periodKey,
} from '../../shared/store/keys.ts';
import { newTransactionId, saleDocument } from '../support/transactions.ts';

describe('filing keys', () => {
  const entry = { transactionId: newTransactionId(), state: 'US-MI', month: '2026-10', currency: 'USD' };

  it('includes the account in every key of a filing, so two accounts never share an item', () => {
    const listKeys = (account: string) =>
      [
        filingKey(account, 'fil_1'),
        chainKey(account, 'US-MI'),
        periodKey(account, 'US-MI', '2026-10-31'),
        filingProgressKey(account, 'fil_1', 3),
        filedEntryKey(account, 'fil_1', entry),
        filingWorkKey(account, 'fil_1'),
      ].map(({ pk, sk }) => `${pk} ${sk}`);
    expect(new Set([...listKeys('acct_1'), ...listKeys('acct_11')]).size).toBe(12);
    for (const key of listKeys('acct_1')) expect(key).toMatch(/acct_1(#| )/);
  });

  it('maps an entry to the same shard when open and filed, with the progress of a shard before its entries', () => {
    for (let at = 0; at < 200; at++) {
      const posted = { ...entry, transactionId: newTransactionId() };
      const filed = filedEntryKey('acct', 'fil', posted);
      const shard = Array.from({ length: openEntryShards }, (_, number) => number).find(
        (number) => openEntryPartition('acct', 'US-MI', number) === openEntryKey('acct', posted).pk,
      ) as number;
      expect(filed.pk).toBe(filingShardPartition('acct', 'fil', shard));
      expect(filingProgressKey('acct', 'fil', shard).pk).toBe(filed.pk);
      expect(filingProgressKey('acct', 'fil', shard).sk < filed.sk).toBe(true);
    }
  });

  it('includes the account of the filing in the work item', () => {
    expect(filingOfWork(filingWorkKey('acct_1', 'fil_1').sk)).toEqual({ account: 'acct_1', id: 'fil_1' });
  });
});

describe('pages of entries', () => {
  const account = newAccount({ name: 'One', serviceVersion: currentVersion, createdMs: 0 });
  const filing = newFiling(
    { account: account.id, id: 'fil_1', state: 'US-CA', previous: null, asked_by: 'key_1' },
    { start: '2026-10-01', end: '2026-10-31', frequency: 'month' },
    0,
  );

  const entry = (number: number, jurisdictions: number): LiabilityEntry => ({
    transactionId: `txn_${String(number).padStart(3, '0')}`,
    version: 1,
    state: 'US-CA',
    month: '2026-10',
    currency: 'USD',
    document: saleDocument,
    base: { taxable: 100n, exempt: 0n, tax: 0n },
    amounts: Array.from({ length: jurisdictions }, (_, at) => ({
      jurisdiction_code: `US-CA-${at}`,
      jurisdiction_name: 'A district with a name that is as long as such names are',
      jurisdiction_type: 'district',
      reporting_code: '00562',
      rate: '0.005',
      taxable: 100_000n,
      exempt: 0n,
      tax: 500n,
    })),
  });

  // The database limits a page to 1 MB.
  const databasePage = 1_000_000;
  const getSize = (one: LiabilityEntry) => JSON.stringify(encodeEntry(one).amounts).length;

  /** A page of entries uses no other methods. */
  type Reads = Pick<FilingReads, 'shards' | 'find' | 'progress' | 'filedEntries'>;

  /** Entries in three shards, each with a share of the 300 jurisdictions that a large invoice can have. */
  const listReads = (count: number, jurisdictions: number, onRead: (bytes: number) => void): Reads => {
    const shards = [0, 1, 2].map((shard) =>
      Array.from({ length: count / 3 }, (_, at) => entry((shard * count) / 3 + at, jurisdictions)),
    );
    // They differ only in their ids, which have the same length.
    const entryBytes = getSize(entry(0, jurisdictions));
    return {
      shards: shards.length,
      find: async () => filing,
      progress: async () => [],
      filedEntries: async ({ shard }, limit, after) => {
        const all = shards[shard] ?? [];
        const from =
          after === null ? 0 : all.findIndex(({ transactionId }) => transactionId === after.transactionId) + 1;
        const entries: LiabilityEntry[] = [];
        let bytes = 0;
        for (const one of all.slice(from, from + limit)) {
          bytes += entryBytes;
          if (entries.length > 0 && bytes > databasePage) break;
          entries.push(one);
          onRead(entryBytes);
        }
        return { entries, next: from + entries.length < all.length ? (entries.at(-1) ?? null) : null };
      },
    };
  };

  it.each([
    { jurisdictions: 2, entries: 120, pages: 2 },
    { jurisdictions: 300, entries: 120, pages: 6 },
    { jurisdictions: 10_000, entries: 12, pages: 12 },
  ])(
    'ends pages of entries with $jurisdictions jurisdictions by size, loses none, and reads little more',
    async (shape) => {
      let bytesRead = 0;
      const filings = listReads(shape.entries, shape.jurisdictions, (bytes) => {
        bytesRead += bytes;
      });
      const entryBytes = getSize(entry(0, shape.jurisdictions));
      const seen: string[] = [];
      let pages = 0;
      let starting_after: string | null = null;
      do {
        const page = { expand: 'entries', limit: 100, starting_after: starting_after ?? undefined } as const;
        bytesRead = 0;
        const answer = await getFiling(filing.id, page, account, { filings: filings as FilingReads, now: Date.now });
        if (!answer.ok || answer.value.entries === null) throw new Error('It is there.');
        const { data, next_cursor, has_more } = answer.value.entries;
        expect(has_more).toBe(next_cursor !== null);
        expect(bytesRead - data.length * entryBytes).toBeLessThanOrEqual(Math.max(databasePage, entryBytes));
        if (data.length > 1) expect(JSON.stringify(data).length).toBeLessThan(5_000_000);
        seen.push(...data.map(({ transaction_id }) => transaction_id));
        starting_after = next_cursor;
        pages += 1;
      } while (starting_after !== null && pages <= 200);
      expect(pages).toBe(shape.pages);
      expect(seen).toEqual(Array.from({ length: shape.entries }, (_, at) => entry(at, 1).transactionId));
    },
  );
});

describe('filing CSV', () => {
  const read = (csv: string): string[][] => parse(csv, { record_delimiter: '\r\n', relax_column_count: false });

  describe('a CSV file', () => {
    it('has a header and one line per row, each terminated by CRLF', () => {
      const columns = ['name', 'tax_amount'] as const;
      expect(csvText(columns, [{ name: 'Michigan', tax_amount: '6.00' }])).toBe('name,tax_amount\r\nMichigan,6.00\r\n');
      expect(csvText(columns, [])).toBe('name,tax_amount\r\n');
    });

    it('quotes only values with commas, quotes or line breaks', () => {
      const row = ['a,b', 'a"b', 'a\nb', 'a\rb', 'a b', null];
      expect(csvText([...row.keys()].map(String), [Object.fromEntries(row.entries())])).toContain(
        '\r\n"a,b","a""b","a\nb","a\rb",a b,\r\n',
      );
    });

    it.each(['-5.70', '0', '12345678901234567890.123', '0.0625', 7, -2])(
      'writes the number %s unquoted',
      (tax_amount) => {
        expect(csvText(['tax_amount'], [{ tax_amount }])).toBe(`tax_amount\r\n${tax_amount}\r\n`);
      },
    );

    it('leaves a missing amount empty', () => {
      expect(csvText(['rate', 'tax_amount'], [{ rate: null, tax_amount: '6.00' }])).toBe(
        'rate,tax_amount\r\n,6.00\r\n',
      );
    });

    it.each(['=1', '1e5', '', '1,5', '+1', '1.', Number.NaN, Infinity])('rejects the amount %s', (tax_amount) => {
      expect(() => csvText(['tax_amount'], [{ tax_amount }])).toThrow('must be a number');
    });

    it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "=cmd|'/C calc'!A0"])('escapes the formula %j', (name) => {
      expect(read(csvText(['name'], [{ name }]))[1]).toEqual([`'${name}`]);
    });

    it.each([
      ['x;=HYPERLINK("https://example.com")', `x;'=HYPERLINK("https://example.com")`],
      ['x\t=1', "x\t'=1"],
      ['x\n+1', "x\n'+1"],
      ['\t=1', "'\t'=1"],
      ['\r=x', "'\r'=x"],
      ['a;;-1;@b', "a;;'-1;'@b"],
      ['＝1', "'＝1"],
      ['＋1', "'＋1"],
      ['－1', "'－1"],
      ['＠SUM(A1)', "'＠SUM(A1)"],
      ['x;＝1', "x;'＝1"],
      ['a;"=1;b', `a;"'=1;b`],
      ['a-b; c=d, e@f', 'a-b; c=d, e@f'],
    ])('escapes formulas after any list separator in %j', (name, escaped) => {
      expect(read(csvText(['name'], [{ name }]))[1]).toEqual([escaped]);
    });

    it('round-trips any string', () => {
      const texts = fc.record({ a: fc.string({ unit: 'binary' }), b: fc.string() });
      fc.assert(
        fc.property(fc.array(texts, { minLength: 1 }), (rows) => {
          const guarded = (value: string) =>
            [...value]
              .map((sign, index, all) => {
                const before = all.slice(0, index).findLast((one) => one !== '"') ?? ';';
                const isFirstBlank = index === 0 && (sign === '\t' || sign === '\r');
                return isFirstBlank || (';\t\r\n'.includes(before) && '=+-@＝＋－＠'.includes(sign))
                  ? `'${sign}`
                  : sign;
              })
              .join('');
          expect(read(csvText(['a', 'b'], rows)).slice(1)).toEqual(rows.map(({ a, b }) => [guarded(a), guarded(b)]));
        }),
      );
    });
  });
});

describe('filing calendar', () => {
  const getDue = (...args: Parameters<typeof findFilingTerms>) => findFilingTerms(...args).due_date;

  describe('the due date of a return', () => {
    // Calculated by hand from the states' rules and a calendar.
    it.each([
      ['US-MI', 'month', '2026-10-31', '2026-11-20'],
      ['US-MI', 'month', '2026-11-30', '2026-12-21'], // 20 December is a Sunday
      ['US-CA', 'quarter', '2026-12-31', '2027-02-01'], // 31 January is a Sunday
      ['US-CO', 'month', '2026-12-31', '2027-01-20'],
      ['US-FL', 'month', '2026-01-31', '2026-02-20'],
      ['US-MA', 'month', '2026-01-31', '2026-03-02'], // 30 days after 31 January
      ['US-VT', 'month', '2026-01-31', '2026-02-23'],
      ['US-VT', 'month', '2026-02-28', '2026-03-25'],
      ['US-MO', 'month', '2026-08-31', '2026-09-21'], // 20 September is a Sunday
      ['US-MO', 'month', '2026-09-30', '2026-11-02'], // the last day of October, a Saturday
      ['US-CA', 'month', '2027-04-30', '2027-06-01'], // Memorial Day
      ['US-TX', 'month', '2025-12-31', '2026-01-20'], // the day after Martin Luther King Jr. Day
      ['US-WA', 'year', '2026-12-31', '2027-04-15'],
      ['US-MI', 'month', '2027-05-31', '2027-06-21'], // a Sunday
      ['US-NY', 'quarter', '2026-11-30', '2026-12-21'], // 20 December is a Sunday
      ['US-NY', 'quarter', '2026-02-28', '2026-03-20'],
      ['US-NY', 'quarter', '2026-05-31', '2026-06-22'], // a Saturday
      ['US-NY', 'year', '2027-02-28', '2027-03-22'], // a Saturday
      ['US-NY', 'month', '2026-03-31', '2026-04-20'],
      ['US-DC', 'year', '2026-09-30', '2026-10-20'],
      ['US-CA', 'fiscal_year', '2027-06-30', '2027-08-02'], // 31 July is a Saturday
      ['US-PA', 'half_year', '2026-06-30', '2026-08-20'],
      ['US-PA', 'half_year', '2026-12-31', '2027-02-22'], // a Saturday
      ['US-OH', 'half_year', '2026-12-31', '2027-01-25'], // a Saturday
      ['US-ME', 'half_year', '2026-06-30', '2026-07-15'],
      ['US-ME', 'month', '2024-03-31', '2024-04-16'], // Patriots' Day
      ['US-WV', 'month', '2025-05-31', '2025-06-23'], // West Virginia Day, a Friday
      ['US-NV', 'month', '2025-09-30', '2025-11-03'], // Nevada Day, a Friday
      ['US-AK', 'month', '2025-02-28', '2025-04-01'], // Seward's Day, a Monday
      ['US-HI', 'month', '2027-07-31', '2027-08-23'], // Statehood Day, a Friday
      ['US-WA', 'month', '2022-10-31', '2022-11-28'], // the day after Thanksgiving
      // As published by the Texas Comptroller for 2022, 2025 and 2026.
      ['US-TX', 'month', '2022-01-31', '2022-02-22'], // a Sunday before Washington's Birthday
      ['US-TX', 'month', '2022-05-31', '2022-06-21'], // Juneteenth, observed on a Monday
      ['US-TX', 'quarter', '2024-12-31', '2025-01-21'], // Martin Luther King Jr. Day
      ['US-TX', 'month', '2025-08-31', '2025-09-22'], // a Saturday
      ['US-TX', 'month', '2026-05-31', '2026-06-22'], // a Saturday
      // As published by the Washington Department of Revenue for 2020 and 2022.
      ['US-WA', 'month', '2020-03-31', '2020-04-27'], // a Saturday
      ['US-WA', 'month', '2020-04-30', '2020-05-26'], // Memorial Day
      ['US-WA', 'month', '2020-11-30', '2020-12-28'], // Christmas, a Friday
      ['US-WA', 'month', '2022-11-30', '2022-12-27'], // Christmas, a Sunday
      ['US-WA', 'quarter', '2020-09-30', '2020-11-02'], // a Saturday
      ['US-WA', 'quarter', '2020-12-31', '2021-02-01'], // a Sunday
      ['US-WA', 'year', '2020-12-31', '2021-04-15'],
      // As published by the Arizona Department of Revenue for 2023 to 2025.
      ['US-AZ', 'month', '2023-07-31', '2023-08-21'], // a Sunday
      ['US-AZ', 'month', '2024-03-31', '2024-04-22'], // a Saturday
      ['US-AZ', 'quarter', '2024-09-30', '2024-10-21'], // a Sunday
      ['US-AZ', 'year', '2024-12-31', '2025-01-21'], // Martin Luther King Jr. Day
      ['US-AZ', 'quarter', '2025-03-31', '2025-04-21'], // a Sunday
      // As published by Ohio's Department of Taxation, and by an accountant for 2017.
      ['US-OH', 'month', '2021-04-30', '2021-05-24'], // a Sunday
      ['US-OH', 'month', '2017-11-30', '2017-12-26'], // a Saturday before Christmas
      // As published by the tax departments of North Dakota and Minnesota for 2026.
      ['US-ND', 'month', '2026-01-31', '2026-03-02'], // a Saturday
      ['US-MN', 'quarter', '2025-12-31', '2026-01-20'],
      ['US-PA', 'month', '2026-08-31', '2026-09-21'], // a Sunday
      ['US-CA', 'quarter', '2026-09-30', '2026-11-02'], // a Saturday
      ['US-MA', 'month', '2024-01-31', '2024-03-01'], // 30 days after 31 January, in a leap year
      // Calculated by hand.
      ['US-KS', 'month', '2026-11-30', '2026-12-28'], // Christmas, a Friday
      ['US-NM', 'month', '2027-03-31', '2027-04-26'], // a Sunday
      ['US-ME', 'month', '2026-10-31', '2026-11-16'], // a Sunday
      ['US-NC', 'quarter', '2026-09-30', '2026-11-02'], // a Saturday
      ['US-RI', 'quarter', '2027-03-31', '2027-04-30'],
      ['US-CT', 'month', '2026-04-30', '2026-06-01'], // a Sunday
      ['US-WI', 'month', '2026-12-31', '2027-02-01'], // a Sunday
      ['US-IA', 'month', '2027-01-31', '2027-03-01'], // a Sunday
      ['US-UT', 'quarter', '2027-06-30', '2027-08-02'], // a Saturday
      ['US-NJ', 'quarter', '2025-06-30', '2025-07-21'], // a Sunday
      ['US-AL', 'half_year', '2025-06-30', '2025-07-21'], // a Sunday
      ['US-MI', 'year', '2025-12-31', '2026-03-02'], // a Saturday
      ['US-WV', 'year', '2026-12-31', '2027-02-01'], // a Saturday
      ['US-MN', 'year', '2026-12-31', '2027-02-05'],
      ['US-NM', 'half_year', '2026-12-31', '2027-01-25'],
      ['US-IN', 'month', '2026-10-31', null],
      ['US-OR', 'month', '2026-10-31', null],
    ] as const)('in %s by %s to %s: %s', (state, frequency, periodEnd, expected) => {
      expect(getDue(state, frequency, periodEnd)).toBe(expected);
    });

    it('is a business day within 150 days after the period, in every state with a return', () => {
      for (const state of Object.keys(calendar))
        for (const end of ['2026-03-31', '2026-12-31', '2027-02-28', '2028-02-29']) {
          const due = getDue(`US-${state}`, 'month', end);
          if (due === null) continue;
          const days = (Date.parse(due) - Date.parse(end)) / 86_400_000;
          expect([state, end, due, days > 0 && days < 150]).toEqual([state, end, due, true]);
          expect([0, 6]).not.toContain(new Date(due).getUTCDay());
        }
    });
  });

  it('returns the discount, the zero-return requirement and the source of a state', () => {
    expect(findFilingTerms('US-FL', 'month', '2026-10-31')).toMatchObject({
      vendor_discount: expect.stringContaining('2.5%'),
      terms: { zero_return_required: true, source: expect.stringContaining('http') },
    });
    expect(findFilingTerms('US-OR', 'month', '2026-10-31').terms).toBeNull();
  });

  it('shows amounts in dollars, and omits research notes', () => {
    for (const state of Object.keys(calendar)) {
      const { vendor_discount, terms } = findFilingTerms(`US-${state}`, 'month', '2026-10-31');
      expect(vendor_discount).not.toMatch(/\b(cap|first|above|under) \d/);
      expect(JSON.stringify({ vendor_discount, terms })).not.toMatch(
        /memory|remembered|not read|not known to be law|_note/,
      );
    }
  });
});

describe('the estimate of a vendor discount', () => {
  const getSummary = (tax: string, currency = 'USD') =>
    ({ currency, calculated_tax_amount: tax, over_collected_amount: '0.00' }) as FilingSummary;

  const closed = { status: 'closed', period_start: '2026-10-01', isLate: false } as const;

  const estimate = (state: string, summary: readonly FilingSummary[], changes: object = {}) => {
    const { vendor_discount } = findFilingTerms(state, 'month', '2026-10-31');
    return estimateDiscount(getDiscount(state), { ...closed, vendor_discount, summary, ...changes });
  };

  // Calculated by hand from the law.
  it.each([
    // KRS 139.570: 1.75 % of the first $1,000, 1.5 % of the rest, at most $50.
    ['US-KY', '1000.00', '17.50'],
    ['US-KY', '2000.00', '32.50'],
    ['US-KY', '3166.67', '50.00'],
    ['US-KY', '90000.00', '50.00'],
    // The Comptroller: up to $6,000 times 0.012, above times 0.009 plus $18, at most $500.
    ['US-MD', '6000.00', '72.00'],
    ['US-MD', '10000.00', '108.00'],
    ['US-MD', '60000.00', '500.00'],
    // O.C.G.A. 48-8-50: 3 % of the first $3,000, 0.5 % of the rest.
    ['US-GA', '3000.00', '90.00'],
    ['US-GA', '5000.00', '100.00'],
    // RSMo 144.140: 2 %.
    ['US-MO', '1234.56', '24.69'],
    ['US-MO', '1000000.00', '20000.00'],
    // 0.25 %.
    ['US-NV', '1234.56', '3.09'],
    // Wisconsin Tax Bulletin 222: the tax up to $10; $10 up to $1,333; then 0.75 %, at most $8,000.
    ['US-WI', '5.00', '5.00'],
    ['US-WI', '1333.00', '10.00'],
    ['US-WI', '2000.00', '15.00'],
    ['US-WI', '2000000.00', '8000.00'],
    ['US-WI', '0.00', '0.00'],
    ['US-WI', '-20.00', '0.00'],
  ])('in %s on a tax due of %s is %s', (state, tax, expected) => {
    expect(estimate(state, [getSummary(tax)])).toEqual({
      vendor_discount_amount: expected,
      vendor_discount_reason: null,
    });
  });

  it('includes over-collected tax, and is zero without sales', () => {
    expect(estimate('US-MO', [{ ...getSummary('100.00'), over_collected_amount: '50.00' }])).toMatchObject({
      vendor_discount_amount: '3.00',
    });
    expect(estimate('US-MO', [])).toMatchObject({ vendor_discount_amount: '0.00' });
  });

  it.each([
    ['US-CA', {}, 'no discount'],
    ['US-MI', {}, 'more than the tax due'],
    ['US-ND', {}, 'more than the tax due'],
    ['US-NE', {}, 'not established'],
    ['US-OR', {}, 'not established'],
    ['US-KY', { status: 'closing' }, 'closing'],
    ['US-KY', { status: 'canceled' }, 'canceled'],
    ['US-KY', { isLate: true }, 'by the due date'],
    ['US-KY', { summary: [getSummary('1.00'), getSummary('1.00', 'EUR')] }, 'currencies other than USD'],
    ['US-WI', { period_start: '2023-09-01' }, 'before 2023-10-01'],
  ] as const)('is null with a reason for %s %j', (state, changes, reason) => {
    expect(estimate(state, [getSummary('100.00')], changes)).toEqual({
      vendor_discount_amount: null,
      vendor_discount_reason: expect.stringContaining(reason),
    });
  });
});
