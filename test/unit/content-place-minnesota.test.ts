import { describe, expect, it } from 'vitest';
import type { Release } from '../../shared/content/release.ts';
import { ask, locationOf, releaseOf } from '../support/builders.ts';

/** Minnesota, as its rate and boundary files have it: expired rows, current ones, ZIP+4 rows that span ZIPs. */

const base = releaseOf({
  of: [
    { code: 'US-MN', type: 'state', rate: '0.06875' },
    { code: 'HENNEPIN', type: 'county', rate: '0.0015' },
    { code: 'MINNEAPOLIS', type: 'city', rate: '0.005' },
    { code: 'D80004', type: 'district', rate: '0.005' },
    { code: 'D80008', type: 'district', rate: '0.0075' },
    { code: 'D80009', type: 'district', rate: '0.0025' },
    { code: 'SAINT-PAUL', type: 'city', rate: '0.015' },
    { code: 'D80003', type: 'district', rate: '0.005' },
    { code: 'WASHINGTON', type: 'county', rate: '0.0025' },
  ],
  name: 'Minnesota',
  coverage: 'partial',
  locals: 'listed',
  established_from: '2009-07-01',
});
const metro = ['D80008', 'D80009'];
const minneapolis = ['HENNEPIN', 'MINNEAPOLIS', 'D80004'];
const saintPaul = ['SAINT-PAUL', 'D80003', ...metro];

const expired = [
  locationOf({
    zips: [['554010000', '554059999']],
    alternatives: [minneapolis],
    from: '2017-10-01',
    to: '2019-03-31',
  }),
];
const today = [
  locationOf({ zips: [['554010000', '554159999']], alternatives: [[...minneapolis, ...metro]], from: '2023-10-01' }),
  locationOf({ zips: [['551010000', '551179999']], alternatives: [saintPaul], from: '2024-04-01' }),
  locationOf({ zips: [['551180001', '551181999']], alternatives: [saintPaul], from: '2024-04-01' }),
  locationOf({ zips: [['551182000', '551199999']], alternatives: [metro], from: '2024-04-01' }),
  locationOf({ zips: [['550010000', '550039999']], alternatives: [['WASHINGTON', ...metro]], from: '2024-04-01' }),
];
const rates = [
  ...base.rates.filter(({ jurisdiction }) => jurisdiction !== 'SAINT-PAUL'),
  { ...base.rates[6], jurisdiction: 'SAINT-PAUL', rate: '0.005', to: '2024-03-31' },
  { ...base.rates[6], jurisdiction: 'SAINT-PAUL', rate: '0.015', from: '2024-04-01' },
] as Release['rates'];

const answer = (zip: string, day: string, locations: Release['locations']) => {
  const release = { ...base, rates, locations };
  const to = { state: 'MN', postal_code: zip };
  const { tax_amount, line_items } = ask(
    { to, tax_date: day, line_items: [{ unit_price: '10000.00' }] },
    { releaseFor: () => release },
  );
  const { ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
  return `${tax_amount}${ambiguous ? ', ambiguous' : ''}, ${coverage}`;
};

describe('Minnesota on 10,000.00', () => {
  it.each([
    ['55401', '2019-01-15', '802.50, complete', '6.875 + 0.15 + 0.5 + 0.5'],
    ['55401', '2019-03-31', '802.50, complete', 'the last day of the rows'],
    ['55401', '2019-04-01', '0.00, none', 'after it nothing is known, and 6.875 alone would be too little'],
    ['55406', '2019-01-15', '0.00, none', 'no row names the ZIP'],
  ])('from the old rows alone: %s on %s is %s, %s', (zip, day, expected) =>
    expect(answer(zip, day, expired)).toBe(expected),
  );

  it.each([
    ['55401', '2026-09-15', '902.50, complete', 'Minneapolis'],
    ['55415-1234', '2026-09-15', '902.50, complete', 'Minneapolis'],
    ['55101', '2026-09-15', '987.50, complete', 'Saint Paul'],
    ['55101-0001', '2024-03-31', '0.00, none', 'before the first day of its rows'],
    ['55118-1999', '2026-09-15', '987.50, complete', 'the last ZIP+4 in the city'],
    ['55118-2000', '2026-09-15', '787.50, complete', 'the first one beyond it'],
    ['55118', '2026-09-15', '787.50, ambiguous, partial', 'which of both is not said, nor what 0000 is'],
    ['55118-0000', '2026-09-15', '0.00, none', 'in no row'],
    ['55119', '2026-09-15', '787.50, complete', 'a row of ZIP+4 that holds all of the next ZIP'],
    ['55401', '2019-01-15', '802.50, complete', 'the old row on its day, among newer ones'],
  ])('from all rows: %s on %s is %s: %s', (zip, day, expected) =>
    expect(answer(zip, day, [...today, ...expired])).toBe(expected),
  );
});
