/** Figures of the content notes, typed by hand: an oracle apart from the way the releases were made. */
import { describe, expect, it } from 'vitest';
import { builtInRelease, builtInReleases } from '../../shared/catalog/built-in.ts';
import { inForce } from '../../shared/catalog/effective.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { ask } from '../support/builders.ts';

const releaseOf = (state: string): Release => {
  const release = builtInRelease(state);
  if (!release) throw new Error(`no release of ${state}`);
  return release;
};
const rateOn = (state: string, day: string, jurisdiction = `US-${state}`): string[] => {
  const release = releaseOf(state);
  const rates = release.rates.filter((rate) => rate.jurisdiction === jurisdiction);
  return inForce(rates, day, release.established_from).map(({ rate }) => rate);
};
const rule = (id: string) => releaseOf(id.slice(0, 2).toUpperCase()).rules.find((candidate) => candidate.id === id);
const policyOn = (state: string, setting: 'sourcing' | 'shipping' | 'coupons', day = '2026-11-20') => {
  const release = releaseOf(state);
  return inForce<{ readonly from: string | null; readonly to: string | null; readonly policy: string }>(
    release.settings[setting] ?? [],
    day,
    release.established_from,
  ).map(({ policy }) => policy);
};
const states = (text: string) => text.split(' ');

describe('state rates', () => {
  const percents: Record<string, string> = {
    AL: '0.04', AK: '0', AZ: '0.056', AR: '0.065', CA: '0.0725', CO: '0.029', CT: '0.0635', DE: '0', DC: '0.07',
    FL: '0.06', GA: '0.04', HI: '0.04', ID: '0.06', IL: '0.0625', IN: '0.07', IA: '0.06', KS: '0.065', KY: '0.06',
    LA: '0.05', ME: '0.055', MD: '0.06', MA: '0.0625', MI: '0.06', MN: '0.06875', MS: '0.07', MO: '0.04225', MT: '0',
    NE: '0.055', NV: '0.0685', NH: '0', NJ: '0.06625', NM: '0.04875', NY: '0.04', NC: '0.0475', ND: '0.05',
    OH: '0.0575', OK: '0.045', OR: '0', PA: '0.06', RI: '0.07', SC: '0.06', SD: '0.042', TN: '0.07', TX: '0.0625',
    UT: '0.061', VT: '0.06', VA: '0.053', WA: '0.065', WV: '0.06', WI: '0.05', WY: '0.04', PR: '0.105',
  }; // biome-ignore format: a table
  it.each(Object.entries(percents))('%s', (state, rate) => expect(rateOn(state, '2026-11-20')).toEqual([rate]));
  it('names all 52', () => expect(Object.keys(percents)).toHaveLength(52));

  it.each([
    ['DC', '2018-09-30', []],
    ['DC', '2026-09-30', ['0.06']],
    ['DC', '2026-10-01', ['0.07']],
    ['SD', '2027-06-30', ['0.042']],
    ['SD', '2027-07-01', ['0.045']],
    ['LA', '2029-12-31', ['0.05']],
    ['LA', '2030-01-01', ['0.0475']],
    ['LA', '2018-06-30', []],
    ['LA', '2018-07-01', ['0.0445']],
    ['LA', '2024-12-31', ['0.0445']],
    ['LA', '2025-01-01', ['0.05']],
    ['MS', '2021-12-31', []],
    ['MS', '2022-01-01', ['0.07']],
    ['NJ', '2016-06-01', ['0.07']],
    ['NJ', '2016-06-02', []],
    ['NJ', '2017-12-31', []],
    ['NJ', '2018-01-01', ['0.06625']],
    ['MI', '2021-12-31', []],
    ['MI', '2022-01-01', ['0.06']],
    ['NM', '2022-06-30', ['0.05125']],
    ['NM', '2022-07-01', ['0.05']],
    ['NM', '2023-06-30', ['0.05']],
    ['NM', '2023-07-01', ['0.04875']],
    ['SD', '2016-05-31', []],
    ['SD', '2016-06-01', ['0.045']],
    ['SD', '2023-06-30', ['0.045']],
    ['SD', '2023-07-01', ['0.042']],
  ])('%s on %s', (state, day, rates) => expect(rateOn(state, day)).toEqual(rates));

  it('rests the new rate of the District on the act and on a second list', () =>
    expect(releaseOf('DC').rates.at(-1)).toMatchObject({ confidence: 'medium-high' }));

  it('cites a statute or a department for the rate of each state, and not a secondary table', () => {
    for (const { rates, sources, state } of builtInReleases())
      for (const { source } of rates) expect(sources[source], state).not.toMatch(/^Tax Foundation/);
  });
});

