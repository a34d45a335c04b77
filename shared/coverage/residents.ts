/** Counts the ZIP codes and residents for each outcome of a look-up in the local tables. */
import { markdownTable } from '../base/texts.ts';
import { type Candidate, findPlace } from '../catalog/local/find-place.ts';
import { loadLocalTable } from '../catalog/local/local-table.ts';
import { cityName } from '../catalog/local/place-names.ts';
import type { Release } from '../catalog/release.ts';

/** The city in an address: the preferred name of the ZIP, a different name of the ZIP, or none. */
const cities = ['preferred name', 'other name', 'no city'] as const;
/**
 * `certain`: only one rate is possible. `likelier`: several rates are possible, and the rate of most residents is
 * charged. `unknown`: no rate is established.
 */
const outcomes = ['certain', 'likelier', 'unknown'] as const;

const candidateRate = ({ area, missing }: Candidate): bigint | null =>
  missing === null ? (area?.units ?? null) : null;

/** Returns the fraction of the candidates' residents to whom the charged rate applies. */
const chargedPart = (candidates: readonly Candidate[]): number => {
  const sum = (all: readonly Candidate[]) => all.reduce((total, { weight }) => total + weight, 0);
  const [charged] = candidates;
  const same = candidates.filter((one) => charged && candidateRate(one) === candidateRate(charged));
  return sum(same) / (sum(candidates) || 1);
};

/**
 * Looks up the ZIPs in the local tables of a release, with each of their names and without a name. Returns each outcome
 * with the residents of the ZIP, and how many of them live where the charged rate applies.
 */
export const lookUpResidents = (release: Release) => {
  if (!release.local) return [];
  const table = loadLocalTable(release);
  const lookUp = (zip5: string, residents: number, city: (typeof cities)[number], name: string | null) => {
    const place = { zip5, city: name === null ? null : cityName(name), county: null };
    const candidates = table.isUntaxed ? [] : findPlace(table, place).candidates;
    const rates = new Set(candidates.map(candidateRate));
    const outcome: (typeof outcomes)[number] = rates.size > 1 ? 'likelier' : rates.has(null) ? 'unknown' : 'certain';
    return { city, outcome, residents, charged: residents * chargedPart(candidates) };
  };
  return table.zipCodes().flatMap((zip5) => {
    const zip = table.zip(zip5);
    if (!zip) return [];
    const [preferred = null, ...others] = zip.names.map(({ spellings: [name = ''] }) => name);
    return [
      lookUp(zip5, zip.residents, 'preferred name', preferred),
      ...others.map((name) => lookUp(zip5, zip.residents, 'other name', name)),
      lookUp(zip5, zip.residents, 'no city', null),
    ];
  });
};

type LookUp = ReturnType<typeof lookUpResidents>[number];

const columns = ['State', 'City', 'Names', 'Residents', 'Certain', 'Likelier rate', 'Its share', 'Not established'];

const number = (count: number): string => Math.round(count).toLocaleString('en-US');
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`);

const sum = (lookUps: readonly LookUp[], count: 'residents' | 'charged'): number =>
  lookUps.reduce((total, one) => total + one[count], 0);

const row = (state: string, city: string, lookUps: readonly LookUp[]): readonly string[] => {
  const all = lookUps.filter((one) => one.city === city);
  const residents = sum(all, 'residents');
  const [certain = [], likelier = [], unknown = []] = outcomes.map((outcome) =>
    all.filter((one) => one.outcome === outcome),
  );
  const share = (some: readonly LookUp[]) => `${number(some.length)} (${percent(sum(some, 'residents'), residents)})`;
  const ofLikelier = percent(sum(likelier, 'charged'), sum(likelier, 'residents'));
  return [
    state,
    city,
    number(all.length),
    number(residents),
    share(certain),
    share(likelier),
    ofLikelier,
    share(unknown),
  ];
};

/**
 * Builds a Markdown table of the outcomes of look-ups in the local tables: the number of ZIPs with each name, and the
 * share of their residents. The totals come last.
 */
export const residentsTable = (releases: readonly Release[], isByState: boolean): string => {
  const states = releases
    .toSorted((a, b) => (a.state < b.state ? -1 : 1))
    .map((release) => ({ state: release.state.slice('US-'.length), lookUps: lookUpResidents(release) }))
    .filter(({ lookUps }) => lookUps.length > 0);
  const total = { state: 'all', lookUps: states.flatMap(({ lookUps }) => lookUps) };
  const rows = [...(isByState ? states : []), total];
  return markdownTable(
    columns,
    rows.flatMap(({ state, lookUps }) => cities.map((city) => row(state, city, lookUps))),
  );
};
