import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frequency } from '../../shared/accounts/account.ts';
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
import { dueDates, vendorDiscounts } from '../support/facts.ts';
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
    it.each(dueDates)('in $state by $frequency to $period_end: $due', ({ state, frequency, period_end, due }) => {
      expect(getDue(state, frequency as Frequency, period_end)).toBe(due || null);
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

  it.each(vendorDiscounts)('in $state on a tax due of $tax is $discount: $law', ({ state, tax, discount }) => {
    expect(estimate(state, [getSummary(tax)])).toEqual({
      vendor_discount_amount: discount,
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
