import { chargeParts } from './charge.ts';
import type { PriceName, Prices } from './prices.ts';

/** Something that is used in a month, counted as its price counts it. */
export type Usage = {
  readonly service: string;
  readonly item: string;
  readonly price: PriceName;
  readonly quantity: bigint;
};

export type BillLine = Usage & { readonly cents: bigint };
export type Bill = {
  readonly lines: readonly BillLine[];
  readonly services: readonly { readonly service: string; readonly cents: bigint }[];
  readonly cents: bigint;
};

const sumOf = (lines: readonly BillLine[]): bigint => lines.reduce((sum, { cents }) => sum + cents, 0n);

/**
 * The bill of a month's usage. What has one price is charged together, because tiers and free tiers are of the whole, and
 * split over its lines: the lines add up to the services, and these to the bill.
 */
export const billOf = (usage: readonly Usage[], prices: Prices, withFree: boolean): Bill => {
  const cents = new Map<Usage, bigint>();
  for (const name of new Set(usage.map(({ price }) => price))) {
    const same = usage.filter(({ price }) => price === name);
    const parts = chargeParts(
      prices[name],
      same.map(({ quantity }) => quantity),
      withFree,
    );
    for (const [index, one] of same.entries()) cents.set(one, parts[index] ?? 0n);
  }
  const lines = usage.map((one) => ({ ...one, cents: cents.get(one) ?? 0n }));
  const services = [...new Set(lines.map(({ service }) => service))].map((service) => ({
    service,
    cents: sumOf(lines.filter((line) => line.service === service)),
  }));
  return { lines, services, cents: sumOf(lines) };
};
