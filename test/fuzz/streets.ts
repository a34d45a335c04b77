/**
 * Street address look-ups of a request: 1,000 look-ups of `line1` in a ZIP code with as many street addresses as an
 * import accepts.
 */

import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { chooseByStreet } from '../../shared/catalog/location/location-choice.ts';
import type { Release, Streets } from '../../shared/catalog/release.ts';
import { limits } from '../../shared/importers/limits.ts';
import { baseOf } from '../fixtures/imports/harness.ts';
import type { Input, Random, Target } from './target.ts';
import { longText } from './texts.ts';

/** A request has at most 1,000 line items, and `line1` at most 500 characters. */
const [lookups, charactersMax] = [1000, 500];

const units = ['APT 4', '# 4', '#', 'REAR', 'UNIT B', 'STE 200-B', 'APT # 4', 'BLDG', 'FRNT', 'LOWR', '4-4', 'A-1-A'];
const others = [
  'N',
  'ST',
  'NORTH',
  'STREET',
  'AVE',
  'MAIN',
  '1/2',
  'S W',
  '.',
  "'",
  ',',
  '\u0301',
  'ﬀ',
  '﷽',
  'É',
  '-',
  '--',
  '9',
];
const houses = [
  '150',
  '150A',
  'N56W16839',
  'N56 W16839',
  '1-1/2',
  `${'A'.repeat(300)}1`,
  '9'.repeat(300),
  'A1'.repeat(100),
  'N1'.repeat(150),
];

const line = (random: Random): string => {
  const { pick, chance, below } = random;
  const words = Array.from({ length: 1 + below(4) }, () => pick([...units, ...others]));
  const repeated = `${words.join(pick([' ', ' ', ',', '']))} `.repeat(pick([1, 3, 300]));
  const text = chance(0.1)
    ? longText(random, [30, 500])
    : `${pick(houses)} ${pick(['MAIN ', 'MAIN ST ', ''])}${repeated}`;
  return (chance(0.3) ? `${text.slice(0, 490)} ${pick([...units, ...others])}` : text).slice(0, charactersMax);
};

const ranges = (random: Random, characters: number): string => {
  const { pick } = random;
  const unit = pick([
    '',
    '',
    '/APT,1,10,B',
    `/APT,${'9'.repeat(300)},${'9'.repeat(300)},B`,
    `/${'A'.repeat(3000)},,,B`,
  ]);
  const parity = pick(['B', 'E', 'O', 'U']);
  const [low, high] = pick([
    [1, 999],
    [150, 150],
    [1000, 2000],
    [0, 0],
  ] as const);
  const range = `${pick([0, 9])}${parity}${low}-${high}${unit}`;
  const group = pick([`,ST,|:`, `N,AVE,SW|N56W:`, '*|:']);
  const perGroup = pick([1, 100, 1e6]);
  const groupText = `${group}${Array(Math.min(perGroup, Math.ceil(characters / (range.length + 1))))
    .fill(range)
    .join(' ')}`;
  return Array(Math.max(1, Math.floor(characters / (groupText.length + 1))))
    .fill(groupText)
    .join(';')
    .slice(0, characters)
    .replace(/[^;:]*$|[ ;][^ ;]*$/, '');
};

type Request = { readonly streets: Streets; readonly lines: readonly string[] };

const requestOf = (random: Random): Request => {
  const { pick, chance } = random;
  const names = Object.fromEntries(
    ['MAIN', ''].map((name) => [name, ranges(random, pick([100, 10_000, limits.streetTextOfName]))]),
  );
  const sets = Array.from({ length: pick([1, 10]) }, (_, at) => ({ from: null, to: null, codes: [`US-X-${at}`] }));
  const one = line(random);
  return { streets: { names, sets }, lines: Array.from({ length: lookups }, () => (chance(0.5) ? one : line(random))) };
};

const toInput = (request: Request): Input => [{ name: 'request.json', content: JSON.stringify(request) }];

export const line1: Target = {
  valid: () => toInput({ streets: { names: { MAIN: ',ST,|:0B1-999' }, sets: [] }, lines: ['150 N Main St Apt 4'] }),
  make: (random) => toInput(requestOf(random)),
  run: ([file]) => {
    const { streets, lines } = JSON.parse(file?.content.toString() ?? '') as Request;
    const release: Release = { ...baseOf('WI'), streets };
    for (const line1 of lines) chooseByStreet(release, [], { line1 } as TaxAddress, '2026-11-22');
  },
};
