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

/**
 * Negative if `a` is more specific. A row of the state precedes one without a state; then come rows with ZIPs and cities,
 * with ZIPs, with cities, and others; then rows of fewer ZIPs.
 */
const compare = ({ rate: a, width }: Match, { rate: b, width: otherWidth }: Match): number => {
  if (a.hasState !== b.hasState) return a.hasState ? -1 : 1;
  if ((a.zips === null) !== (b.zips === null)) return a.zips === null ? 1 : -1;
  if ((a.cities === null) !== (b.cities === null)) return a.cities === null ? 1 : -1;
  return width - otherWidth;
};

/** The more specific rate; of equal ones the earlier one in the file. */
const moreSpecific = (a: Match, b: Match): Match => ((compare(a, b) || a.rate.line - b.rate.line) <= 0 ? a : b);

const differ = (a: WooRate, b: WooRate): boolean => a.rate !== b.rate || a.isCompound !== b.isCompound;

/** How many locations WooCommerce counts for a row that matches. */
const countOf = ({ zips, cities }: WooRate): number => (zips && cities ? 1 : (zips ?? cities ?? []).length);

/**
 * Whether WooCommerce applies a row of a place instead of a different one of its priority: the row with more locations, then
 * the earlier one (`WC_Tax::sort_rates_callback`).
 */
const precedes = (a: WooRate, b: WooRate): boolean =>
  !isStateWide(a) && a.hasState === b.hasState && (countOf(a) - countOf(b) || b.line - a.line) > 0;

/** The rates that apply together at a place. */
export type Choice = {
  /** One for each priority, in their order. */
  readonly rates: readonly WooRate[];
  /** Two rates of one priority that differ and are as specific as each other. */
  readonly conflict: readonly [WooRate, WooRate] | null;
  /** Chosen rates instead of which WooCommerce applies a less specific one. */
  readonly overtaking: readonly WooRate[];
};

/** Choose the most specific of the matching rates of each priority. Takes linear time: a hostile table has many rows for a place. */
const choose = (matching: readonly Match[]): Choice => {
  const firsts = new Map<number, Match>();
  for (const match of matching) {
    const first = firsts.get(match.rate.priority);
    firsts.set(match.rate.priority, first ? moreSpecific(first, match) : match);
  }
  const rivals = new Map<number, Match>();
  const overtaken = new Set<number>();
  for (const match of matching) {
    const { priority } = match.rate;
    const first = firsts.get(priority) as Match;
    if (!differ(match.rate, first.rate)) continue;
    if (precedes(match.rate, first.rate)) overtaken.add(priority);
    if (compare(match, first) !== 0) continue;
    const rival = rivals.get(priority);
    rivals.set(priority, rival ? moreSpecific(rival, match) : match);
  }
  const chosen = [...firsts].toSorted(([a], [b]) => a - b);
  const [conflict = null] = chosen.flatMap(([priority, { rate }]) => {
    const rival = rivals.get(priority);
    return rival ? [[rate, rival.rate] as const] : [];
  });
  return {
    rates: chosen.map(([, { rate }]) => rate),
    conflict,
    overtaking: chosen.filter(([priority]) => overtaken.has(priority)).map(([, { rate }]) => rate),
  };
};

export type Choose = (matching: readonly Match[]) => Choice;

/** Returns the function that chooses for each place of a table. It throws if the places have too many rows together. */
export const newChoose = (): Choose => {
  let rows = 0;
  return (matching) => {
    rows += matching.length;
    assertFits(rows, limits.rowsOfPlaces, 'rows that apply to a place, summed over all places');
    return choose(matching);
  };
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
