/** Which rates of a WooCommerce table apply at a place. */
import { assertFits, limits } from '../limits.ts';
import { indexFrom, zipsOfState } from '../zips.ts';
import type { WooRate } from './rate-row.ts';

/** A rate that matches a ZIP, and the width of its narrowest range with the ZIP; 0 without ranges. */
export type Match = { readonly rate: WooRate; readonly width: number };

/** Whether a rate applies to the whole state. */
export const isStateWide = ({ zips, cities }: WooRate): boolean => zips === null && cities === null;

/** A rate that is not matched by its ZIPs. */
export const anyZip = (rate: WooRate): Match => ({ rate, width: 0 });

/** A row with ZIPs and cities is the most specific one, then a row with ZIPs, then a row with cities. */
const placeRank = ({ zips, cities }: WooRate): number => (zips === null ? 2 : 0) + (cities === null ? 1 : 0);

const compare = (a: Match, b: Match): number =>
  Number(b.rate.hasState) - Number(a.rate.hasState) || placeRank(a.rate) - placeRank(b.rate) || a.width - b.width;

/** The most specific rate first: of the state, by its place, of fewer ZIPs; then in the order of the file. */
const bySpecificity = (a: Match, b: Match): number => compare(a, b) || a.rate.line - b.rate.line;

const differ = (a: WooRate, b: WooRate): boolean => a.rate !== b.rate || a.isCompound !== b.isCompound;

/** How many locations WooCommerce counts for a row that matches. */
const countOf = ({ zips, cities }: WooRate): number => (zips && cities ? 1 : (zips ?? cities ?? []).length);

/**
 * Whether WooCommerce applies a row of a place instead of another one of its priority: the row with more locations, then
 * the earlier one (`WC_Tax::sort_rates_callback`).
 */
const precedes = (a: WooRate, b: WooRate): boolean =>
  !isStateWide(a) && a.hasState === b.hasState && differ(a, b) && (countOf(a) - countOf(b) || b.line - a.line) > 0;

/** The rates that apply together at a place. */
export type Choice = {
  /** One for each priority, in their order. */
  readonly rates: readonly WooRate[];
  /** Two rates of one priority that differ and are as specific as each other. */
  readonly conflict: readonly [WooRate, WooRate] | null;
  /** Chosen rates instead of which WooCommerce applies a less specific one. */
  readonly overtaking: readonly WooRate[];
};

/** Choose the most specific rate of each priority of those that match. */
export const choose = (matching: readonly Match[]): Choice => {
  const sorted = matching.toSorted(bySpecificity);
  const byPriority = [...Map.groupBy(sorted, ({ rate }) => rate.priority)].toSorted(([a], [b]) => a - b);
  const rates: WooRate[] = [];
  const overtaking: WooRate[] = [];
  let conflict: Choice['conflict'] = null;
  for (const [, [first, ...others]] of byPriority) {
    if (!first) continue;
    const { rate } = first;
    rates.push(rate);
    const rival = others.find((other) => compare(first, other) === 0 && differ(rate, other.rate));
    if (rival) conflict ??= [rate, rival.rate];
    if (others.some((other) => precedes(other.rate, rate))) overtaking.push(rate);
  }
  return { rates, conflict, overtaking };
};

/** Matches by the cities that their rows name, so that the rows of other cities are not read for each city. */
export class MatchesByCity {
  private readonly ofAll: readonly Match[];
  private readonly byCity = new Map<string, Match[]>();

  constructor(matches: readonly Match[]) {
    this.ofAll = matches.filter(({ rate: { cities } }) => cities === null);
    for (const match of matches)
      for (const city of new Set(match.rate.cities)) {
        const ofCity = this.byCity.get(city);
        if (ofCity) ofCity.push(match);
        else this.byCity.set(city, [match]);
      }
  }

  /** All cities that rows name. */
  cities(): ReadonlySet<string> {
    return new Set(this.byCity.keys());
  }

  /** The rows that apply in a city; `null` is a city that no row names. */
  in(city: string | null): readonly Match[] {
    return [...this.ofAll, ...((city === null ? undefined : this.byCity.get(city)) ?? [])];
  }
}

/** The rates with ZIPs by the ZIPs of the state that they match. */
export const matchesByZip = (rates: readonly WooRate[], state: string): ReadonlyMap<string, readonly Match[]> => {
  const found = new Map<string, Match[]>();
  const zips = zipsOfState(state);
  let named = 0;
  const add = (rate: WooRate, low: string, high: string): void => {
    const width = Number(high) - Number(low);
    const touched = zips.slice(indexFrom(zips, low), indexFrom(zips, `${high}~`));
    named += touched.length + 1;
    assertFits(named, limits.heldZips, 'ZIP codes in all rows together');
    for (const zip of touched) {
      const matches = found.get(zip) ?? [];
      const last = matches.at(-1);
      // Two ranges of one row may have the same ZIP.
      if (last?.rate === rate) matches[matches.length - 1] = { rate, width: Math.min(width, last.width) };
      else matches.push({ rate, width });
      found.set(zip, matches);
    }
  };
  for (const rate of rates) for (const [low, high] of rate.zips ?? []) add(rate, low, high);
  return found;
};
