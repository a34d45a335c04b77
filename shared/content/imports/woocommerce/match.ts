import type { WooRate } from './rate-row.ts';

// The first that counts: a row of the state, of ZIPs and the fewer of them, of cities and the fewer; then the file's order.
const specificity = ({ hasState, zips, cities, line }: WooRate): readonly number[] => [
  hasState ? 0 : 1,
  zips?.length ?? Number.MAX_SAFE_INTEGER,
  cities?.length ?? Number.MAX_SAFE_INTEGER,
  line,
];

/** WooCommerce's order of the rates of one priority: of those that match, the first one applies. */
export const bySpecificity = (a: WooRate, b: WooRate): number => {
  const others = specificity(b);
  for (const [index, value] of specificity(a).entries()) {
    const difference = value - (others[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Of rates in their order those that apply together in a city (`null` is none that a row names): one of each priority. */
export const ratesIn = (sorted: readonly WooRate[], city: string | null): readonly WooRate[] => {
  const chosen = new Map<number, WooRate>();
  for (const rate of sorted) {
    const matches = rate.cities === null || (city !== null && rate.cities.includes(city));
    if (matches && !chosen.has(rate.priority)) chosen.set(rate.priority, rate);
  }
  return [...chosen.values()].toSorted((a, b) => a.priority - b.priority);
};
