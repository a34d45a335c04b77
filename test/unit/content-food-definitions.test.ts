/**
 * Sweets with flour, sweets that must be kept cold, and drinks with milk or mostly of juice are food in the states with the
 * definitions of the Streamlined agreement: each tax of their tables falls on them as on groceries.
 */
import { expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { offsetsOf, readTax } from '../../shared/catalog/local/packed-table.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { packRates } from '../../shared/cli/pack/pack-tables.ts';
import { chooseRule, type Taxing } from '../../shared/tax/rule-choice.ts';
import { productOf } from '../support/builders.ts';

/**
 * The state, and the taxes of its tables in every county that a rule names: one of each type and kind, and each that a rule
 * names by its code. Rules tell no others apart.
 */
const taxesIn = ({ jurisdictions: [state], local, rules }: Release): Taxing[] => {
  const counties = [null, ...new Set(rules.flatMap((rule) => rule.counties ?? []))];
  const named = new Set(rules.flatMap((rule) => rule.jurisdictions ?? []));
  const { taxes = '' } = local ? packRates(local.rates) : {};
  const all = taxes === '' ? [] : offsetsOf(taxes.split('\n')).map((offset) => readTax(taxes, offset));
  const distinct = new Map(all.map((tax) => [named.has(tax.code) ? tax.code : `${tax.type} ${tax.kind}`, tax]));
  const ofPlaces = [...distinct.values()].map(({ kind, rate: _, ...tax }) => ({ ...tax, ...(kind ? { kind } : {}) }));
  return [
    state,
    ...ofPlaces.flatMap((tax) => counties.map((county) => ({ ...tax, tax_type: 'sales' as const, county }))),
  ];
};

const candy = ['FOOD.CANDY._CONTAINS_FLOUR', 'FOOD.CANDY._REFRIGERATED'];
const drinks = [
  'BEVERAGES.SOFT_DRINKS._CONTAINS_MILK',
  'BEVERAGES.SOFT_DRINKS._JUICE_51_TO_69',
  'BEVERAGES.SOFT_DRINKS._JUICE_70_PLUS',
];

it.each([
  ...'AR CO IL IN IA KY MN NJ NC ND RI WI'.split(' ').map((state) => [state, [...candy, ...drinks]] as const),
  ['TN', candy] as const,
  ...'OH VT WA WV'.split(' ').map((state) => [state, drinks] as const),
])('%s: each tax falls on %j as on groceries', (state, foods) => {
  const release = builtInRelease(state) as Release;
  const taxes = taxesIn(release);
  const days = ['2026-03-01', '2026-09-15', '2026-11-20', '2027-01-15'];
  for (const day of days)
    for (const tax of taxes) {
      const effectOn = (code: string) => chooseRule(release, tax, productOf(code), day)?.effect;
      for (const food of foods)
        expect(effectOn(food), `${tax.code} ${tax.county ?? ''} ${food} ${day}`).toEqual(effectOn('FOOD.GROCERY'));
    }
});
