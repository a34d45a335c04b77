import type { Release } from '../content/release.ts';
import { addTally, cities, emptyTally, residentsOf, type Tally } from './residents.ts';

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
      const tallies = residentsOf(release);
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
