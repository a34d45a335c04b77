/**
 * Local rates that were wrong or outdated in the sources of the tables. Combined percents from notices and laws, typed
 * by hand.
 */
import { describe, expect, it } from 'vitest';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { rateOn } from '../../shared/catalog/rates.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { ask } from '../support/builders.ts';

type To = NonNullable<Parameters<typeof ask>[0]['to']>;

const answerTo = (to: To, tax_date = '2026-11-26', ambiguous_address: 'warn' | 'highest_rate' = 'warn') =>
  ask(
    { to, tax_date, line_items: [{ unit_price: '10000.00' }] },
    { today: '2026-11-26', settings: { ambiguous_address } },
  );
/** The combined rate in percent. */
const percentAt = (to: To, tax_date?: string): number => Number(answerTo(to, tax_date).tax_amount) / 100;

/** The combined rates in percent that an address may have: the charged rate, and the place's own by name. */
const possiblePercents = (to: { state: string; city: string; postal_code: string; county: string | null }) => {
  const address = readAddress(to, '');
  if (!address.ok) throw new Error(JSON.stringify(address.problems));
  const { choice, place } = locate(address.value, builtInReleaseFor, '2026-11-26', false);
  const general = Number(rateOn(place.release as Release, `US-${to.state}`, '2026-11-26')?.rate) * 1e8;
  const areas = choice?.byPlace?.possible ?? [];
  const named = areas.filter(({ name }) => name.split(',')[0] === to.city);
  return (named.length > 0 ? named : areas).map(({ rate }) => (general + Number(rate)) / 1e6);
};

describe('the combined rate', () => {
  it.each<[state: string, city: string, postal_code: string, county: string | null, percent: number]>([
    ['CO', 'Westminster', '80031', 'Adams', 9],
    ['CO', 'Westminster', '80030', 'Adams', 9],
    ['CO', 'Westminster', '80234', 'Adams', 9],
    ['CO', 'Westminster', '80021', 'Jefferson', 8.75],
    ['CO', 'Westminster', '80003', 'Jefferson', 8.75],
    ['CO', 'Timnath', '80547', 'Larimer', 8.2],
    ['CO', 'Cortez', '81321', null, 7.69],
    ['CO', 'Commerce City', '80022', null, 9.75],
    ['CO', 'Henderson', '80640', null, 5.25],
    ['CO', 'Dupont', '80024', null, 5.25],
    ['CO', 'Glenwood Springs', '81601', null, 9.35],
    ['CO', 'Carbondale', '81623', 'Garfield', 10.15],
    ['CO', 'New Castle', '81647', null, 8.45],
    ['CO', 'Rifle', '81650', null, 8.4],
    ['CO', 'Silt', '81652', null, 7.15],
    ['CO', 'Parachute', '81635', null, 7.9],
    ['CO', 'Vail', '81657', null, 9.4],
    ['CO', 'Eagle', '81631', null, 9.4],
    ['CO', 'Gypsum', '81637', null, 7.4],
    ['CO', 'Avon', '81620', null, 9.69],
    ['CO', 'Minturn', '81645', null, 9.69],
    ['CO', 'Red Cliff', '81649', null, 8.69],
    ['CO', 'Aspen', '81611', null, 10.35],
    ['CO', 'Snowmass Village', '81615', null, 10.65],
    ['CO', 'Woodland Park', '80863', 'Teller', 8.4],
    ['CO', 'Divide', '80814', null, 5.4],
    ['CO', 'Florissant', '80816', 'Teller', 5.4],
    ['CO', 'Fairplay', '80440', null, 8.9],
    ['CO', 'Alma', '80420', null, 7.9],
    ['CO', 'Como', '80432', null, 4.9],
    ['CO', 'Hartsel', '80449', 'Park', 4.9],
    ['CO', 'Jefferson', '80456', null, 4.9],
    ['CO', 'Telluride', '81435', null, 9.47],
    ['CO', 'Mountain Village', '81435', null, 9.47],
    ['CO', 'Placerville', '81430', null, 4.97],
    ['CO', 'Rico', '81332', null, 8.97],
    ['CO', 'Norwood', '81423', 'San Miguel', 6.9],
    ['CO', 'Egnar', '81325', 'San Miguel', 3.9],
    ['CO', 'Larkspur', '80118', null, 7.9],
    ['CO', 'Castle Pines', '80108', null, 7.75],
    ['CO', 'Louviers', '80131', null, 4],
    ['CO', 'Deer Trail', '80105', 'Arapahoe', 5],
    ['CO', 'Strasburg', '80136', 'Adams', 3.75],
    ['CO', 'Monte Vista', '81144', 'Rio Grande', 8.5],
    ['CO', 'Del Norte', '81132', null, 7.5],
    ['CO', 'South Fork', '81154', null, 9.5],
    ['CO', 'Pueblo West', '81007', null, 5.9],
    ['SD', 'Gary', '57237', null, 6.2],
    ['WV', 'Berkeley Springs', '25411', null, 7],
    ['WV', 'Bath', '25411', null, 7],
    ['ID', 'Bonners Ferry', '83805', null, 7],
    ['ID', 'Ponderay', '83852', null, 7],
    ['ID', 'Tetonia', '83452', null, 6.5],
    ['TX', 'Stratford', '79084', null, 7.75],
    ['TX', 'Lockney', '79241', null, 7.75],
    ['TX', 'Floydada', '79235', null, 8],
    ['TX', 'Shamrock', '79079', null, 8],
    ['TX', 'Wheeler', '79096', null, 8],
    ['TX', 'Stanton', '79782', null, 8],
    ['NM', 'Silver City', '88061', null, 8.1125],
    ['NM', 'Aztec', '87410', null, 8.1875],
    ['NM', 'Bloomfield', '87413', null, 8.125],
    ['NM', 'Gallup', '87301', null, 8.0625],
    ['NM', 'Bernalillo', '87004', null, 6.9375],
    ['NM', 'Espanola', '87532', 'Rio Arriba', 8.6875],
    ['NM', 'Ruidoso', '88345', null, 8.1875],
    ['WA', 'Fall City', '98024', null, 8.9],
    ['WA', 'Ravensdale', '98051', null, 8.9],
    ['WA', 'Preston', '98050', null, 8.9],
    ['WA', 'Hobart', '98025', null, 8.9],
    ['WA', 'Baring', '98224', null, 8.9],
    ['AK', 'Pelican', '99832', null, 4],
    ['AK', 'Chignik', '99564', null, 0],
  ])('of %s, %s, with ZIP %s (county: %s) is %d %%', (state, city, postal_code, county, percent) => {
    expect(possiblePercents({ state, city, postal_code, county })).toContain(percent);
  });

  it.each<[state: string, county: string, percent: number]>([
    ['CO', 'Garfield', 4.15],
    ['CO', 'Eagle', 4.9],
    ['CO', 'Pitkin', 7.15],
    ['CO', 'San Miguel', 4.97],
    ['CO', 'Rio Grande', 5.5],
  ])('of %s, %s County outside the cities is %d %%', (state, county, percent) => {
    expect(percentAt({ state, county })).toBe(percent);
  });

  it.each<[city: string, postal_code: string, day: string, percent: number, because: string]>([
    ['Westminster', '80031', '2025-12-31', 8.6, 'the city tax rose on 2026-01-01'],
    ['Cortez', '81321', '2025-12-31', 7.89, 'the city tax fell on 2026-01-01'],
    ['Commerce City', '80022', '2025-12-31', 9.25, 'the fire district began on 2026-01-01'],
    ['Glenwood Springs', '81601', '2025-12-31', 9.1, 'the early childhood district began on 2026-01-01'],
    ['Avon', '81620', '2025-06-30', 8.9, 'the fire district began on 2025-07-01'],
    ['Snowmass Village', '81615', '2025-12-31', 10.4, 'the early childhood district began on 2026-01-01'],
    ['Telluride', '81435', '2024-12-31', 8.65, 'the transportation authority levied 0.25 before 2025'],
    ['Pueblo West', '81007', '2022-12-31', 4.9, 'the metropolitan district levied 1.0 before 2023'],
  ])('of %s with ZIP %s on %s is %d %%: %s', (city, postal_code, day, percent) => {
    expect(percentAt({ state: 'CO', city, postal_code, county: null }, day)).toBe(percent);
  });
});

