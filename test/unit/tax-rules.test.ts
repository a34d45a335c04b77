import { describe, expect, it } from 'vitest';
import type { Effect, Release, Rule } from '../../shared/catalog/release.ts';
import type { Jurisdiction } from '../../shared/catalog/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { chooseRule, type Taxing } from '../../shared/tax/rule-choice.ts';
import {
  always,
  buildDocument,
  buildPlace,
  getLine,
  getProduct,
  getRelease,
  jurisdiction,
  placeAt,
  rule,
  taxLine,
} from '../support/builders.ts';

const taxable: Effect = { type: 'taxable' };
const exempt: Effect = { type: 'exempt' };
const undated = { from: null, to: null };
const clothing = ['CLOTHING.APPAREL'];
const food = ['FOOD.GROCERY'];

/** Returns the deciding rule, which must not depend on the order of the rules. */
const winner = (rules: readonly Rule[], ptc: string, taxing: Partial<Taxing> = {}, day = '2026-10-08') => {
  const among = (ordered: readonly Rule[]) =>
    chooseRule(getRelease({ rules: ordered }), { ...jurisdiction('US-XX'), ...taxing }, getProduct(ptc), day)?.id;
  expect(among(rules.toReversed())).toBe(among(rules));
  return among(rules);
};

describe('the deciding rule', () => {
  const any = (...codes: string[]) => ({ attributes: { any: codes, none: [] } });
  const all = (...codes: string[]) => ({ attributes: { any: [], all: codes, none: [] } });
  const newState = { levels: ['state'], from: '2026-01-01' } as const;
  const family = ['CLOTHING'];
  const [plain, fur, athletic] = ['', '._FUR', '._ATHLETIC'].map((attribute) => `CLOTHING.APPAREL${attribute}`);
  const athleticFur = 'CLOTHING.APPAREL._ATHLETIC._FUR';

  const [ofState, here] = [{ levels: ['state'] }, { jurisdictions: ['US-XX'] }] as const;
  const withoutFur = { attributes: { any: [], none: ['_FUR'] } };
  /** The product code, the winning rule or `null`, and the other rules. Rules apply to clothing by default. */
  it.each<[string, string | undefined, Partial<Rule> | null, ...Partial<Rule>[]]>([
    ['of the most specific code first', athletic, {}, { ptcs: family, ...any('_ATHLETIC'), ...newState }],
    ['of the most specific of several codes', plain, { ptcs: [...family, ...clothing], ...ofState }, {}],
    ['then of most attributes, before level and date', athletic, any('_ATHLETIC', '_FUR'), newState],
    [
      'of attributes of the product',
      athletic,
      { ...any('_ATHLETIC'), ...ofState },
      any('_ATHLETIC', '_FUR', '_PROTECTIVE'),
    ],
    ['of two required attributes before either', athleticFur, all('_ATHLETIC', '_FUR'), any('_FUR')],
    ['then of the jurisdiction', plain, here, newState],
    ['of more attributes before the jurisdiction', fur, any('_FUR'), here],
    ['then of the level, before the date', plain, ofState, { from: '2026-01-01' }],
    ['then of the latest first day', plain, { from: '2025-07-01' }, { from: '2020-01-01' }, undated],
    ['of the family of the code', plain, { ptcs: family }],
    ['of one of several attributes', fur, any('_FUR', '_ATHLETIC')],
    ['not of a prefix of the name', plain, null, { ptcs: ['CLOTHING.APP'] }],
    ['not one that excludes an attribute', athleticFur, null, withoutFur],
    ['not one whose attribute is missing', plain, null, any('_FUR')],
    ['not one with one of two attributes missing', fur, null, all('_ATHLETIC', '_FUR')],
    ['not of a different level', plain, null, { levels: ['county'] }],
    ['not of its jurisdiction at a different level', plain, null, { ...here, levels: ['county'] }],
  ])('selects a rule %s', (_, ptc = '', wins, ...others) => {
    const rules = others.map((other, index) => rule(`other-${index}`, clothing, taxable, other));
    if (wins) rules.push(rule('wins', clothing, exempt, wins));
    expect(winner(rules, ptc)).toBe(wins ? 'wins' : undefined);
  });

  const own = { source: 'own:ruling' };
  it.each<[string, string | undefined, Effect, Partial<Rule>]>([
    ['not by a rule of the content for general goods', undefined, taxable, {}],
    ['not by a rule for general goods of another kind', undefined, taxable, withoutFur],
    ['by a rule of the content that names the kind in `any`', 'one', taxable, any('_BULLION', '_COINS')],
    ['by a rule of the content that names the kind in `all`', 'one', taxable, all('_BULLION')],
    ['by a custom rule that names the kind in `all`', 'one', taxable, { ...all('_BULLION'), ...own }],
    ['by a custom rule for all products of the code', 'one', taxable, own],
    ['by a custom rule with a rate', 'one', { type: 'rate', rate: '0.02' }, own],
    ['by an exemption of all products of the code', 'one', exempt, {}],
  ])('taxes bullion %s', (_, id, effect, others) => {
    expect(winner([rule('one', ['GENERAL'], effect, others)], 'GENERAL._BULLION')).toBe(id);
    expect(winner([rule('one', ['GENERAL'], effect, others)], 'GENERAL')).toBe(
      others.attributes?.none.length === 0 ? undefined : 'one',
    );
  });

  const usual = rule('all', food, taxable, { from: '2024-01-01' });
  const summer = rule('summer', food, exempt, { from: '2020-01-01', season: { from: '06-01', to: '08-31' } });
  const august = rule('holiday', food, taxable, { from: '2026-08-07', to: '2026-08-09' });
  it.each<[readonly Rule[], string, string | undefined, string]>([
    [[usual, summer], '2026-05-31', 'all', 'the day is outside the season'],
    [[usual, summer], '2026-08-31', 'summer', 'its last day is inclusive'],
    [[august, summer], '2026-08-08', 'holiday', 'a holiday began in the season'],
    [[{ ...usual, jurisdictions: ['US-XX'] }, summer], '2026-07-01', 'all', 'it lists the jurisdiction'],
  ])('selects the rule $2 on $1: $3', (rules, day, wins) => {
    expect(winner(rules, 'FOOD.GROCERY', {}, day)).toBe(wins);
  });
});

