import { describe, expect, it } from 'vitest';
import type { Effect, Rule } from '../../shared/catalog/release.ts';
import { chooseRule, type Taxing } from '../../shared/tax/rule-choice.ts';
import { jurisdiction, lineOf, placeOf, productOf, releaseOf, rule, taxLine } from '../support/builders.ts';

const exempt: Effect = { type: 'exempt' };
const taxable: Effect = { type: 'taxable' };
const food = ['FOOD.GROCERY'];

const winner = (rules: readonly Rule[], taxing: Partial<Taxing>, day = '2026-10-08') =>
  chooseRule(
    releaseOf({ rules }),
    { ...jurisdiction('US-SC-00-051', 'county'), ...taxing },
    productOf('FOOD.GROCERY'),
    day,
  )?.id;

describe('a rule for kinds of taxes', () => {
  const byKind = rule('kinds', food, exempt, { kinds: ['CP', 'ECI'] });

  it.each([
    { taxing: { kind: 'CP' }, wins: 'kinds' },
    { taxing: { kind: 'ECI' }, wins: 'kinds' },
    { taxing: { kind: 'LO' }, wins: 'all' },
    { taxing: { kind: 'C' }, wins: 'all' },
    { taxing: {}, wins: 'all' },
  ])('binds $taxing: $wins', ({ taxing, wins }) => {
    expect(winner([rule('all', food, taxable), byKind], taxing)).toBe(wins);
  });

  it('comes before a later rule for the level, and after one with more attributes', () => {
    const level = rule('level', food, taxable, { levels: ['county'], from: '2026-01-01' });
    expect(winner([level, byKind], { kind: 'CP' })).toBe('kinds');
    const heated = rule('heated', food, taxable, { attributes: { any: ['_HEATED'], none: [] } });
    expect(
      chooseRule(
        releaseOf({ rules: [byKind, heated] }),
        { ...jurisdiction('X', 'county'), kind: 'CP' },
        productOf('FOOD.GROCERY._HEATED'),
        '2026-10-08',
      )?.id,
    ).toBe('heated');
  });

  it('binds only its levels', () => {
    expect(winner([rule('city', food, exempt, { kinds: ['CP'], levels: ['city'] })], { kind: 'CP' })).toBeUndefined();
  });

  it('taxes the jurisdictions of one county apart', () => {
    const of = [
      { code: 'US-SC', type: 'state', rate: '0.06' },
      { code: 'US-SC-00-051-LO', type: 'county', rate: '0.01' },
      { code: 'US-SC-00-051-CP', type: 'county', rate: '0.02' },
    ] as const;
    const [state, local, capital] = releaseOf({ of }).jurisdictions;
    if (!state || !local || !capital) throw new Error('three jurisdictions were made');
    const release = {
      ...releaseOf({
        of,
        rules: [rule('state', food, exempt, { levels: ['state'] }), rule('all', food, taxable), byKind],
      }),
      jurisdictions: [state, { ...local, kind: 'LO' }, { ...capital, kind: 'CP' }] as const,
    };
    const { rows, tax } = taxLine(lineOf(placeOf(release), { ptc: 'FOOD.GROCERY' }));
    expect(rows.map(({ jurisdiction: { code }, tax: own, ruleId }) => [code, own, ruleId])).toEqual([
      ['US-SC', 0n, 'state'],
      ['US-SC-00-051-LO', 100n, 'all'],
      ['US-SC-00-051-CP', 0n, 'kinds'],
    ]);
    expect(tax).toBe(100n);
  });
});

describe('a rule for counties', () => {
  const byCounty = rule('counties', food, exempt, { counties: ['36005', '36061'] });

  it.each([
    { taxing: { county: '36061' }, wins: 'counties' },
    { taxing: { county: '36005', code: 'US-NY-ANY', type: 'city' }, wins: 'counties' },
    { taxing: { county: '36029' }, wins: 'all' },
    { taxing: { county: null }, wins: 'all' },
    { taxing: {}, wins: 'all' },
  ] as const)('binds $taxing: $wins', ({ taxing, wins }) => {
    expect(winner([rule('all', food, taxable), byCounty], taxing)).toBe(wins);
  });

  it('is as specific as one that names a jurisdiction: the later one wins', () => {
    const named = rule('named', food, taxable, { jurisdictions: ['US-SC-00-051'], from: '2020-01-01' });
    expect(winner([named, byCounty], { county: '36061' })).toBe('named');
    expect(winner([named, { ...byCounty, from: '2021-01-01' }], { county: '36061' })).toBe('counties');
  });

  it('counts for each jurisdiction where the sale is sourced', () => {
    const release = releaseOf({
      of: [
        { code: 'US-CA', type: 'state', rate: '0.06' },
        { code: 'US-CA-1', type: 'district', rate: '0.01' },
      ],
      rules: [rule('all', food, taxable), rule('there', food, exempt, { counties: ['06037'] })],
    });
    const place = { ...placeOf(release), counties: ['06075', '06037'] };
    expect(taxLine(lineOf(place, { ptc: 'FOOD.GROCERY' })).rows).toMatchObject([
      { tax: 600n, ruleId: 'all' },
      { tax: 0n, ruleId: 'there' },
    ]);
    const reversed = { ...place, counties: place.counties.toReversed() };
    expect(taxLine(lineOf(reversed, { ptc: 'FOOD.GROCERY' })).rows).toMatchObject([{ tax: 0n }, { tax: 100n }]);
  });
});

describe('a rule with a season', () => {
  const all = rule('all', food, taxable, { from: '2024-01-01' });
  const summer = rule('summer', food, exempt, { from: '2020-01-01', season: { from: '06-01', to: '08-31' } });

  it.each([
    { day: '2026-05-31', wins: 'all' },
    { day: '2026-06-01', wins: 'summer' },
    { day: '2026-08-31', wins: 'summer' },
    { day: '2026-09-01', wins: 'all' },
  ])('competes on $day as a rule of that season: $wins', ({ day, wins }) => {
    expect(winner([all, summer], {}, day)).toBe(wins);
    expect(winner([summer, all], {}, day)).toBe(wins);
  });

  it('does not come before a rule that names the jurisdiction, or a holiday that began in the season', () => {
    const named = rule('named', food, taxable, { jurisdictions: ['US-SC-00-051'] });
    expect(winner([named, summer], {}, '2026-07-01')).toBe('named');
    const holiday = rule('holiday', food, taxable, { from: '2026-08-07', to: '2026-08-09' });
    expect(winner([holiday, summer], {}, '2026-08-08')).toBe('holiday');
  });

  const undated = { from: null, to: null };
  it.each([
    { day: '2025-07-01', reason: 'not_supported', because: 'in the season it may have held' },
    { day: '2025-12-01', reason: 'standard_rated', because: 'out of it the rule does not exist' },
    { day: '2026-07-01', reason: 'product_exempt', because: 'it counts from the day that is established' },
  ])('a season without an established first day is $reason on $day: $because', ({ day, reason }) => {
    const rules = [{ ...summer, ...undated }, rule('all', ['FOOD'], taxable)];
    const line = lineOf(placeOf(releaseOf({ rules })), { ptc: 'FOOD.GROCERY' });
    expect(taxLine(line, { day }).rows).toMatchObject([{ reason }]);
  });
});
