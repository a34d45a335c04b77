import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead } from '../../shared/catalog/content.ts';
import { ReleaseNotFound } from '../../shared/catalog/loading/content-errors.ts';
import type { Effect, Release, Rule } from '../../shared/catalog/release.ts';
import attribution from '../../shared/coverage/attribution.json' with { type: 'json' };
import { coverageOfAll, stateCoverage, subjects } from '../../shared/coverage/coverage.ts';
import { coveragePage } from '../../shared/coverage/page.ts';
import { activeReleases } from '../../shared/coverage/releases.ts';
import { Coverage } from '../../shared/coverage/response.ts';
import { ask, getRelease, rule } from '../support/builders.ts';
import { buildHead } from '../support/local-content.ts';

const day = '2026-11-21';
const all = coverageOfAll(builtInReleases(), day);
const getState = (letters: string) => {
  const found = all.find(({ state }) => state === letters);
  if (!found) throw new Error(`There is no ${letters}.`);
  return found;
};

const clothing = 'CLOTHING.APPAREL';
const withRules = (rules: readonly Rule[], others: Partial<Release> = {}) => ({ ...getRelease({ rules }), ...others });
const clothingIn = (release: Release) => stateCoverage(release, day).clothing;

describe('the built-in coverage', () => {
  it('lists the states, DC, Puerto Rico and three military mail codes in order, and matches the response schema', () => {
    expect(all).toHaveLength(55);
    expect(all.map(({ state }) => state)).toEqual(all.map(({ state }) => state).toSorted());
    expect(Coverage.safeParse({ object: 'coverage', tax_date: day, states: all, attribution }).error).toBeUndefined();
  });

  // Typed from the content study, not from the releases.
  it('agrees with the content study on states with a single rate, without the tax, and with local taxes', () => {
    const getLocal = (state: string) => {
      const { local_rates, local } = getState(state);
      return `${state} ${local_rates} ${local.basis}`;
    };
    const states = (text: string) => text.split(' ');
    for (const state of states('CT DC IN KY ME MD MA MI NJ RI DE NH OR AA AE AP'))
      expect(getLocal(state)).toBe(`${state} complete not_levied`);
    for (const state of states('AL AZ IL MO NM TX')) expect(getLocal(state)).toBe(`${state} partial by_place`);
    for (const state of states('AK CA CO FL GA LA MN MT NY OH WA'))
      expect(getLocal(state)).toBe(`${state} complete by_place`);
    expect(getState('MT')).toMatchObject({ general_rate: { rate: '0' }, clothing: { treatment: 'by_level' } });
    for (const state of ['DE', 'NH', 'OR', 'AA', 'AE', 'AP'])
      expect([getState(state).clothing.treatment, getState(state).general_rate?.rate]).toEqual([
        'not_subject_to_tax',
        '0',
      ]);
    expect(getState('MI')).toMatchObject({ general_rate: { rate: '0.06' }, clothing: { treatment: 'taxable' } });
    expect(getState('MI').shipping.treatment).toBe('exempt_unless_included');
    expect(getState('MA').clothing).toMatchObject({ treatment: 'threshold', text: expect.stringContaining('175') });
    expect(getState('NY').clothing).toMatchObject({ treatment: 'by_level', text: expect.stringContaining('110') });
    expect(getState('NJ')).toMatchObject({ clothing: { treatment: 'exempt' }, groceries: { treatment: 'exempt' } });
    expect(getState('ID').groceries).toMatchObject({
      treatment: 'by_level',
      text: expect.stringMatching(/state.*: taxable/),
    });
    expect(getState('UT').groceries).toMatchObject({ treatment: 'by_level', text: expect.stringContaining('0.03') });
    expect(getState('HI').shipping.treatment).toBe('taxable');
    expect(getState('AK').clothing).toMatchObject({
      treatment: 'by_level',
      text: expect.stringContaining('no general tax'),
    });
  });

  it('notes exactly what is missing and what no primary source confirms', () => {
    for (const covered of all) {
      const kinds = [...Object.keys(subjects), 'shipping'] as (keyof typeof subjects | 'shipping')[];
      const missing = kinds.filter((kind) => covered[kind].treatment === 'not_established');
      const note = covered.notes.find((text) => text.startsWith('Not established: ')) ?? '';
      expect(note).toBe(missing.length > 0 ? `Not established: ${missing.join(', ').replaceAll('_', ' ')}.` : '');
      const isMissing = covered.notes.some((text) => /local rates? .*(missing|not established)/i.test(text));
      expect([covered.state, isMissing]).toEqual([covered.state, covered.local_rates !== 'complete']);
    }
  });

  // The tax core is the oracle: coverage must match the tax of a sale.
  it.each(Object.entries(subjects))('agrees with a calculation on %s', (kind, codes) => {
    for (const { state, [kind as keyof typeof subjects]: said } of all) {
      const outcome = ask({
        to: { state },
        tax_date: day,
        line_items: [{ product_tax_code: codes[0] as string, unit_price: '10.00' }],
      });
      const [row] = outcome.line_items[0]?.taxes ?? [];
      const isUncertain = outcome.warnings.some(({ code }) => code === 'taxability_not_established');
      const expected: Partial<Record<typeof said.treatment, readonly (string | undefined)[]>> = {
        taxable: ['standard_rated'],
        exempt: ['product_exempt', 'product_exempt_holiday'],
        reduced_rate: ['reduced_rated', 'zero_rated'],
        higher_rate: ['standard_rated'],
        not_subject_to_tax: ['not_subject_to_tax'],
      };
      const reasons = expected[said.treatment];
      if (reasons) expect([state, reasons]).toEqual([state, expect.arrayContaining([row?.taxability_reason])]);
      if (said.treatment === 'not_established')
        expect([state, isUncertain || row?.rate === '0']).toEqual([state, true]);
      if (isUncertain) expect([state, said.text]).toEqual([state, expect.stringMatching(/not established/i)]);
      if (row?.rule_id && !isUncertain)
        expect([state, said.rule_ids]).toEqual([state, expect.arrayContaining([row.rule_id])]);
    }
  });
});