describe('rules for specific places', () => {
  const zips = rule('zips', food, exempt, {
    zips: [
      ['10001', '10292'],
      ['11004', '11005'],
    ],
  });
  const kinds = rule('kinds', food, exempt, { kinds: ['CP', 'ECI'] });
  const counties = rule('counties', food, exempt, { counties: ['36005', '36061'] });

  it.each<[Rule, Partial<Taxing>, boolean]>([
    [zips, { zip5: '10000' }, false],
    [zips, { zip5: '10001' }, true],
    [zips, { zip5: '10292', type: 'city' }, true],
    [zips, { zip5: '10293' }, false],
    [zips, { zip5: '11005' }, true],
    [zips, { zip5: null }, false],
    [{ ...zips, jurisdictions: ['US-XX-1'] }, { zip5: '10001' }, false],
    [kinds, { kind: 'CP' }, true],
    [kinds, { kind: 'ECI' }, true],
    [kinds, { kind: 'LO' }, false],
    [kinds, { kind: 'C' }, false],
    [kinds, {}, false],
    [{ ...kinds, levels: ['city'] }, { kind: 'CP' }, false],
    [counties, { county: '36061' }, true],
    [counties, { county: '36005', code: 'US-NY-ANY', type: 'city' }, true],
    [counties, { county: '36029' }, false],
    [counties, { county: null }, false],
    [counties, {}, false],
  ])('matches $0.id to $1: $2, with precedence over a later rule for the level', (one, taxing, isBound) => {
    const level = rule('level', food, taxable, { levels: ['state', 'county', 'city'], from: '2026-01-01' });
    expect(winner([level, one], 'FOOD.GROCERY', { type: 'county', ...taxing })).toBe(isBound ? one.id : 'level');
  });

  it.each([
    [zips, { zip5: '10001' }],
    [kinds, { kind: 'CP' }],
    [counties, { county: '36061' }],
  ])('ranks $0.id with a rule with jurisdiction codes, and below a rule with an attribute', (one, taxing) => {
    const named = (from: string) => rule('named', food, taxable, { jurisdictions: ['US-XX'], from });
    expect(winner([one, named('2026-01-01')], 'FOOD.GROCERY', taxing)).toBe('named');
    expect(winner([named('1999-01-01'), one], 'FOOD.GROCERY', taxing)).toBe(one.id);
    const heated = rule('heated', food, taxable, { attributes: { any: ['_HEATED'], none: [] } });
    expect(winner([one, heated], 'FOOD.GROCERY._HEATED', taxing)).toBe('heated');
  });

  it('matches each jurisdiction by its kind, and by the county of the sale', () => {
    const rules = [rule('state', food, exempt, { levels: ['state'] }), rule('all', food, taxable)];
    const rowsAt = (place: Parameters<typeof getLine>[0]) =>
      taxLine(getLine(place, { ptc: 'FOOD.GROCERY' })).rows.map(({ tax, ruleId }) => `${ruleId} ${tax}`);
    const byKind = placeAt(['0.06', '0.01', '0.02'], { rules: [...rules, kinds] });
    const [state, local, capital] = byKind.jurisdictions as [Jurisdiction, Jurisdiction, Jurisdiction];
    const jurisdictions = [state, { ...local, kind: 'LO' }, { ...capital, kind: 'CP' }];
    expect(rowsAt({ ...byKind, jurisdictions })).toEqual(['state 0', 'all 100', 'kinds 0']);
    const byCounty = placeAt(['0.06', '0.01'], { rules: [rule('all', food, taxable), counties] });
    const sourcedIn = (...codes: string[]) =>
      codes.map((county) => ({ at: 'destination', zip5: null, county }) as const);
    expect(rowsAt({ ...byCounty, sourcing: sourcedIn('06075', '36005') })).toEqual(['all 600', 'counties 0']);
    expect(rowsAt({ ...byCounty, sourcing: sourcedIn('36005', '06075') })).toEqual(['counties 0', 'all 100']);
  });
});

