/** Counts the ZIP codes and residents for each outcome of a look-up in the local tables. */
import { getOrAdd } from '../base/collections.ts';
import { markdownTable } from '../base/texts.ts';
import type { Candidate } from '../catalog/local/find-place.ts';
import { findPlace } from '../catalog/local/find-place.ts';
import type { LocalTable, ZipEntry } from '../catalog/local/local-table.ts';
import { loadLocalTable } from '../catalog/local/local-table.ts';
import { cityName } from '../catalog/local/place-names.ts';
import type { Release } from '../catalog/release.ts';

/** The city in the address: the preferred name of the ZIP, a different name of the ZIP, or none. */
const cities = ['preferred name', 'other name', 'no city'] as const;
type City = (typeof cities)[number];

/**
 * `certain`: only one rate is possible. `likelier`: several rates are possible, and the rate of most residents is
 * charged. `unknown`: no rate is established.
 */
type Outcome = 'certain' | 'likelier' | 'unknown';

/**
 * The outcomes for one kind of city, and the number of residents with a likelier rate who live where that rate applies.
 */
type Tally = Record<Outcome, { names: number; residents: number }> & { charged: number };

const outcomes = ['certain', 'likelier', 'unknown'] as const;
const newTally = (): Tally => ({
  certain: { names: 0, residents: 0 },
  likelier: { names: 0, residents: 0 },
  unknown: { names: 0, residents: 0 },
  charged: 0,
});
const newTallies = (): Record<City, Tally> => ({
  'preferred name': newTally(),
  'other name': newTally(),
  'no city': newTally(),
});

const candidateRate = ({ area, missing }: Candidate): bigint | null =>
  missing === null ? (area?.units ?? null) : null;

/** Returns the fraction of the candidates' residents to whom the charged rate applies. */
const chargedPart = (candidates: readonly Candidate[]): number => {
  const sum = (all: readonly Candidate[]) => all.reduce((total, { weight }) => total + weight, 0);
  const [charged] = candidates;
  const same = candidates.filter((one) => charged && candidateRate(one) === candidateRate(charged));
  return sum(same) / (sum(candidates) || 1);
};

/** Counts an address in a ZIP with this number of residents. */
const count = (tally: Tally, candidates: readonly Candidate[], residents: number): void => {
  const rates = new Set(candidates.map(candidateRate));
  const outcome: Outcome = rates.size > 1 ? 'likelier' : rates.has(null) ? 'unknown' : 'certain';
  tally[outcome].names += 1;
  tally[outcome].residents += residents;
  if (outcome === 'likelier') tally.charged += residents * chargedPart(candidates);
};

const tallyZip = (tallies: Record<City, Tally>, table: LocalTable, zip5: string, { names, residents }: ZipEntry) => {
  const [preferred = null, ...others] = names.map(({ spellings: [name = ''] }) => name);
  const find = (name: string | null) =>
    table.isUntaxed
      ? []
      : findPlace(table, { zip5, city: name === null ? null : cityName(name), county: null }).candidates;
  count(tallies['preferred name'], find(preferred), residents);
  for (const name of others) count(tallies['other name'], find(name), residents);
  count(tallies['no city'], find(null), residents);
};

const known = new WeakMap<Release, Record<City, Tally>>();

/** Returns the outcomes in a state; `undefined` if its release has no local tables. */
export const tallyResidents = (release: Release): Readonly<Record<City, Readonly<Tally>>> | undefined => {
  if (!release.local) return undefined;
  return getOrAdd(known, release, () => {
    const table = loadLocalTable(release);
    const tallies = newTallies();
    for (const zip5 of table.zipCodes()) {
      const zip = table.zip(zip5);
      if (zip) tallyZip(tallies, table, zip5, zip);
    }
    return tallies;
  });
};

const add = (sum: Tally, { charged, ...counts }: Tally): void => {
  for (const outcome of outcomes) {
    sum[outcome].names += counts[outcome].names;
    sum[outcome].residents += counts[outcome].residents;
  }
  sum.charged += charged;
};

const columns = ['State', 'City', 'Names', 'Residents', 'Certain', 'Likelier rate', 'Its share', 'Not established'];

const number = (count: number): string => Math.round(count).toLocaleString('en-US');
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`);

const row = (state: string, city: string, tally: Tally): readonly string[] => {
  const counts = outcomes.map((outcome) => tally[outcome]);
  const names = counts.reduce((sum, one) => sum + one.names, 0);
  const residents = counts.reduce((sum, one) => sum + one.residents, 0);
  const [certain = '', likelier = '', unknown = ''] = counts.map(
    (one) => `${number(one.names)} (${percent(one.residents, residents)})`,
  );
  const ofLikelier = percent(tally.charged, tally.likelier.residents);
  return [state, city, number(names), number(residents), certain, likelier, ofLikelier, unknown];
};

/**
 * Builds a Markdown table of the outcomes of look-ups in the local tables: the number of ZIPs with each name, and the
 * share of their residents. The totals come last.
 */
export const residentsTable = (releases: readonly Release[], isByState: boolean): string => {
  const totals = newTallies();
  const rows = releases
    .toSorted((a, b) => (a.state < b.state ? -1 : 1))
    .flatMap((release) => {
      const tallies = tallyResidents(release);
      if (!tallies) return [];
      for (const city of cities) add(totals[city], tallies[city]);
      return cities.map((city) => row(release.state.slice('US-'.length), city, tallies[city]));
    });
  return markdownTable(columns, [...(isByState ? rows : []), ...cities.map((city) => row('all', city, totals[city]))]);
};
