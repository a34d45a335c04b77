/** Less or false information about an address never improves the result: random addresses in all states. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countyNames, listStates, rateRows, zipRows } from '../../shared/catalog/local/text-tables.ts';
import type { PostalAddress } from '../../shared/catalog/location/address.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { withTables } from '../support/local-content.ts';

const counties = countyNames();
const letters = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');

const countyLetters = (name: string): string => letters(name).replace(/(COUNTY|CITY|PARISH|BOROUGH|MUNICIPIO)$/, '');

/** The names of a ZIP row, including alternative spellings. */
const listNames = (names: string): string[] => names.split('|').flatMap((one) => one.replace(/:.*/, '').split('='));

const states = listStates().flatMap((state) => {
  const rates = rateRows(state);
  if (rates.every(({ rate }) => rate === '0')) return [];
  const places = Map.groupBy(
    rates.filter(({ place }) => place !== ''),
    ({ place }) => letters(place),
  );
  const zips = zipRows(state).filter(({ names }) => names !== '');
  const all = zips.flatMap(({ names }) => listNames(names));
  const ofState = [...counties].flatMap(([fips, name]) => (fips.startsWith(stateFips(state)) ? [name] : []));
  return [
    {
      state,
      zips,
      places,
      all,
      known: new Set([...all.map(letters), ...places.keys()]),
      counties: ofState,
      countyNames: new Set(ofState.map(countyLetters)),
    },
  ];
});

type State = (typeof states)[number];

/** An address as a buyer would write it: a ZIP, one of its names, and sometimes a county of the place. */
const getTruth = ({ state, zips, places }: State, at: number, name: number, county: number | null) => {
  const zip = zips[at % zips.length] as State['zips'][number];
  const names = zip.names.split('|').map((one) => one.replace(/:.*/, '').split('='));
  const spellings = names[name % names.length] ?? [];
  const [city = ''] = spellings;
  const inhabited = zip.counties
    .split('|')
    .filter((one) => !one.endsWith(':0'))
    .map((one) => one.slice(0, 3));
  const withPlace = inhabited.filter((code) => places.get(letters(city))?.some((row) => row.county === code));
  const possible = withPlace.length > 0 ? withPlace : inhabited;
  const code = county === null ? null : possible[county % possible.length];
  const sent = code ? (counties.get(`${stateFips(state)}${code}`) ?? null) : null;
  return {
    address: { state, postal_code: zip.zip5, city, county: sent } satisfies PostalAddress,
    own: listNames(zip.names),
    spellings,
    isOfZip: (sent: string) =>
      zip.counties.split('|').some((one) => counties.get(`${stateFips(state)}${one.slice(0, 3)}`) === sent),
  };
};

/** One letter omitted, doubled, replaced or swapped. */
const misspelt = (name: string, at: number, how: number): string => {
  const index = at % name.length;
  const [before, letter, after] = [name.slice(0, index), name.charAt(index), name.slice(index + 1)];
  return (
    [
      `${before}${after}`,
      `${before}${letter}${letter}${after}`,
      `${before}q${after}`,
      `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
    ][how % 4] ?? name
  );
};

const resolve = (address: PostalAddress) => {
  const read = readAddress(address, '');
  if (!read.ok) throw new Error(JSON.stringify(address));
  return locate(read.value, withTables, '2026-11-20', false).resolution;
};

const worse = ['none', 'partial', 'complete'];

it('never becomes less ambiguous or more complete with less of an address, or with a misspelled or different name', () => {
  const met = new Map<string, number>();
  const number = fc.nat(100_000);
  fc.assert(
    fc.property(
      fc.record({
        state: fc.nat(states.length - 1),
        at: number,
        name: fc.oneof(fc.constant(0), number),
        county: fc.option(number),
        other: number,
        position: number,
        how: number,
      }),
      ({ state: index, at, name, county, other, position, how }) => {
        const state = states[index] as State;
        const { address, own, spellings, isOfZip } = getTruth(state, at, name, county);
        const ofZip = new Set(own.map(letters));
        const typo = misspelt(address.city, position, how);
        const another = state.all[other % state.all.length] ?? '';
        const anotherCounty = state.counties[other % state.counties.length] ?? '';
        const typoInCounty = misspelt(address.county ?? 'Xyzzy', position, how);
        const less: [string, PostalAddress][] = [
          ['no city', { ...address, city: null }],
          ['no ZIP', { ...address, postal_code: null }],
          ['no county', { ...address, county: null }],
          ['no ZIP and no county', { ...address, postal_code: null, county: null }],
          ['no ZIP and no city', { ...address, postal_code: null, city: null }],
          ['no city and no county', { ...address, city: null, county: null }],
          ['the state alone', { state: address.state }],
          // A misspelled name can be a different name of the ZIP; without a ZIP, a different name is just a different
          // address.
          ...(ofZip.has(letters(typo)) ? [] : [['misspelt', { ...address, city: typo }] as [string, PostalAddress]]),
          ...(state.known.has(letters(typo))
            ? []
            : [['misspelt, no ZIP', { ...address, city: typo, postal_code: null }] as [string, PostalAddress]]),
          ...(ofZip.has(letters(another))
            ? []
            : [['another city', { ...address, city: another }] as [string, PostalAddress]]),
          ['nonsense', { ...address, city: 'Xyzzy' }],
          ...(isOfZip(anotherCounty)
            ? []
            : [['another county', { ...address, county: anotherCounty }] as [string, PostalAddress]]),
          ...(state.countyNames.has(countyLetters(typoInCounty))
            ? []
            : [['misspelt county', { ...address, county: typoInCounty }] as [string, PostalAddress]]),
        ];
        const full = resolve(address);
        for (const city of spellings)
          for (const sent of [city, city.toLowerCase(), ` ${city.toUpperCase()}. `])
            expect(resolve({ ...address, city: sent }), JSON.stringify([address, sent])).toEqual(full);
        for (const [what, part] of less) {
          const answer = resolve(part);
          const text = JSON.stringify([what, address, part]);
          if (full.ambiguous) expect(answer.ambiguous, text).toBe(true);
          expect(worse.indexOf(answer.coverage), text).toBeLessThanOrEqual(worse.indexOf(full.coverage));
          if (answer.ambiguous !== full.ambiguous || answer.coverage !== full.coverage)
            met.set(what, (met.get(what) ?? 0) + 1);
        }
      },
    ),
    { numRuns: 500 },
  );
  for (const what of ['no city', 'no ZIP', 'no county', 'misspelt', 'another city', 'another county'])
    expect(met.get(what) ?? 0, what).toBeGreaterThan(5);
});