describe('days without an established general rate', () => {
  const dated = { from: '2025-09-01', to: null };
  /** A state whose rate is not established, and a county. */
  const releaseWith = (rules: readonly Rule[], isLocalKnown = true): Release => {
    const release = placeAt(['0.04', '0.01'], { rules }).release as Release;
    const rates = release.rates.map((one, index) => (index === 1 && isLocalKnown ? one : { ...one, from: null }));
    return { ...release, rates };
  };
  const on = (day: string, rules: readonly Rule[], { isLocalKnown = true, isLocal = false } = {}) => {
    const release = releaseWith(rules, isLocalKnown);
    const place = buildPlace(release, isLocal ? release.jurisdictions : [release.jurisdictions[0]]);
    return taxLine(getLine(place, { ptc: 'FOOD.GROCERY' }), { day }).rows.map(
      ({ jurisdiction: { code }, rate, reason, tax }) => `${code} ${rate} ${reason} ${tax}`,
    );
  };
  const unanswered = ['US-XX 0 not_supported 0'];

  it.each<{ effect: Effect; row: string | null }>([
    { effect: { type: 'rate', rate: '0.02' }, row: '0.02 reduced_rated 200' },
    { effect: { type: 'rate', rate: '0.05' }, row: '0.05 standard_rated 500' },
    { effect: { type: 'rate', rate: '0' }, row: '0 zero_rated 0' },
    { effect: { type: 'tax_cap', rate: '0.03', amount: '1' }, row: '0.03 reduced_rated 100' },
    { effect: exempt, row: '0 product_exempt 0' },
    { effect: taxable, row: null },
    { effect: { type: 'base_percent', percent: '0.5' }, row: null },
    { effect: { type: 'threshold_excess', amount: '50' }, row: null },
    { effect: { type: 'threshold_rate', amount: '50', rate: '0.05' }, row: null },
    { effect: { type: 'holiday', amount: '50', inclusive: false }, row: null },
  ])(
    'covers the day only with an effect that needs no general rate, from its first day: $effect.type, $row',
    ({ effect, row }) => {
      const rules = [rule('food', food, effect, dated)];
      expect(on('2025-09-01', rules)).toEqual(row === null ? unanswered : [`US-XX ${row}`]);
      expect(on('2025-08-31', rules)).toEqual(unanswered);
      expect(on('2025-09-01', [rule('food', food, effect, undated)])).toEqual(unanswered);
    },
  );

  it('covers the day only if each jurisdiction has a rate, or a rule that determines the tax', () => {
    const own = rule('food', food, { type: 'rate', rate: '0.02' }, { ...dated, levels: ['state'] });
    const local = rule('local', food, exempt, { ...dated, levels: ['county'] });
    const both = { isLocal: true, isLocalKnown: true };
    const neither = { isLocal: true, isLocalKnown: false };
    const ofState = 'US-XX 0.02 reduced_rated 200';
    expect(on('2025-09-01', [own], both)).toEqual([ofState, 'US-XX-1 0.01 standard_rated 100']);
    expect(on('2025-09-01', [own], neither)).toEqual(unanswered);
    expect(on('2025-09-01', [{ ...own, from: null }], both)).toEqual(unanswered);
    expect(on('2025-09-01', [own, local], neither)).toEqual([ofState, 'US-XX-1 0 product_exempt 0']);
  });

  it('reports shipping as not covered if the goods are not covered, even if shipping is exempt', () => {
    const rules = [rule('shipping', ['SHIPPING'], exempt, { ...dated, levels: ['state'] })];
    const place = buildPlace(releaseWith(rules));
    const shipping = { amount: 1000n, product: getProduct('SHIPPING.DELIVERY') };
    const taxed = calculateTax(buildDocument([getLine(place)], { day: '2025-09-01', shipping }));
    expect(taxed.lines[0]?.tax).toBe(0n);
    const rows = taxed.lines[1]?.rows.map(({ reason, tax }) => `${reason} ${tax}`);
    expect(rows).toEqual(['product_exempt 0', 'not_supported 0']);
  });
});

