import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { CommandError } from '../content/command-error.ts';
import { fromFile } from './price-sources.ts';
import { type PriceName, type Prices, prices, type Tier } from './prices.ts';

const dollars = z.string().check(z.regex(/^\d{1,6}(\.\d{1,12})?$/));
const units = z.string().check(z.regex(/^[1-9]\d{0,17}$/));
const tier = z.strictObject({ upTo: z.nullable(units), dollars });
const PriceFile = z.record(z.string(), z.union([dollars, z.array(tier).check(z.minLength(1))]));

const refused = (file: string, why: string): CommandError => new CommandError(`The prices in ${file}: ${why}`);

// Each ends where the next begins, and the last one nowhere.
const areInOrder = (tiers: readonly Tier[]): boolean =>
  tiers.every(({ upTo }, index) => {
    const before = tiers[index - 1]?.upTo ?? '0';
    return index === tiers.length - 1 ? upTo === null : upTo !== null && BigInt(upTo) > BigInt(before);
  });

const read = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refused(file, error instanceof Error ? error.message : String(error));
  }
};

/**
 * The prices with those of a file in their place, for another region or a contract: an object of names, each with dollars
 * for the same units as here (`"4.25"`) or with tiers (`[{"upTo": "1000", "dollars": "4.25"}, {"upTo": null, …}]`).
 */
export const pricesWith = (file: string | undefined): Prices => {
  if (file === undefined) return prices;
  const parsed = PriceFile.safeParse(read(file));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'not read' };
    throw refused(
      file,
      `${path.join('.') || 'all of it'}: ${message}. Give dollars as text, such as "0.25", or a list of tiers.`,
    );
  }
  const changed: Record<PriceName, Prices[PriceName]> = { ...prices };
  for (const [name, given] of Object.entries(parsed.data)) {
    if (!Object.hasOwn(prices, name))
      throw refused(file, `there is no price ${name}. There are ${Object.keys(prices).join(', ')}.`);
    const tiers = typeof given === 'string' ? [{ upTo: null, dollars: given }] : given;
    if (!areInOrder(tiers))
      throw refused(file, `${name}: let each tier end above the one before, and the last with null.`);
    changed[name as PriceName] = { ...prices[name as PriceName], tiers, ...fromFile(file) };
  }
  return changed;
};
