/** Cities whose rates a file gives in one figure with the state's: the rest becomes one local tax of the city. */
import { dayBefore } from '../../calendar.ts';
import { earlierEnd } from '../days.ts';
import { stateRateOn } from '../rates.ts';
import type { Release } from '../release.ts';
import type { Jurisdiction } from '../release-values.ts';
import type { Entry } from './entry.ts';
import { bad, type RowResult, row } from './files/read-rows.ts';
import { fractionOf, unitsOf } from './fractions.ts';
import { assertFits, limits } from './limits.ts';

/** A local rate from a day on, at the longest to the day `to`. */
type Change = { readonly from: string; readonly to: string | null; readonly rate: string };

export type CombinedCity = {
  /** As `cityName` writes it. */
  readonly city: string;
  /** As people write it. */
  readonly name: string;
  /** Tells places of the same name apart: a county, or the state's own code. */
  readonly key: string;
  /** Other spellings of the name, as `cityName` writes them. */
  readonly alsoCalled?: readonly string[];
  /** Whether the rates apply to some addresses of the city only. */
  readonly ofAddresses?: boolean;
};

export type CombinedReading = CombinedCity & { readonly change: Change };

/** The part of a combined rate above the state's rate in the base release, and the last day of that state rate. */
export const localPart = (
  base: Release,
  combined: string,
  from: string,
): RowResult<{ readonly rate: string; readonly to: string | null }> => {
  // Rates that began before the base release does are still in force on its first day.
  const day = from < base.established_from ? base.established_from : from;
  const known = stateRateOn(base, day);
  const rest = unitsOf(combined) - unitsOf(known?.rate ?? '1');
  if (known !== undefined && rest >= 0n) return row({ rate: fractionOf(rest), to: known.to });
  return bad(
    `the file has ${combined} in all, the release has ${known?.rate ?? 'nothing'} for the state alone on ${day}`,
  );
};

type Held = CombinedCity & { readonly changes: (Change & { readonly line: number })[] };

/** Collects the rates of cities in any order. Holds all of them until the file ends: a state has some thousands. */
export class CombinedCities {
  private readonly cities = new Map<string, Held[]>();
  private readonly jurisdictionOf: (city: CombinedCity, isShared: boolean) => Jurisdiction;

  /** `isShared`: several places have the name of the city. */
  constructor(jurisdictionOf: (city: CombinedCity, isShared: boolean) => Jurisdiction) {
    this.jurisdictionOf = jurisdictionOf;
  }

  *add({ change, ...place }: CombinedReading, line: number): Generator<Entry> {
    const { city, name, key } = place;
    const sameName = this.cities.get(city) ?? [];
    const found = sameName.find((held) => held.key === key) ?? { ...place, changes: [] };
    const other = found.changes.find(({ from }) => from === change.from);
    if (other) {
      const reason = `gives ${name} another rate than line ${other.line} from ${change.from} on: correct one`;
      if (other.rate === change.rate) yield { kind: 'skipped', line, reason: 'repeats another row' };
      else yield { kind: 'bad', line, reason };
      return;
    }
    assertFits(found.changes.length, limits.ratesOfJurisdiction, `rates of ${name}`);
    assertFits(this.cities.size, limits.cities, 'cities');
    found.changes.push({ ...change, line });
    this.cities.set(city, [...sameName.filter((held) => held !== found), found]);
  }

  *entries(): Generator<Entry> {
    for (const sameName of this.cities.values())
      for (const held of sameName) yield* this.entriesOf(held, sameName.length > 1);
  }

  private *entriesOf(held: Held, isShared: boolean): Generator<Entry> {
    const jurisdiction = this.jurisdictionOf(held, isShared);
    const sorted = held.changes.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    yield { kind: 'jurisdiction', jurisdiction };
    for (const [index, { from, to, rate }] of sorted.entries()) {
      const next = sorted[index + 1];
      const days = { from, to: earlierEnd(next ? dayBefore(next.from) : null, to) };
      yield { kind: 'rate', rate: { jurisdiction: jurisdiction.code, rate, ...days } };
      const locals = rate === '0' ? [] : [jurisdiction.code];
      const flags = held.ofAddresses ? { flags: { of_addresses: true as const } } : {};
      for (const city of [held.city, ...(held.alsoCalled ?? [])])
        yield { kind: 'city', city, ...days, locals, ...flags };
    }
  }
}