describe('the tax day', () => {
  const dated = placeAt([], {
    rates: [
      { ...always, jurisdiction: 'US-XX', from: '2018-10-01', to: '2026-09-30', rate: '0.06' },
      { ...always, jurisdiction: 'US-XX', from: '2026-10-01', rate: '0.07' },
    ],
  });
  const goods = rule('goods', ['GENERAL'], taxable);
  const undatedRate = placeAt([], {
    rates: [{ ...always, ...undated, jurisdiction: 'US-XX', rate: '0.06' }],
    rules: [goods],
  });
  const undatedRule = placeAt([], { rules: [rule('groceries', food, exempt, undated), goods] });
  const undatedExemption = placeAt([], { rules: [rule('all', ['GENERAL'], exempt, undated)] });
  const summer = rule('summer', food, exempt, { ...undated, season: { from: '06-01', to: '08-31' } });
  const undatedSeason = placeAt([], { rules: [summer, rule('all', ['FOOD'], taxable)] });
  const over = placeAt([], { rules: [rule('over', ['GENERAL'], exempt, { from: null, to: '2019-12-31' }), goods] });
  const ended = placeAt([], { established_to: '2026-12-31' });

  it.each([
    [dated, 'GENERAL', '2018-09-30', '0 not_supported', 'the first rate has not begun'],
    [dated, 'GENERAL', '2018-10-01', '0.06 standard_rated', 'a first day is inclusive'],
    [dated, 'GENERAL', '2026-09-30', '0.06 standard_rated', 'a last day is inclusive'],
    [dated, 'GENERAL', '2026-10-01', '0.07 standard_rated', 'the next rate begins'],
    [dated, 'GENERAL', '2030-01-01', '0.07 standard_rated', 'a rate without a last day continues'],
    [undatedRate, 'GENERAL', '2025-12-31', '0 not_supported', 'the first day of the rate is not established'],
    [undatedRate, 'GENERAL', '2026-01-01', '0.06 standard_rated', 'the release applies from here'],
    [undatedRule, 'FOOD.GROCERY', '2025-12-31', '0.06 not_supported', 'the rule was possibly not in force'],
    [undatedRule, 'FOOD.GROCERY', '2026-01-01', '0.06 product_exempt', 'the rule applies from here'],
    [undatedRule, 'GENERAL', '2025-12-31', '0.06 standard_rated', 'the rule does not include the product'],
    [undatedExemption, 'GENERAL', '2025-12-31', '0.06 not_supported', 'all goods were possibly taxed'],
    [undatedSeason, 'FOOD.GROCERY', '2025-07-01', '0.06 not_supported', 'the rule was possibly in force in the season'],
    [undatedSeason, 'FOOD.GROCERY', '2025-12-01', '0.06 standard_rated', 'the rule does not apply outside the season'],
    [undatedSeason, 'FOOD.GROCERY', '2026-07-01', '0.06 product_exempt', 'it applies from here'],
    [over, 'GENERAL', '2020-01-01', '0.06 standard_rated', 'an expired rule leaves no day uncertain'],
    [ended, 'GENERAL', '2026-12-31', '0.06 standard_rated', 'the last day of a release is inclusive'],
    [ended, 'GENERAL', '2027-01-01', '0 not_supported', 'the release covers no later day'],
  ])('resolves $1 on $2 to $3: $4', (place, ptc, day, row) => {
    const { rows, treatments } = taxLine(getLine(place, { ptc }), { day });
    expect(rows.map(({ rate, reason }) => `${rate} ${reason}`)).toEqual([row]);
    const codes = treatments.flatMap(({ uncertainties }) => uncertainties.map(({ code }) => code));
    expect(codes.includes('not_covered')).toBe(row.endsWith('not_supported'));
  });

  it('reports the whole place as not covered if a local rate is not established', () => {
    const { release } = placeAt(['0.06', '0.01']);
    const rates = release?.rates.map((one, index) => (index === 1 ? { ...one, from: null } : one)) ?? [];
    const line = taxLine(getLine(placeAt(['0.06', '0.01'], { rates })), { day: '2025-12-31' });
    expect(line).toMatchObject({ tax: 0n, taxable: 0n, exempt: 10_000n, rows: [{ reason: 'not_supported' }] });
  });
});