describe('coverage of a release', () => {
  const byUse = { type: 'use_split', business: { type: 'exempt' }, personal: { type: 'taxable' } } as const;
  it.each<[Effect, string, readonly string[]]>([
    [{ type: 'taxable' }, 'taxable', []],
    [{ type: 'exempt' }, 'exempt', []],
    [{ type: 'rate', rate: '0.02' }, 'reduced_rate', ['0.02']],
    [{ type: 'rate', rate: '0.08' }, 'higher_rate', ['0.08']],
    [{ type: 'threshold_cliff', amount: '110', inclusive: false }, 'threshold', ['110']],
    [{ type: 'threshold_excess', amount: '175' }, 'threshold', ['175']],
    [{ type: 'threshold_rate', amount: '1000', rate: '0.0775' }, 'threshold', ['1000', '0.0775']],
    [{ type: 'base_cap', amount: '5000' }, 'capped', ['5000']],
    [{ type: 'base_cap', amount: '500', per: 'line' }, 'capped', ['500']],
    [{ type: 'tiered_rate', amount: '14338', rate: '0.02' }, 'threshold', ['14338', '0.02']],
    [{ type: 'band', above: '1600', to: '3200', rate: '0.0275' }, 'capped', ['0.0275', '1600', '3200']],
    [{ type: 'tax_cap', rate: '0.05', amount: '500' }, 'capped', ['0.05', '500']],
    [{ type: 'base_percent', percent: '0.8' }, 'part_of_price', ['0.8']],
    [byUse, 'by_use', []],
  ])('reports %o as %s, with its amounts', (effect, treatment, figures) => {
    const { text, ...covered } = clothingIn(withRules([rule('r', [clothing], effect)]));
    expect(covered).toMatchObject({ treatment, rule_ids: ['r'] });
    expect(text.match(/\d+(\.\d+)?/g) ?? []).toEqual(figures);
  });

  it.each([
    [{}, 'Taxed on the first 500 of each unit.'],
    [{ per: 'line' } as const, 'Taxed on the first 500 of each line.'],
  ])('reports whether a cap applies per unit or per line: %o', (per, text) => {
    const cap: Effect = { type: 'base_cap', amount: '500', ...per };
    expect(clothingIn(withRules([rule('r', [clothing], cap)])).text).toBe(text);
  });

  it('reports the shipping policy for levels without a shipping rule', () => {
    const rules = [rule('city-freight', ['SHIPPING'], { type: 'taxable' }, { levels: ['city'] })];
    const covered = stateCoverage(withRules(rules, { coverage: 'partial' }), day).shipping;
    expect(covered).toMatchObject({ treatment: 'by_level', rule_ids: ['xx-shipping', 'city-freight'] });
    expect(covered.text).toMatch(/^By the state, a county or a district: taxed like the goods .* By a city: taxable\./);
    const following = [rule('band-freight', ['SHIPPING'], { type: 'follows_goods' }, { levels: ['city'] })];
    expect(stateCoverage(withRules(following, { coverage: 'partial' }), day).shipping.treatment).toBe('follows_goods');
  });

  it('separates levels with different rules, and cities with a separate rule', () => {
    const rules = [
      rule('state', [clothing], { type: 'exempt' }, { levels: ['state'] }),
      rule('local', [clothing], { type: 'taxable' }, { levels: ['county', 'city', 'district'] }),
      rule('city', [clothing], { type: 'exempt' }, { levels: ['city'], jurisdictions: ['US-XX-CITY'] }),
    ];
    const of = [
      { code: 'US-XX', type: 'state', rate: '0.06' },
      { code: 'US-XX-CITY', type: 'city', rate: '0.01' },
    ] as const;
    expect(clothingIn(getRelease({ rules, of }))).toMatchObject({
      treatment: 'by_level',
      text: 'By the state or Name of US-XX-CITY: exempt. By a county, a city or a district: taxable.',
      rule_ids: ['state', 'local'],
    });
    // Without local taxes, local levels are omitted.
    expect(clothingIn(withRules(rules)).text).toBe('Exempt.');
  });

  it('lists the attributes that change the treatment', () => {
    const rules = [
      rule('r', ['CLOTHING'], { type: 'exempt' }),
      rule('fur', [clothing], { type: 'taxable' }, { attributes: { any: ['_FUR', '_ENERGY_STAR'], none: [] } }),
    ];
    // Apparel codes do not accept _ENERGY_STAR.
    expect(clothingIn(withRules(rules)).text).toBe('Exempt. With _FUR: Taxable.');
  });

  it('returns the lowest confidence of the deciding values, with a note', () => {
    const rules = [
      rule('r', [clothing], { type: 'exempt' }, { levels: ['state'], confidence: 'high' }),
      rule('l', [clothing], { type: 'taxable' }, { levels: ['city', 'county', 'district'], confidence: 'low' }),
    ];
    const covered = stateCoverage(withRules(rules, { coverage: 'partial' }), day);
    expect(covered.clothing.confidence).toBe('low');
    expect(covered.notes).toContain('Not confirmed by a primary source: clothing.');
  });

  it('does not report a holiday as the general rule, and mentions it until it is over', () => {
    const holiday = { type: 'holiday', amount: '100', inclusive: false } as const;
    const rules = [
      rule('r', [clothing], { type: 'taxable' }),
      rule('h', [clothing], holiday, { from: '2026-11-20', to: '2026-11-22' }),
    ];
    const release = withRules(rules);
    expect(clothingIn(release)).toMatchObject({ treatment: 'taxable', rule_ids: ['r'] });
    const note = `Sales-tax holiday from 2026-11-20 to 2026-11-22: ${clothing} exempt on the holiday below 100 a unit.`;
    expect(stateCoverage(release, '2026-11-22').notes).toContain(note);
    expect(stateCoverage(release, '2026-11-23').notes).not.toContain(note);
  });

  it('counts a rule only while it is in force', () => {
    const release = withRules([rule('r', [clothing], { type: 'exempt' }, { from: '2026-01-01', to: '2026-11-20' })]);
    expect(stateCoverage(release, '2026-11-20').clothing.treatment).toBe('exempt');
    expect(stateCoverage(release, '2026-11-21').clothing.treatment).toBe('not_established');
  });

  it.each([
    ['reduces_price', 'high', ['A discount that a third party pays lowers the taxable price.']],
    ['full_price', 'high', []],
    [
      'full_price',
      'low',
      ['Not confirmed by a primary source: a discount that a third party pays does not lower the taxable price.'],
    ],
  ] as const)('notes the coupon policy %s of %s confidence: %j', (policy, confidence, expected) => {
    const settings = { coupons: [{ policy, from: null, to: null, source: 'test', confidence }] };
    const notes = stateCoverage(getRelease({ settings }), day).notes.filter((note) => note.includes('third party'));
    expect(notes).toEqual(expected);
  });

  it('lists a future rate, and no rate after its last day', () => {
    const [now] = getRelease().rates;
    const next = {
      jurisdiction: 'US-XX',
      rate: '0.07',
      from: '2027-07-01',
      to: null,
      source: 'test',
      confidence: 'high',
    };
    const rates = [{ ...now, to: '2027-06-30' }, next] as Release['rates'];
    const covered = stateCoverage({ ...getRelease(), rates }, day);
    expect(covered.notes).toContain('The general rate is 0.07 from 2027-07-01.');
    expect(covered.general_rate).toMatchObject({ rate: '0.06', from: '2000-01-01', to: '2027-06-30' });
    const over = stateCoverage({ ...getRelease(), established_to: '2026-11-20' }, day);
    expect([over.general_rate, over.notes[0]]).toEqual([null, expect.stringContaining('2026-11-20')]);
  });

  it('reports partial local rates if an imported release counts some beside its head', () => {
    const partial = withRules([], { coverage: 'partial' });
    expect(stateCoverage(partial, day).local_rates).toBe('none');
    const counts = { parts: 1, jurisdictions: 1, rates: 1, locations: 1 };
    expect(stateCoverage({ ...partial, counts } as Release, day).local_rates).toBe('partial');
    expect(stateCoverage(withRules([]), day).local_rates).toBe('complete');
  });

  const imported = (last_day: string | null, counts: Partial<ReleaseHead['counts']> = {}): Release => {
    const all = { parts: 4, zips: 3, jurisdictions: 1, rates: 1, locations: 4, streets: 0, ...counts };
    const fallback = withRules([], { coverage: 'partial' });
    return { ...fallback, ...({ counts: all, last_day } as Partial<ReleaseHead>), fallback };
  };
  const getLocal = (release: Release, on = day) => {
    const { local_rates, notes } = stateCoverage(release, on);
    return [local_rates, notes.find((note) => note.includes('its files'))];
  };

  it('reports partial local rates if an import lists ZIPs, with their number and last day', () => {
    const note = (found: string) => `Addresses that its files do not name (${found}) fall back to US-XX@2026-11-22.1.`;
    expect(getLocal(imported(null))).toEqual(['partial', note('3 ZIPs and 1 city')]);
    expect(getLocal(imported(day))).toEqual(['partial', note(`3 ZIPs and 1 city, the last of them to ${day}`)]);
    expect(getLocal(imported(null, { parts: 1, zips: 1 }))).toEqual(['partial', note('1 ZIP')]);
  });

  it('reports no local rates from the day after everything in an import has ended', () => {
    const note = 'Everything that its files list (3 ZIPs and 1 city, the last of them to 2019-03-31) has ended.';
    expect(getLocal(imported('2019-03-31'), '2019-03-31')[0]).toBe('partial');
    expect(getLocal(imported('2019-03-31'), '2019-04-01')).toEqual(['none', note]);
  });

  it('reports by level if an import has local taxes in a state without a general tax', () => {
    const state = [{ code: 'US-AK', type: 'state', rate: '0' }] as const;
    const { jurisdictions, rates } = getRelease({ of: state });
    const head = { ...imported(null), jurisdictions, rates, state: 'US-AK' };
    const { groceries, clothing, general_rate } = stateCoverage(head, day);
    const text =
      'By the state: no general tax. By a county, a city or a district: not established; taxed as general goods, with a warning.';
    expect([groceries, clothing, general_rate?.rate]).toMatchObject([
      { treatment: 'by_level', text, confidence: null, rule_ids: [] },
      { treatment: 'by_level', text },
      '0',
    ]);
    // A rule applies to the local taxes; the state still has no tax.
    const exempt = rule('local', ['FOOD.GROCERY'], { type: 'exempt' }, { levels: ['county', 'city', 'district'] });
    expect(stateCoverage({ ...head, rules: [exempt] }, day).groceries).toMatchObject({
      treatment: 'by_level',
      text: 'By the state: no general tax. By a county, a city or a district: exempt.',
      rule_ids: ['local'],
    });
  });

  it('reports a rule for certain ZIPs separately', () => {
    const rules = [
      rule('local', [clothing], { type: 'taxable' }),
      rule('zips', [clothing], { type: 'exempt' }, { levels: ['county', 'city'], zips: [['10001', '10292']] }),
    ];
    expect(clothingIn(withRules(rules))).toMatchObject({
      treatment: 'by_level',
      text: 'By the state: taxable. By one of the named ZIP codes: exempt.',
      rule_ids: ['local', 'zips'],
    });
  });
});

