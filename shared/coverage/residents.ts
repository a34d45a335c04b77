/** How many ZIP codes and residents get which answer from the tables of local rates. */
import { getOrAdd } from '../base/collections.ts';
import type { Candidate } from '../catalog/local/find-place.ts';
import { findPlace } from '../catalog/local/find-place.ts';
import type { LocalTable, ZipEntry } from '../catalog/local/local-table.ts';
import { loadLocalTable } from '../catalog/local/local-table.ts';
import { cityName } from '../catalog/location/city-name.ts';
import type { Release } from '../catalog/release.ts';

/** The city in the address: the preferred name of the ZIP, one of its other names, or none. */
export const cities = ['preferred name', 'other name', 'no city'] as const;
type City = (typeof cities)[number];

/**
 * `certain`: one rate is possible. `likelier`: several, and the rate of most residents is charged. `unknown`: no rate
 * is established.
 */
type Outcome = 'certain' | 'likelier' | 'unknown';
type Count = { readonly names: number; readonly residents: number };

/** The outcomes with one kind of city, and the residents of a likelier rate who live where it applies. */
export type Tally = Readonly<Record<Outcome, Count>> & { readonly charged: number };

const none: Count = { names: 0, residents: 0 };
export const emptyTally: Tally = { certain: none, likelier: none, unknown: none, charged: 0 };

const addCount = (a: Count, b: Count): Count => ({ names: a.names + b.names, residents: a.residents + b.residents });

export const addTally = (a: Tally, b: Tally): Tally => ({
  certain: addCount(a.certain, b.certain),
  likelier: addCount(a.likelier, b.likelier),
  unknown: addCount(a.unknown, b.unknown),
  charged: a.charged + b.charged,
});

const candidateRate = ({ area, missing }: Candidate): bigint | null =>
  missing === null ? (area?.units ?? null) : null;

/** The part of the candidates' residents who have the rate that is charged. */
const chargedPart = (candidates: readonly Candidate[]): number => {
  const sum = (all: readonly Candidate[]) => all.reduce((total, { weight }) => total + weight, 0);
  const [charged] = candidates;
  const same = candidates.filter((one) => charged && candidateRate(one) === candidateRate(charged));
  return sum(same) / (sum(candidates) || 1);
};

const tallyOne = (candidates: readonly Candidate[], residents: number): Tally => {
  const rates = new Set(candidates.map(candidateRate));
  const outcome: Outcome = rates.size > 1 ? 'likelier' : rates.has(null) ? 'unknown' : 'certain';
  const charged = outcome === 'likelier' ? residents * chargedPart(candidates) : 0;
  return { ...emptyTally, [outcome]: { names: 1, residents }, charged };
};

const tallyZip = (table: LocalTable, zip5: string, { names, residents }: ZipEntry): Record<City, Tally> => {
  const find = (name: string | null) =>
    table.isUntaxed
      ? { ...emptyTally, certain: { names: 1, residents } }
      : tallyOne(
          findPlace(table, { zip5, city: name === null ? null : cityName(name), county: null }).candidates,
          residents,
        );
  const [preferred, ...others] = names.map(({ spellings: [name = ''] }) => name);
  return {
    'preferred name': find(preferred ?? null),
    'other name': others.map(find).reduce(addTally, emptyTally),
    'no city': find(null),
  };
};

const tallies = new WeakMap<Release, Record<City, Tally>>();

/** The outcomes in a state; `undefined` if its release has no local tables. */
export const tallyResidents = (release: Release): Record<City, Tally> | undefined => {
  if (!release.local) return undefined;
  return getOrAdd(tallies, release, () => {
    const table = loadLocalTable(release);
    const sums = { 'preferred name': emptyTally, 'other name': emptyTally, 'no city': emptyTally };
    for (const zip5 of table.zipCodes()) {
      const zip = table.zip(zip5);
      const found = zip && tallyZip(table, zip5, zip);
      for (const city of found ? cities : []) sums[city] = addTally(sums[city], found?.[city] ?? emptyTally);
    }
    return sums;
  });
};

const columns = [
  'State',
  'City',
  'Names',
  'Residents',
  'Certain',
  'Likelier rate',
  'Its share',
  'Not established',
] as const;

const number = (count: number): string => Math.round(count).toLocaleString('en-US');
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`);

const row = (state: string, city: string, { certain, likelier, unknown, charged }: Tally): string => {
  const names = certain.names + likelier.names + unknown.names;
  const residents = certain.residents + likelier.residents + unknown.residents;
  const part = (one: Tally['certain']) => `${number(one.names)} (${percent(one.residents, residents)})`;
  const cells = [
    number(names),
    number(residents),
    part(certain),
    part(likelier),
    percent(charged, likelier.residents),
    part(unknown),
  ];
  return `| ${[state, city, ...cells].join(' | ')} |`;
};

/**
 * The Markdown table of the answers that addresses get from the local tables: their ZIPs with each name, and the share of
 * the residents of these ZIPs. The total comes last.
 */
export const residentsTable = (releases: readonly Release[], isByState: boolean): string => {
  const found = releases
    .toSorted((a, b) => (a.state < b.state ? -1 : 1))
    .flatMap((release) => {
      const tallies = tallyResidents(release);
      return tallies ? [{ state: release.state.slice('US-'.length), tallies }] : [];
    });
  const totals = cities.map((city) =>
    row('all', city, found.map(({ tallies }) => tallies[city]).reduce(addTally, emptyTally)),
  );
  const states = isByState
    ? found.flatMap(({ state, tallies }) => cities.map((city) => row(state, city, tallies[city])))
    : [];
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...states, ...totals].join('\n');
};
