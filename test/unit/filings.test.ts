import { parse } from 'csv-parse/sync';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type Frequency, newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { csvText } from '../../shared/base/csv.ts';
import type { TaxRowResponse } from '../../shared/calculations/response.ts';
import calendar from '../../shared/catalog/filing-calendar.json' with { type: 'json' };
import type { FilingSummary } from '../../shared/filings/filing.ts';
import { estimateDiscount, findFilingTerms, getDiscount } from '../../shared/filings/filing-calendar.ts';
import type { FilingReads } from '../../shared/filings/ports.ts';
import { getFiling } from '../../shared/filings/read-filings.ts';
import type { FilingEntries } from '../../shared/filings/response.ts';
import { newFiling } from '../../shared/filings/work-on.ts';
import { listLiabilityEntries, statesToFile } from '../../shared/ledger/entries/entries.ts';
import { encodeEntry, type LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { amountTexts } from '../support/entry-texts.ts';
import { dueDates, vendorDiscounts } from '../support/facts.ts';
import type { ApiResponse } from '../support/http.ts';
import { everyRow, listCharges } from '../support/sales.ts';
import { created, finalized, line, saleDocument } from '../support/transactions.ts';

describe('pages of entries', () => {
  const account = newAccount({ name: 'One', serviceVersion: currentVersion, createdMs: 0 });
  const filing = newFiling(
    { account: account.id, id: 'fil_1', state: 'US-CA', previous: null, asked_by: 'key_1' },
    { start: '2026-10-01', end: '2026-10-31', frequency: 'month' },
    0,
  );

  const entry = (transactionId: string, jurisdictions: number): LiabilityEntry => ({
    transactionId,
    version: 1,
    state: 'US-CA',
    month: '2026-10',
    currency: 'USD',
    document: saleDocument,
    base: { taxable: 100n, exempt: 0n, tax: 0n },
    amounts: Array(jurisdictions).fill({
      jurisdiction_code: 'US-CA-00562',
      jurisdiction_name: 'A district with a name that is as long as such names are',
      jurisdiction_type: 'district',
      reporting_code: '00562',
      rate: '0.005',
      taxable: 100_000n,
      exempt: 0n,
      tax: 500n,
    }),
  });

  // The database limits a page to 1 MB.
  const databasePage = 1_000_000;

  it.each([
    { jurisdictions: 2, count: 120, expected: 2 },
    { jurisdictions: 300, count: 120, expected: 6 },
    { jurisdictions: 10_000, count: 6, expected: 6 },
  ])(
    'limits pages of entries with $jurisdictions jurisdictions by size, loses no entry, and reads little more',
    async ({ jurisdictions, count, expected }) => {
      const ids = Array.from({ length: count }, (_, at) => `txn_${100 + at}`);
      const entryBytes = JSON.stringify(encodeEntry(entry('txn_100', jurisdictions)).amounts).length;
      const rowsMax = Math.max(1, Math.floor(databasePage / entryBytes));
      let rowsRead = 0;
      /** Reads from three shards, each with a third of the entries. */
      const filedEntries: FilingReads['filedEntries'] = async ({ shard }, limit, after) => {
        const own = ids.slice((shard * count) / 3, ((shard + 1) * count) / 3);
        const from = after === null ? 0 : own.indexOf(after.transactionId) + 1;
        const rows = own.slice(from, from + Math.min(limit, rowsMax)).map((id) => entry(id, jurisdictions));
        rowsRead += rows.length;
        return { rows, next: from + rows.length < own.length ? (rows.at(-1) ?? null) : null };
      };
      const reads = { shards: 3, find: async () => filing, progress: async () => [], filedEntries };
      const ports = { filings: reads as Partial<FilingReads> as FilingReads, now: Date.now };
      const { rows, pages } = await everyRow(async (after) => {
        rowsRead = 0;
        const response = await getFiling(filing.id, { expand: 'entries', limit: 100, ...after }, account, ports);
        if (!response.ok || response.value.entries === null) throw new Error('It is there.');
        const { data } = response.value.entries;
        expect((rowsRead - data.length) * entryBytes).toBeLessThanOrEqual(Math.max(databasePage, entryBytes));
        if (data.length > 1) expect(JSON.stringify(data).length).toBeLessThan(5_000_000);
        return { status: 200, body: response.value.entries } as ApiResponse<FilingEntries>;
      });
      expect([pages, rows.map(({ transaction_id }) => transaction_id)]).toEqual([expected, ids]);
    },
  );
});

const read = (csv: string): string[][] => parse(csv, { record_delimiter: '\r\n', relax_column_count: false });

describe('CSV files', () => {
  it('quotes only values with commas, quotes or line breaks', () => {
    const row = ['a,b', 'a"b', 'a\nb', 'a\rb', 'a b', null];
    const text = csvText([...row.keys()].map(String), [Object.fromEntries(row.entries())]);
    expect(text).toContain('\r\n"a,b","a""b","a\nb","a\rb",a b,\r\n');
  });

  it.each(['-5.70', '0', '12345678901234567890.123', '0.0625', 7, -2])(
    'writes the number %s unquoted',
    (tax_amount) => {
      expect(csvText(['tax_amount'], [{ tax_amount }])).toBe(`tax_amount\r\n${tax_amount}\r\n`);
    },
  );

  it.each(['amount', 'amount_due', 'tax_amount', 'change_percent', 'credit_count'])(
    'writes a negative number of the column %s as a number',
    (column) => expect(csvText([column], [{ [column]: '-137' }])).toBe(`${column}\r\n-137\r\n`),
  );

  it.each(['=1', '1e5', '', '1,5', '+1', '1.', Number.NaN, Infinity])('rejects the amount %s', (tax_amount) => {
    expect(() => csvText(['tax_amount'], [{ tax_amount }])).toThrow('must be a number');
  });

  it('round-trips any string, and escapes each formula in a cell or in a list within a cell', () => {
    const sign = fc.constantFrom(...';\t\r\n"=+-@＝＋－＠a1');
    const formula = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));
    const texts = fc.record({ a: fc.oneof(fc.string({ unit: 'binary' }), formula), b: formula });
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1 }), (rows) => {
        const guarded = (value: string) =>
          [...value]
            .map((sign, index, all) => {
              const before = all.slice(0, index).findLast((one) => one !== '"') ?? ';';
              const isFirstBlank = index === 0 && (sign === '\t' || sign === '\r');
              return isFirstBlank || (';\t\r\n'.includes(before) && '=+-@＝＋－＠'.includes(sign)) ? `'${sign}` : sign;
            })
            .join('');
        expect(read(csvText(['a', 'b'], rows)).slice(1)).toEqual(rows.map(({ a, b }) => [guarded(a), guarded(b)]));
      }),
    );
  });
});