describe('the active releases', () => {
  const builtIn = [getRelease(), getRelease({ of: [{ code: 'US-YY', type: 'state', rate: '0' }] })];
  const imported = buildHead('US-XX@2026-11-01.1');
  const activation = (release: string) => ({ release, activated_at: '2026-11-20T00:00:00.000Z', previous: [] });
  const from = (active: string | null, heads: readonly ReleaseHead[], state: string | null = null) =>
    activeReleases(state, {
      readActive: async () => ({ version: 1, states: active ? { 'US-XX': activation(active) } : {} }),
      readContent: async (ids) => ({
        heads: ids.map((id) => {
          const head = heads.find((candidate) => candidate.id === id);
          return head && { value: head, characters: 1 };
        }),
        parts: [],
      }),
      builtIn: () => builtIn,
      builtInById: (id) => builtIn.find((release) => release.id === id),
    });
  const listIds = (releases: readonly Release[]) => releases.map(({ id }) => id);

  it('are the built-in releases, unless an import is active', async () => {
    expect(listIds(await from(null, []))).toEqual(['US-XX@2026-11-22.1', 'US-YY@2026-11-22.1']);
    expect(listIds(await from(imported.id, [imported]))).toEqual([imported.id, 'US-YY@2026-11-22.1']);
  });

  it('of one state do not include imports of other states', async () => {
    expect(listIds(await from(imported.id, [imported], 'US-XX'))).toEqual([imported.id]);
    expect(listIds(await from(imported.id, [], 'US-YY'))).toEqual(['US-YY@2026-11-22.1']);
    expect(await from(null, [], 'US-ZZ')).toEqual([]);
  });

  it('fail if one is missing', async () => {
    await expect(from(imported.id, [])).rejects.toThrow(ReleaseNotFound);
  });
});

