import * as z from 'zod/mini';
import { jsonFile } from '../../../shared/cli/terminal/arguments.ts';
import { decimal, divideHalfUp, powerOfTen, rescale } from '../../../shared/money/decimal.ts';
import list from './prices.json' with { type: 'json' };

export type PriceName = keyof typeof list.prices;
/**
 * `upTo` is the end of the tier in units per month; `null` for the last tier. `dollars` is the price of `per` units.
 */
type Tier = { readonly upTo: string | null; readonly dollars: string };
/** A price with its AWS service, as stored in prices.json. */
export type Price = Omit<(typeof list.prices)[PriceName], 'price' | 'per' | 'free'> & {
  /** The free units of each month. */
  readonly free: string | null;
  /** The counted quantity per unit, such as 2^30 bytes for a GB. */
  readonly counts: bigint;
  readonly per: bigint;
  readonly tiers: readonly Tier[];
  /**
   * Confidence in the price. `aws`: in the text of an AWS page. `others`: AWS shows it only by script, and two other
   * pages agree. `unconfirmed`: no two pages agree. `given`: from the file of `--prices`.
   */
  readonly basis: string;
  /** The date on which the sources were read. */
  readonly read: string | null;
};
export type Prices = Readonly<Record<PriceName, Price>>;

// Reads are counted in half units, because reading an index costs half a unit. A GB-second is 1,024 MB for 1,000 ms.
const counted: Readonly<Record<string, bigint>> = {
  GB: 1n << 30n,
  'GB-month': 1n << 30n,
  'GB-seconds': 1_024_000n,
  'read units': 2n,
};
const listTiers = (price: string | readonly Tier[]): readonly Tier[] =>
  typeof price === 'string' ? [{ upTo: null, dollars: price }] : price;

/** AWS list prices in us-east-1; Lambda is arm64. */
export const prices = Object.fromEntries<Price>(
  Object.entries(list.prices).map(([name, { price, per, ...rest }]) => [
    name,
    {
      free: null,
      ...rest,
      counts: counted[rest.unit] ?? 1n,
      per: BigInt(per),
      tiers: listTiers(price),
      read: list.read,
    },
  ]),
) as Prices;

const scale = 18;

/** Returns the price of a quantity in cents, calculated exactly over all tiers and rounded half up once. */
export const charge = ({ counts, per, tiers }: Pick<Price, 'counts' | 'per' | 'tiers'>, quantity: bigint): bigint => {
  let from = 0n;
  let exact = 0n;
  for (const { upTo, dollars } of tiers) {
    const end = upTo === null ? quantity : BigInt(upTo) * counts;
    const to = end < quantity ? end : quantity;
    exact += (to - from) * rescale(decimal(dollars), scale);
    from = to;
  }
  return divideHalfUp(exact * 100n, per * counts * powerOfTen(scale));
};

const areInOrder = (tiers: readonly Tier[]): boolean =>
  tiers.every(({ upTo }, at) =>
    at === tiers.length - 1 ? upTo === null : upTo !== null && BigInt(upTo) > BigInt(tiers[at - 1]?.upTo ?? '0'),
  );
const Dollars = z.string().check(z.regex(/^\d{1,6}(\.\d{1,12})?$/));
const Units = z.string().check(z.regex(/^[1-9]\d{0,17}$/));
const Tiers = z
  .array(z.strictObject({ upTo: z.nullable(Units), dollars: Dollars }))
  .check(z.minLength(1), z.refine(areInOrder, 'each tier must end above the one before, and the last with null'));
const PriceFile = z.partialRecord(z.enum(Object.keys(prices) as PriceName[]), z.union([Dollars, Tiers]));
const remedy = 'Pass an object of price names and dollars as text, such as "0.25", or a list of tiers.';

/** Returns the list prices, overridden by the prices of a JSON file. */
export const pricesWith = (file: string | undefined): Prices => {
  if (file === undefined) return prices;
  const entries = Object.entries(jsonFile(file, PriceFile, `Cannot use the prices in ${file}. ${remedy}`));
  const given = entries.map(([name, price]) => [
    name,
    { ...prices[name as PriceName], tiers: listTiers(price), basis: 'given', sources: [file], read: null },
  ]);
  return { ...prices, ...Object.fromEntries(given) };
};
