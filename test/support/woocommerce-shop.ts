/**
 * Models the tax of a WooCommerce shop with a rate table, based on `find_rates` and `calc_exclusive_tax` in
 * plugins/woocommerce/includes/class-wc-tax.php of woocommerce/woocommerce. Rates are whole numbers of 0.0001 %.
 */
export type ShopRow = {
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
export const shopRows = (rows: readonly ShopRow[], zip: string, city: string | null): readonly ShopRow[] => {
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
export const shopTax = (rows: readonly ShopRow[]): bigint => {
  let tax = rows.filter(({ compound }) => !compound).reduce((sum, row) => sum + share(price, row), 0n);
  for (const row of rows.filter(({ compound }) => compound)) tax += share(price + tax, row);
  return tax / 10n ** 10n;
};