describe('the uncertainties of a rule', () => {
  const listUncertainties = (rules: readonly Rule[], ptc = 'GENERAL') =>
    taxLine(getLine(placeAt([], { rules }), { ptc })).treatments.flatMap(({ uncertainties }) => uncertainties);
  const drugs = [
    rule('others', ['HEALTH.DRUGS'], taxable),
    rule('prescribed', ['HEALTH.DRUGS'], exempt, { attributes: { any: ['_PRESCRIPTION'], none: [] } }),
  ];

  const one = (effect: Effect, others: Partial<Rule> = {}) => [rule('a', ['GENERAL'], effect, others)];
  const question: Effect = { type: 'not_established', reason: 'A list.' };
  const assumed = { assumption: 'Assumed: no certificate.' };
  const prescribed = /is taxable.*With _PRESCRIPTION, it is exempt/;
  it.each<[string, Rule[], string, string | null, RegExp]>([
    ['another tax', one({ type: 'other_tax', name: 'excise, 5 %' }), 'GENERAL', 'other_tax_applies', /excise, 5 %/],
    ['an open question', one(question), 'GENERAL', 'taxability_not_established', /A list\./],
    ['an assumption', one(taxable, assumed), 'GENERAL', 'taxability_assumed', /Assumed: no certificate\./],
    ['a missing attribute', drugs, 'HEALTH.DRUGS', 'taxability_assumed', prescribed],
    ['no missing attribute', drugs, 'HEALTH.DRUGS._PRESCRIPTION', null, /^$/],
    ['a different attribute of the group', drugs, 'HEALTH.DRUGS._OVER_THE_COUNTER', null, /^$/],
    ['no rule', [], 'GENERAL', 'taxability_not_established', /no rule for GENERAL/],
  ])('includes %s', (_, rules, ptc, code, message) => {
    expect(listUncertainties(rules, ptc)).toEqual(
      code === null ? [] : [{ code, message: expect.stringMatching(message) }],
    );
  });
});

it.each([
  ['no jurisdiction is known', buildPlace(getRelease(), []), 'not_supported'],
  ['the state has no tax', placeAt(['0']), 'not_subject_to_tax'],
])('returns a row with the reason in a place where nothing is taxed: %s', (_, place, reason) => {
  expect(taxLine(getLine(place)).rows).toMatchObject([{ tax: 0n, exempt: 10_000n, reason }]);
});