const getDue = (...args: Parameters<typeof findFilingTerms>) => findFilingTerms(...args).due_date;

describe('due dates of returns', () => {
  it.each(dueDates)('finds $due for $state by $frequency to $period_end', ({ state, frequency, period_end, due }) => {
    expect(getDue(state, frequency as Frequency, period_end)).toBe(due || null);
  });

  it('returns a business day within 150 days after the period, in every state with a return', () => {
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
  // HB 523 of 2025 keeps this cap. It was $1,500 in 2020.
  expect(findFilingTerms('US-LA', 'month', '2026-10-31').vendor_discount).toContain('cap $750 a month');
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

describe('the estimate of a vendor discount', () => {
  const getSummary = (tax: string, currency = 'USD') =>
    ({ currency, calculated_tax_amount: tax, over_collected_amount: '0.00' }) as FilingSummary;

  const closed = { status: 'closed', period_start: '2026-10-01', isLate: false } as const;

  const estimate = (state: string, summary: readonly FilingSummary[], changes: object = {}) => {
    const { vendor_discount } = findFilingTerms(state, 'month', '2026-10-31');
    return estimateDiscount(getDiscount(state), { ...closed, vendor_discount, summary, ...changes });
  };

  it.each(vendorDiscounts)('estimates $discount on a tax due of $tax in $state: $law', ({ state, tax, discount }) => {
    const expected = { vendor_discount_amount: discount, vendor_discount_reason: null };
    expect(estimate(state, [getSummary(tax)])).toEqual(expected);
  });

  it('includes over-collected tax, and is zero without sales', () => {
    const over = { ...getSummary('100.00'), over_collected_amount: '50.00' };
    expect(estimate('US-MO', [over]).vendor_discount_amount).toBe('3.00');
    expect(estimate('US-MO', []).vendor_discount_amount).toBe('0.00');
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
  ] as const)('returns null with a reason for %s %j', (state, changes, reason) => {
    const { vendor_discount_amount, vendor_discount_reason } = estimate(state, [getSummary('100.00')], changes);
    expect([vendor_discount_amount, vendor_discount_reason]).toEqual([null, expect.stringContaining(reason)]);
  });
});

const [taxed] = line().taxes;
const row = (code: string, taxable: string, exempt = '0.00', tax = '0.00', others: Partial<TaxRowResponse> = {}) =>
  ({
    ...(taxed as TaxRowResponse),
    jurisdiction_code: code,
    jurisdiction_name: `Name of ${code}`,
    jurisdiction_type: code.length > 5 ? 'city' : 'state',
    rate: '0.05',
    taxable_amount: taxable,
    exempt_amount: exempt,
    tax_amount: tax,
    ...others,
  }) satisfies TaxRowResponse;

type Lines = readonly (readonly TaxRowResponse[])[];
const listEntries = (lines: Lines, others: Partial<Transaction> = {}, posting = {}) => {
  const line_items = lines.map((taxes) => line({ taxes: [...taxes] }));
  const taxes = listCharges({ line_items, shipping: others.shipping }).flatMap((charge) => charge.taxes);
  const tax_amount = taxes.reduce((sum, { tax_amount: tax }) => sum.plus(tax), new Decimal(0)).toFixed(2);
  const figures = { line_items, tax_amount, calculated_tax_amount: tax_amount };
  const { after } = created({ ...finalized, version: 3, ...figures, ...others });
  return listLiabilityEntries({ ...after, ...posting });
};

const listBases = (entries: ReturnType<typeof listLiabilityEntries>) =>
  entries.map(({ state, base }) => {
    const { taxable_amount, exempt_amount } = amountTexts(base);
    return `${state} ${taxable_amount} ${exempt_amount}`;
  });

describe('open entries', () => {
  it('includes the version that posted it', () => expect(listEntries([[row('US-MI', '10.00')]])[0]?.version).toBe(3));

  it('counts a line by the jurisdiction with the largest gross if the state levies no tax', () => {
    // Two lines in two cities of Alaska: neither city has both lines.
    const cities = [row('US-AK-KENAI', '40.00', '10.00'), row('US-AK-SOLDOTNA', '20.00')];
    for (const second of [cities, cities.toReversed()])
      expect(listBases(listEntries([[row('US-AK-JUNEAU', '100.00')], second]))).toEqual(['US-AK 140.00 10.00']);
  });

  const snapshot = snapshotSettings(defaultSettings('aspen.2026-10-01'));
  const registered = (...states: string[]) => {
    const registrations = states.map((state) => ({ state, from: '2026-11-01', to: null, frequency: 'month' as const }));
    return { settingsSnapshot: { ...snapshot, registrations } };
  };
  const untaxed = (code: string, taxability_reason: TaxRowResponse['taxability_reason'], exempt = '10.00') =>
    row(code, '0.00', exempt, '0.00', { taxability_reason });
  const listStates = (...parameters: Parameters<typeof listEntries>) =>
    listEntries(...parameters).map(({ state }) => state);

  it('creates an entry in every state of the document if the account has no registrations, but not abroad', () => {
    const uncovered = ['US-HI', 'CA'].map((code) => [untaxed(code, 'not_supported')]);
    expect(listStates([[untaxed('US-OR', 'not_subject_to_tax')], ...uncovered])).toEqual(['US-OR', 'US-HI']);
  });

  it('reports no exception for a line without a price in a place that is not covered', () => {
    const [entry] = listEntries([[untaxed('US-MI', 'not_supported', '0.00')]]);
    expect([entry?.base.taxable, entry?.exceptions]).toEqual([0n, undefined]);
  });

  it('reports a local jurisdiction that is not covered, even if the state is covered', () => {
    const [entry] = listEntries([[row('US-MI', '10.00', '0.00', '0.60'), untaxed('US-MI-DETROIT', 'not_supported')]]);
    expect(entry && amountTexts(entry.base)).toEqual({ taxable_amount: '10.00', exempt_amount: '0.00' });
    expect(entry?.exceptions).toEqual([{ reason: 'not_covered', gross: 1000n }]);
  });

  it("ignores the state's row if only a city levies the tax", () => {
    const juneau = row('US-AK-JUNEAU', '100.00', '0.00', '5.00');
    const [entry] = listEntries([[untaxed('US-AK', 'not_subject_to_tax', '100.00'), juneau]]);
    expect(entry && amountTexts(entry.base)).toEqual({ taxable_amount: '100.00', exempt_amount: '0.00' });
    expect(entry?.amounts.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-AK-JUNEAU']);
  });

  it('marks an entry as pending only in states in which a return is due', () => {
    const awaited = (lines: Lines, posting = {}) => {
      const line_items = lines.map((taxes) => line({ taxes: [...taxes] }));
      return statesToFile({ ...created({ ...finalized, line_items }).after, ...posting });
    };
    const lines = [
      [row('US-MI', '10.00', '0.00', '0.60')],
      [untaxed('US-OR', 'not_subject_to_tax')],
      [untaxed('US-HI', 'not_supported')],
      [untaxed('US-NY', 'product_exempt')],
    ];
    // Without registrations, no return is due in a state without the tax or without content.
    expect(awaited(lines)).toEqual(['US-MI', 'US-NY']);
    expect(awaited(lines, registered('OR', 'HI'))).toEqual(['US-MI', 'US-OR', 'US-HI']);
    expect(awaited([[untaxed('US-MI', 'not_collecting')]], registered('MI'))).toEqual([]);
  });
});