describe('the coverage page', () => {
  it('matches the content (after a change, run `npm run content -- coverage --write`)', () => {
    const page = readFileSync(new URL('../../infra/docs/coverage.md', import.meta.url), 'utf8');
    expect(page).toBe(coveragePage(builtInReleases(), page));
  });
});

describe('coverage of places, kinds and seasons', () => {
  const taxedFood = rule('food', ['FOOD.GROCERY'], { type: 'taxable' });
  const groceriesOn = (rules: readonly Rule[], date = day) =>
    stateCoverage({ ...getRelease({ rules }), coverage: 'partial' as const }, date).groceries;

  it('names each kind of tax in a rule', () => {
    const byKind = rule('kinds', ['FOOD.GROCERY'], { type: 'exempt' }, { kinds: ['CP', 'ECI'], levels: ['county'] });
    const { treatment, text, rule_ids } = groceriesOn([taxedFood, byKind]);
    expect(treatment).toBe('by_level');
    expect(text).toContain('By a tax of kind CP or a tax of kind ECI: exempt.');
    expect(rule_ids).toEqual(['food', 'kinds']);
  });

  it('counts the places in rules, each county once', () => {
    const exempt = (id: string, others: Partial<Rule>) =>
      rule(id, ['FOOD.GROCERY'], { type: 'exempt' }, { levels: ['county', 'city', 'district'], ...others });
    const { text } = groceriesOn([
      taxedFood,
      exempt('fips', { counties: ['36061', '36027'] }),
      exempt('codes', {
        jurisdictions: ['US-XX-00-027', 'US-XX-DUTCHESS', 'US-XX-01-51000', 'US-XX-031-14000', 'US-XX-63-RTA'],
      }),
    ]);
    expect(text).toContain('one of 2 named counties, one of 2 named cities or a named district: exempt.');
  });

  it.each(builtInReleases().map((release) => [release.state, release] as const))(
    'contains no codes or rule ids in its text: %s',
    (state, release) => {
      const ids = new RegExp(`US-[A-Z]{2}-|\\b${state.slice(3).toLowerCase()}-[a-z]`);
      const covered = stateCoverage(release, day);
      for (const subject of [...Object.keys(subjects), 'shipping'] as (keyof typeof covered)[])
        expect((covered[subject] as { text: string }).text).not.toMatch(ids);
    },
  );

  it.each([
    ['2026-12-31', 'each year from September 1 to May 31'],
    ['2026-07-01', 'Taxable.'],
  ])('reports a seasonal rule on %s: %s', (date, text) => {
    const winter = rule('winter', ['FOOD.GROCERY'], { type: 'exempt' }, { season: { from: '09-01', to: '05-31' } });
    expect(groceriesOn([taxedFood, winter], date).text).toContain(text);
  });

  it('reports the days of a yearly holiday', () => {
    const holiday = rule('holiday', ['CLOTHING'], { type: 'holiday', amount: '100', inclusive: false });
    const { notes } = stateCoverage(
      getRelease({ rules: [{ ...holiday, season: { from: '08-01', to: '08-07' } }] }),
      day,
    );
    expect(notes.filter((note) => note.includes('each year from August 1 to August 7'))).toHaveLength(1);
  });
});

describe('coverage of shipping policies', () => {
  it.each(['exempt_unless_included', 'taxable_unless_avoidable', 'any_taxable'] as const)('names %s', (shipping) => {
    expect(stateCoverage(getRelease({ shipping }), day).shipping).toMatchObject({
      treatment: shipping,
      confidence: 'high',
    });
  });

  it('reports the effect of a rule on included charges', () => {
    const rules = [
      rule('stated', ['SHIPPING'], { type: 'exempt' }, { attributes: { any: [], none: ['_INCLUDED_IN_PRICE'] } }),
      rule('in-price', ['SHIPPING'], { type: 'taxable' }, { attributes: { any: ['_INCLUDED_IN_PRICE'], none: [] } }),
    ];
    expect(stateCoverage(getRelease({ rules }), day).shipping).toMatchObject({
      treatment: 'exempt',
      rule_ids: ['stated'],
    });
  });
});