describe('the parts', () => {
  it.each([
    { to: { state: 'CO', city: 'Westminster', postal_code: '80031' }, part: 'Westminster', rate: '0.0425' },
    { to: { state: 'CO', city: 'Timnath', postal_code: '80547' }, part: 'Timnath', rate: '0.0425' },
    { to: { state: 'CO', city: 'Cortez', postal_code: '81321' }, part: 'Cortez', rate: '0.0385' },
    {
      to: { state: 'CO', city: 'Commerce City', postal_code: '80022' },
      part: 'South Adams County Fire Protection District',
      rate: '0.005',
    },
    { to: { state: 'CO', county: 'Eagle' }, part: 'Eagle County', rate: '0.01' },
    { to: { state: 'CO', county: 'Eagle' }, part: 'Mass Transit System (Eagle County)', rate: '0.005' },
    {
      to: { state: 'CO', city: 'Avon', postal_code: '81620' },
      part: 'Eagle River Fire Protection District',
      rate: '0.0079',
    },
    { to: { state: 'SD', city: 'Gary', postal_code: '57237' }, part: 'Gary', rate: '0.02' },
    { to: { state: 'TX', city: 'Stratford', postal_code: '79084' }, part: 'Stratford', rate: '0.015' },
  ])('of $to.city$to.county have $part at $rate', ({ to, part, rate }) => {
    const rows = answerTo(to, undefined, 'highest_rate').line_items[0]?.taxes ?? [];
    expect(rows.find(({ jurisdiction_name }) => jurisdiction_name === part)?.rate).toBe(rate);
  });

  it('are not counted twice: no row names a jurisdiction twice', () => {
    for (const county of ['Eagle', 'Pitkin']) {
      const names = (answerTo({ state: 'CO', county }).line_items[0]?.taxes ?? []).map((row) => row.jurisdiction_name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => name.includes('Transit')).length).toBeLessThanOrEqual(1);
    }
  });
});

describe('a tax that a city of Idaho collects itself', () => {
  it.each([
    ['Ponderay', '83852'],
    ['Ketchum', '83340'],
    ['Sandpoint', '83864'],
  ])('is in the combined rate, with a warning that remote sellers do not collect it: %s', (city, postal_code) => {
    const { warnings } = answerTo({ state: 'ID', city, postal_code }, undefined, 'highest_rate');
    expect(warnings.map(({ code, message }) => [code, message])).toContainEqual([
      'content_unconfirmed',
      expect.stringContaining('not collected by remote sellers as such'),
    ]);
  });
});
