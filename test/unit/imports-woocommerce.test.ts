import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReleaseFor, importFiles, listEntries, ofKind } from '../fixtures/imports/harness.ts';
import { ask } from '../support/builders.ts';
import { isLong } from '../support/seeded.ts';

/**
 * Models the tax of a WooCommerce shop with a rate table, based on `find_rates` and `calc_exclusive_tax` in
 * plugins/woocommerce/includes/class-wc-tax.php of woocommerce/woocommerce. Rates are whole numbers of 0.0001 %.
 */
type ShopRow = {
  /** `75001`, `7500*` or `75001...75003`. Empty matches every ZIP code. */
  readonly zips: readonly string[];
  readonly cities: readonly string[];
  readonly rate: number;
  readonly priority: number;
  readonly compound: boolean;
};

const hasZip = (entry: string, zip: string): boolean => {
  if (entry.endsWith('*')) return zip.startsWith(entry.slice(0, -1));
  const [low, high = low] = entry.split('...');
  return Number(low) <= Number(zip) && Number(zip) <= Number(high);
};

/** Returns the number of joined rows that the shop's query counts for a row; `null` if the row does not match. */
const joined = ({ zips, cities }: ShopRow, zip: string, city: string | null): number | null => {
  const found = zips.filter((entry) => hasZip(entry, zip)).length;
  const isCity = city !== null && cities.includes(city);
  if (zips.length === 0) return cities.length === 0 ? 0 : isCity ? cities.length : null;
  if (found === 0 || (cities.length > 0 && !isCity)) return null;
  return cities.length > 0 ? found : found * zips.length;
};

/**
 * Returns the rows that the shop applies at an address: the first of each priority, sorted by count and then by table
 * order.
 */
const shopRows = (rows: readonly ShopRow[], zip: string, city: string | null): readonly ShopRow[] => {
  const counted = rows.flatMap((row) => {
    const count = joined(row, zip, city);
    return count === null ? [] : [{ row, count }];
  });
  const sorted = counted.toSorted((a, b) => a.row.priority - b.row.priority || b.count - a.count);
  return sorted.flatMap(({ row }, index) => (sorted[index - 1]?.row.priority === row.priority ? [] : [row]));
};

// A price that four compound rates divide evenly.
const price = 10n ** 24n;
const share = (amount: bigint, { rate }: ShopRow): bigint => (amount * BigInt(rate)) / 1_000_000n;

/** Returns the tax on 1,000,000.00 in units of 0.00000001. */
const shopTax = (rows: readonly ShopRow[]): bigint => {
  let tax = rows.filter(({ compound }) => !compound).reduce((sum, row) => sum + share(price, row), 0n);
  for (const row of rows.filter(({ compound }) => compound)) tax += share(price + tax, row);
  return tax / 10n ** 10n;
};

const header = 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class';
const table = (...rows: readonly string[]) => ({ name: 'tax_rates.csv', content: [header, ...rows].join('\n') });

const text = ({ zips, cities, rate, priority, compound }: ShopRow): string =>
  `US,TX,${zips.join('; ')},${cities.join('; ')},${(rate / 10_000).toFixed(4)},Tax,${priority},${Number(compound)},1,`;
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
  // The shop prefers the row with more ZIPs, whatever the order.
  [
    { ...row, zips: ['75001'], cities: ['PLANO'] },
    { ...row, zips: ['75001', '75002'], rate: 82_500 },
  ],
  // Two taxes with the same name and rate at a place are separate taxes.
  [
    stateRow,
    { ...row, zips: ['75001'], rate: 5000, priority: 2 },
    { ...row, zips: ['7500*'], rate: 5000, priority: 3 },
  ],
];

const isWide = (row: ShopRow): boolean => row.zips.length + row.cities.length === 0;

it('an import of a WooCommerce table charges the same as the shop, or reports the row that differs', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(Table, async (rows) => {
      const files = [table(...rows.map(text))];
      const entries = await listEntries('woocommerce', 'TX', files);
      const reported = [...ofKind(entries, 'bad'), ...ofKind(entries, 'remark')];
      if (reported.length > 0 || ofKind(entries, 'span').length + ofKind(entries, 'city').length === 0) return;
      const releaseFor = createReleaseFor(await importFiles('woocommerce', 'TX', files));
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
          // A ZIP and a city of different rows can contradict each other, which the response reports.
          if (line_items[0]?.address_resolution.ambiguous) continue;
          compared += 1;
          expect({ postal_code, city, tax_amount }).toEqual({
            postal_code,
            city,
            tax_amount: `${shop / 100_000_000n}.${String((shop % 100_000_000n) / 1_000_000n).padStart(2, '0')}`,
          });
        }
    }),
    { numRuns: isLong ? 1000 : 250, examples: pitfalls.map((rows) => [rows]) },
  );
  expect(compared).toBeGreaterThan(isLong ? 600 : 150);
});
