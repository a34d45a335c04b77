/** An answer warns about each local rate that is not confirmed, even where no local tax is levied. */
import { describe, expect, it } from 'vitest';
import { countyNames, listStates, type RateRow, rateRows } from '../../shared/catalog/local/text-tables.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { ask, releaseOf } from '../support/builders.ts';

const tax_date = '2026-11-20';
const counties = countyNames();

/** The rows of a state's places in force on the tax day whose confidence is below medium-high. */
const uncertainRows = (state: string): readonly RateRow[] => {
  const newest = new Map<string, RateRow>();
  const rows = rateRows(state).filter(({ place, from }) => place !== '' && from <= tax_date);
  for (const row of rows.toSorted((a, b) => (a.from < b.from ? -1 : 1))) newest.set(`${row.county} ${row.place}`, row);
  return [...newest.values()].filter(({ confidence }) => confidence === 'medium' || confidence === 'low');
};

const states = listStates().filter((state) => uncertainRows(state).length > 0);

let checked = 0;

describe('a local rate of low or medium confidence', () => {
  it('is in more than ten states', () => expect(states.length).toBeGreaterThan(10));

  it.each(states)('has a warning in each place of %s, also where it is zero', (state) => {
    const silent = uncertainRows(state).filter(({ county, place, confidence, rate }) => {
      const to = { state, city: place, county: counties.get(`${stateFips(state)}${county}`) ?? null };
      const { warnings } = ask({ to, tax_date });
      // Where most residents of the ZIPs with the name live outside of the place, another rate is charged.
      if (rate !== '' && !warnings.some(({ message }) => message.includes(`local rates of ${place},`))) return false;
      checked += 1;
      return !warnings.some(({ code, message }) =>
        // A rate that is not on record is missing, whatever the confidence in that.
        rate === ''
          ? code === 'local_rates_missing'
          : code === 'content_unconfirmed' && message.includes(`(confidence ${confidence},`),
      );
    });
    expect(silent).toEqual([]);
  });

  it('is charged in most of these places', () => expect(checked).toBeGreaterThan(300));
});

it('a state rate of zero that is not confirmed has a warning', () => {
  const release = releaseOf({ of: [{ code: 'US-DE', type: 'state', rate: '0' }], name: 'Delaware' });
  const rates = release.rates.map((rate) => ({ ...rate, confidence: 'medium' as const }));
  const codesOf = (unconfirmed: boolean) =>
    ask({ to: { state: 'DE' } }, { releaseFor: () => (unconfirmed ? { ...release, rates } : release) }).warnings;
  expect(codesOf(false)).toEqual([]);
  expect(codesOf(true)).toEqual([
    {
      code: 'content_unconfirmed',
      message: 'Name of US-DE, general rate: not confirmed by a primary source (confidence medium, source test).',
      pointer: '/line_items/0',
    },
  ]);
});