describe('coverage', () => {
  it.each(states('CT DC IN KY ME MD MA MI NJ RI DE MT NH OR PA HI VA MS'))('%s is complete', (state) =>
    expect(releaseOf(state).coverage).toBe('complete'),
  );
  it.each(states('NY TX WA PR TN AK ID CA MN CO AL IL LA'))('%s has tables of local rates, and is complete', (state) =>
    expect(releaseOf(state)).toMatchObject({
      coverage: 'complete',
      local: { established_from: '2026-10-01' },
      locations: [],
    }),
  );
  it.each(states('HI MS'))('%s has tables that count from the first day of the year, as its lists did', (state) =>
    expect(releaseOf(state)).toMatchObject({ local: { established_from: '2026-01-01' }, locations: [] }),
  );
});

describe('local rates', () => {
  it.each([
    ['HI', 'Honolulu', '96814', '2026-03-01', '4.50'],
    ['HI', 'Hilo', '96720', '2026-03-01', '4.50'],
    ['MS', 'Jackson', '39201', '2026-03-01', '8.00'],
    ['MS', 'Tupelo', '38804', '2026-03-01', '7.25'],
    ['MS', 'Gulfport', '39501', '2026-03-01', '7.00'],
  ])('%s, %s %s on %s: %s on 100.00', (state, city, postal_code, tax_date, tax) => {
    const outcome = ask({ to: { state, city, postal_code }, tax_date });
    expect(outcome.tax_amount).toBe(tax);
    expect(outcome.line_items[0]?.address_resolution.coverage).toBe('complete');
  });

  it('adds nothing in Kalawao: nobody lives in the part of its ZIP in Maui County, which only an address there names', () => {
    const kalaupapa = { state: 'HI', postal_code: '96742' };
    const { tax_amount, line_items } = ask({ to: kalaupapa });
    expect(tax_amount).toBe('4.00');
    expect(line_items[0]?.address_resolution.ambiguous).toBe(false);
    expect(ask({ to: { ...kalaupapa, county: 'Maui' } }).tax_amount).toBe('4.50');
  });

  it('taxes Hawaii and its counties under the general excise tax', () => {
    const [line] = ask({ to: { state: 'HI', city: 'Honolulu', postal_code: '96814' } }).line_items;
    expect(line?.taxes.map(({ tax_type }) => tax_type)).toEqual(['general_excise', 'general_excise']);
  });
});

describe('settings', () => {
  it.each(states('FL IL'))('%s taxes shipping that the buyer cannot avoid', (state) =>
    expect(policyOn(state, 'shipping')).toEqual(['taxable_unless_avoidable']),
  );
  it.each(states('NY PA LA'))('%s taxes all shipping once anything is taxable', (state) =>
    expect(policyOn(state, 'shipping')).toEqual(['any_taxable']),
  );
  it.each([
    ['HI', '2026-11-20', ['always_taxable']],
    ['NJ', '2026-11-20', ['follows_goods']],
    ['KS', '2023-06-30', ['follows_goods']],
    ['KS', '2023-07-01', ['exempt_unless_included']],
    ['MI', '2023-04-25', ['follows_goods']],
    ['MI', '2023-04-26', ['exempt_unless_included']],
  ])('ships in %s on %s', (state, day, policies) => expect(policyOn(state, 'shipping', day)).toEqual(policies));

  const reducing = states('CT MA MO PA TX');
  it('lets a coupon that a third party pays lower the taxable price in five states', () => {
    const policies = builtInReleases().map(({ state }) => [state.slice(3), policyOn(state.slice(3), 'coupons')]);
    expect(policies).toHaveLength(55);
    for (const [state, policy] of policies)
      expect(policy, String(state)).toEqual([reducing.includes(String(state)) ? 'reduces_price' : 'full_price']);
  });
  it('confirms the policy on coupons everywhere but in the states that no source was read for', () => {
    const uncertain = builtInReleases().filter(({ settings }) =>
      settings.coupons?.some(({ confidence }) => confidence === 'medium' || confidence === 'low'),
    );
    expect(uncertain.map(({ state }) => state.slice(3)).toSorted()).toEqual(
      states('AK AL CO DC FL HI ID LA MD MS NM PR SC'),
    );
  });

  const cents = (state: string, index: number, part: number) => {
    const { policy } = releaseOf(state).settings.rounding[0] ?? {};
    if (policy?.method !== 'bracket') throw new Error(`${state} has no bracket`);
    return policy.brackets[index]?.steps.filter((step) => part > Math.round(Number(step) * 100)).length;
  };
  const steps = (text: string) => text.split(', ').map((pair) => pair.split(' ').map(Number));
  it.each(steps('0 0, 10 0, 11 1, 17 1, 18 2, 34 2, 35 3, 50 3, 51 4, 67 4, 68 5, 84 5, 85 6, 99 6'))(
    'taxes %i cents in Pennsylvania with %i',
    (part = 0, tax) => expect(cents('PA', 0, part)).toBe(tax),
  );
  it.each(steps('0 0, 1 1, 16 1, 17 2, 33 2, 34 3, 50 3, 51 4, 66 4, 67 5, 83 5, 84 6'))(
    'taxes %i cents above a dollar in Maryland with %i: 16 2/3 cents or part',
    (part = 0, tax) => expect(cents('MD', 0, part)).toBe(tax),
  );
  it('turns at 51 cents in Allegheny County', () =>
    expect([50, 51].map((part) => cents('PA', 1, part))).toEqual([0, 1]));
});

