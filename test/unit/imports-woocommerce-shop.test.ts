/** The rates of an import, held against what the shop itself charges with its table. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, importFiles, ofKind, releaseForOf } from '../fixtures/imports/harness.ts';
import { ask } from '../support/builders.ts';
import { type ShopRow, shopRows, shopTax } from '../support/woocommerce-shop.ts';

const header = 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class';
const text = ({ zips, cities, rate, priority, compound }: ShopRow): string =>
  `US,TX,${zips.join('; ')},${cities.join('; ')},${(rate / 10_000).toFixed(4)},Tax,${priority},${Number(compound)},1,`;
const tableOf = (rows: readonly ShopRow[]) => ({
  name: 'tax_rates.csv',
  content: [header, ...rows.map(text)].join('\n'),
});

const zips = ['75001', '75002', '75003', '75101'];
const cities = ['ADDISON', 'PLANO'];
const stateRate = 62_500;

const Zips = fc.oneof(
  fc.constant([]),
  fc.subarray(zips, { minLength: 1, maxLength: 2 }),
  fc.constantFrom(['7500*'], ['75001...75002'], ['751*', '75003']),
);
const Row: fc.Arbitrary<ShopRow> = fc.record({
  zips: Zips,
  cities: fc.oneof({ arbitrary: fc.constant([]), weight: 3 }, fc.subarray(cities, { minLength: 1 })),
  rate: fc.constantFrom(5000, 10_000, 20_000, stateRate, 82_500),
  priority: fc.constantFrom(1, 1, 2, 3),
  compound: fc.constantFrom(true, false, false),
});
const row: ShopRow = { zips: [], cities: [], rate: 72_500, priority: 1, compound: false };
const stateRow: ShopRow = { ...row, rate: stateRate };
const Table = fc
  .tuple(fc.boolean(), fc.array(Row, { minLength: 1, maxLength: 3 }))
  .map(([hasState, rows]) => (hasState ? [stateRow, ...rows] : rows));

const pitfalls: ShopRow[][] = [
  // The shop prefers the row with more ZIPs, whatever their order is.
  [
    { ...row, zips: ['75001'], cities: ['PLANO'] },
    { ...row, zips: ['75001', '75002'], rate: 82_500 },
  ],
  // Two taxes of one name and rate at a place are two taxes.
  [
    stateRow,
    { ...row, zips: ['75001'], rate: 5000, priority: 2 },
    { ...row, zips: ['7500*'], rate: 5000, priority: 3 },
  ],
];

const isWide = (row: ShopRow): boolean => row.zips.length + row.cities.length === 0;

describe('an import of a WooCommerce table', () => {
  it('charges what the shop charges, or names the row because of which it does not', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(Table, async (rows) => {
        const files = [tableOf(rows)];
        const entries = await entriesOf('woocommerce', 'TX', files);
        const reported = [...ofKind(entries, 'bad'), ...ofKind(entries, 'remark')];
        if (reported.length > 0 || ofKind(entries, 'span').length + ofKind(entries, 'city').length === 0) return;
        const releaseFor = releaseForOf(await importFiles('woocommerce', 'TX', files));
        for (const postal_code of zips)
          for (const city of [null, ...cities]) {
            const applied = shopRows(rows, postal_code, city);
            if (applied.every(isWide)) continue;
            const asked = {
              to: { state: 'TX', postal_code, city },
              tax_date: '2026-11-20',
              line_items: [{ unit_price: '1000000.00' }],
            };
            const { tax_amount, line_items } = ask(asked, { releaseFor });
            const shop = shopTax(applied);
            // A ZIP and a city of different rows may contradict each other, which the answer says.
            if (line_items[0]?.address_resolution.ambiguous) continue;
            compared += 1;
            expect({ postal_code, city, tax_amount }).toEqual({
              postal_code,
              city,
              tax_amount: `${shop / 100_000_000n}.${String((shop % 100_000_000n) / 1_000_000n).padStart(2, '0')}`,
            });
          }
      }),
      { numRuns: 500, examples: pitfalls.map((rows) => [rows]) },
    );
    expect(compared).toBeGreaterThan(300);
  });
});