describe('rules', () => {
  it.each([
    ['ct-jewelry', { type: 'threshold_rate', amount: '5000', rate: '0.0775' }],
    ['sc-groceries-capital-projects', { type: 'exempt' }],
    ['nv-handling', { type: 'follows_goods' }],
    ['va-handling', { type: 'follows_goods' }],
    ['va-hygiene', { type: 'rate', rate: '0.01' }],
    ['il-groceries', { type: 'rate', rate: '0' }],
    ['md-handling', { type: 'taxable' }],
    ['fl-surtax-cap', { type: 'base_cap', amount: '5000' }],
    ['tn-single-article', { type: 'band', above: '1600', to: '3200', rate: '0.0275' }],
    ['ar-vehicles-local-cap', { type: 'base_cap', amount: '2500' }],
    ['az-large-items-phoenix-2026', { type: 'tiered_rate', amount: '14338', rate: '0.02' }],
    ['az-large-items-apache-junction', { type: 'tiered_rate', amount: '2000', rate: '0.014' }],
    ['az-large-items-glendale', { type: 'threshold_rate', amount: '5000', rate: '0.022' }],
    ['fl-boats', { type: 'tax_cap', rate: '0.06', amount: '18000' }],
    ['nj-boats', { type: 'tax_cap', rate: '0.033125', amount: '20000' }],
    ['ny-vessels', { type: 'base_cap', amount: '230000' }],
    ['nc-taxability-boats-state', { type: 'tax_cap', rate: '0.03', amount: '1500' }],
    ['nc-taxability-airplanes-state', { type: 'tax_cap', rate: '0.0475', amount: '2500' }],
    ['tx-holiday-clothing', { type: 'holiday', amount: '100', inclusive: false }],
  ])('%s', (id, effect) => expect(rule(id)?.effect).toEqual(effect));

  it.each([
    ['ok-groceries', '2024-08-29'],
    ['mn-retail-delivery-fee', '2024-07-01'],
  ])('%s is in force from %s', (id, from) => expect(rule(id)?.from).toBe(from));

  it('counts the shipping in the limits of Rhode Island and of the holidays of Texas, and in no other', () => {
    const ids = builtInReleases().flatMap(({ rules }) =>
      rules.filter(({ threshold_includes_shipping }) => threshold_includes_shipping).map(({ id }) => id),
    );
    expect(ids.map((id) => id.replace(/-2027$/, ''))).toEqual([
      'ri-clothing',
      'tx-holiday-clothing',
      'tx-holiday-school-supplies',
      'tx-holiday-clothing',
      'tx-holiday-school-supplies',
      'tx-holiday-disaster-supplies',
      'tx-holiday-disaster-supplies',
    ]);
  });

  const taxing = states(
    'AL AZ AR CA CO CT DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV NJ NM NY NC ND OH OK PA RI SC SD TN TX UT VT VA WA WV WI WY PR',
  );
  it.each(taxing)('%s taxes goods in general, and no drug by prescription at the full rate', (state) => {
    expect(rule(`${state.toLowerCase()}-goods`)).toMatchObject({ effect: { type: 'taxable' }, levels: null });
    expect(rule(`${state.toLowerCase()}-goods`)?.ptcs).toContain('GENERAL');
    expect(rule(`${state.toLowerCase()}-drugs-by-prescription`)?.attributes.any).toEqual(['_PRESCRIPTION']);
  });
});

describe('retail delivery fees', () => {
  const amountsOn = (state: string, day: string) =>
    inForce(releaseOf(state).rules, day, releaseOf(state).established_from).flatMap(({ effect }) =>
      effect.type === 'flat_fee' ? [effect.amount] : [],
    );
  it.each([
    ['CO', '2022-06-30', []],
    ['CO', '2022-07-01', ['0.27']],
    ['CO', '2023-07-01', ['0.28']],
    ['CO', '2024-07-01', ['0.29']],
    ['CO', '2025-06-30', ['0.29']],
    ['CO', '2025-07-01', ['0.28']],
    ['CO', '2026-07-01', ['0.28']],
    ['MN', '2024-06-30', []],
    ['MN', '2024-07-01', ['0.50']],
  ])('in %s on %s: %j', (state, day, amounts) => expect(amountsOn(state, day)).toEqual(amounts));
  it('are levied in no other state', () =>
    expect(
      builtInReleases()
        .filter(({ rules }) => rules.some(({ effect }) => effect.type === 'flat_fee'))
        .map(({ state }) => state),
    ).toEqual(['US-CO', 'US-MN']));
});
