/** Warnings of an answer about the values below medium-high confidence that it depends on. */
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { Confidence } from '../../shared/catalog/release-values.ts';
import { importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { ask, listedRelease, locationOf, refusal, releaseOf, rule } from '../support/builders.ts';

type NewRequest = Parameters<typeof ask>[0];
type Options = Parameters<typeof ask>[1];
const listUncertainties = (request: NewRequest, options?: Options) =>
  ask(request, options)
    .warnings.filter(({ code, message }) => code === 'content_unconfirmed' && !message.includes(', rule '))
    .map(({ message, pointer }) => `${pointer} ${message}`);

const lists = { releaseFor: () => listedRelease };

const evidence = { from: '2000-01-01', to: null, source: 'list' } as const;
const of = [
  { code: 'US-OH', type: 'state', rate: '0.06' },
  { code: 'US-OH-A', type: 'county', rate: '0.01' },
  { code: 'US-OH-B', type: 'county', rate: '0.02' },
] as const;
const general = rule('general', ['GENERAL'], { type: 'taxable' });

describe('the location that decided', () => {
  const located = (confidence: Confidence, others: Partial<Release> = {}) => {
    const a = locationOf({ zips: [['44101', '44110']], alternatives: [['US-OH-A']], confidence, source: 'zips' });
    const b = locationOf({ zips: [['44111', '44120']], alternatives: [['US-OH-B']] });
    const release = releaseOf({ of, name: 'Ohio', rules: [general], locations: [a, b], ...others });
    return { releaseFor: () => release };
  };
  const in44101 = { state: 'OH', postal_code: '44101' };

  it.each([
    ['low', 1],
    ['medium', 1],
    ['medium-high', 0],
    ['high', 0],
  ] as const)('a location of %s confidence has %i warnings', (confidence, times) => {
    const said = listUncertainties({ to: in44101 }, located(confidence));
    expect(said).toHaveLength(times);
    const message = `/customer/address Ohio, the local taxes of an address: not confirmed by a primary source (confidence ${confidence}, source zips).`;
    if (times > 0) expect(said).toEqual([message]);
  });

  it('has one warning for all ZIPs of a list, and none for other locations', () => {
    const lines = ['44101', '44102', '44103', '44111'].map((postal_code) => ({
      customer: { address: { state: 'OH', postal_code } },
    }));
    expect(listUncertainties({ line_items: lines }, located('medium'))).toEqual([
      expect.stringMatching(/^\/line_items\/0\/customer\/address Ohio, the local taxes/),
    ]);
    expect(listUncertainties({ line_items: lines.slice(3) }, located('medium'))).toEqual([]);
  });

  it('has no warning where nothing is collected, unless another line is taxed', () => {
    const exempt = { address: in44101, exemption: { type: 'resale' as const } };
    const customer = { address: in44101 };
    expect(listUncertainties({ customer: exempt }, located('low'))).toEqual([]);
    expect(listUncertainties({ line_items: [{ customer: exempt }, { customer }] }, located('low'))).toHaveLength(1);
  });

  it('is cited by the explanation', () => {
    const options = located('low', { sources: { zips: 'A list of ZIPs', test: 'A test' } });
    const steps = ask({ to: in44101, explain: true }, options).explanation ?? [];
    expect(steps.find(({ step }) => step === 'jurisdictions')?.citation).toBe('A list of ZIPs');
  });
});

describe('the sourcing setting', () => {
  type Policy = Release['settings']['sourcing'][number]['policy'];
  const zips = [
    locationOf({ zips: [['44101', '44102']], alternatives: [['US-OH-A']] }),
    locationOf({ zips: [['44111', '44111']], alternatives: [['US-OH-B']] }),
    locationOf({ zips: [['44112', '44112']], alternatives: [['US-OH-A'], ['US-OH-B']] }),
  ];
  const sourced = (policy: Policy, confidence: Confidence, others: Partial<Release> = {}) => {
    const settings = { sourcing: [{ ...evidence, policy, confidence }] };
    const release = releaseOf({ of, name: 'Ohio', rules: [general], settings, locations: zips, ...others });
    return { releaseFor: () => release };
  };
  const at = (postal_code: string, state = 'OH') => ({ state, postal_code });
  const from = (postal_code: string, state?: string) => ({ address: at(postal_code, state) });
  const message =
    '/ship_from/address Ohio, where sales within the state are taxed: not confirmed by a primary source (confidence medium, source list).';

  for (const policy of ['destination', 'origin', 'mixed'] as const)
    it.each([
      { ship_from: from('44111'), said: [message], because: 'the goods come from another place of the state' },
      { ship_from: from('44101'), said: [], because: 'they come from the same place' },
      { ship_from: from('44102'), said: [], because: 'the same taxes are at both ends' },
      { ship_from: from('44112'), said: [message], because: 'the jurisdictions of the origin are unknown' },
      { ship_from: from('48226', 'MI'), said: [], because: 'a remote sale is taxed at its destination everywhere' },
      { ship_from: null, said: [], because: 'so is one of unknown origin' },
    ])(`the sourcing policy ${policy} has a warning where it decided: $because`, ({ ship_from, said }) => {
      expect(listUncertainties({ to: at('44101'), ship_from }, sourced(policy, 'medium'))).toEqual(said);
      expect(listUncertainties({ to: at('44101'), ship_from }, sourced(policy, 'medium-high'))).toEqual([]);
    });

  it('has a warning for two places of a state whose local taxes are not known', () => {
    const options = sourced('origin', 'medium', { locations: [], coverage: 'partial' });
    expect(listUncertainties({ to: at('44101'), ship_from: from('44102') }, options)).toEqual([message]);
    expect(listUncertainties({ to: at('44101'), ship_from: from('44101') }, options)).toEqual([]);
  });
});

describe('the rounding setting', () => {
  const rounded = (confidence: Confidence, rate = '0.06') => {
    const settings = { rounding: [{ ...evidence, confidence, policy: { method: 'half_up' as const } }] };
    const release = releaseOf({ of: [{ ...of[0], rate }], name: 'Ohio', rules: [general], settings });
    return { releaseFor: () => release };
  };
  const said = (pointer: string, confidence = 'low') =>
    `${pointer} Ohio, rounding: not confirmed by a primary source (confidence ${confidence}, source list).`;
  const prices = (...unit_prices: string[]) => unit_prices.map((unit_price) => ({ unit_price }));
  const to = { state: 'OH' };

  it.each([
    { lines: prices('100.00'), uncertainties: [], because: 'six dollars are whole cents' },
    { lines: prices('0.50'), uncertainties: [], because: 'so are three cents' },
    { lines: prices('0.51'), uncertainties: [said('/line_items/0')], because: '3.06 cents are not' },
    { lines: prices('1.00', '0.51', '0.52'), uncertainties: [said('/line_items/1')], because: 'it is said once' },
    {
      lines: prices('0.49', '0.51'),
      uncertainties: [said('/line_items/0')],
      because: 'each line is rounded by itself',
    },
  ])('has a warning where it decided: $because', ({ lines, uncertainties }) => {
    expect(listUncertainties({ to, line_items: lines }, rounded('low'))).toEqual(uncertainties);
    expect(listUncertainties({ to, line_items: lines }, rounded('high'))).toEqual([]);
  });

  it('applies to the invoice where the account rounds by invoice', () => {
    const by = (...unit_prices: string[]) =>
      listUncertainties(
        { to, line_items: prices(...unit_prices) },
        { ...rounded('low'), settings: { rounding: 'invoice' } },
      );
    expect(by('0.49', '0.51')).toEqual([]);
    expect(by('0.49', '0.52')).toEqual([said('/line_items/0')]);
  });

  it('applies to the sum of several jurisdictions', () => {
    const settings = {
      rounding: [{ ...evidence, confidence: 'medium' as const, policy: { method: 'half_up' as const } }],
    };
    const release = releaseOf({
      of: [
        { ...of[0], rate: '0.0625' },
        { ...of[1], rate: '0.0175' },
      ],
      name: 'Ohio',
      rules: [general],
      settings,
      locations: [locationOf({ zips: [['44101', '44101']], alternatives: [['US-OH-A']] })],
    });
    const at = (unit_price: string) =>
      listUncertainties(
        { to: { state: 'OH', postal_code: '44101' }, line_items: prices(unit_price) },
        { releaseFor: () => release },
      );
    expect(at('0.50')).toEqual([]);
    expect(at('0.51')).toEqual([said('/line_items/0', 'medium')]);
  });

  it('applies to the shipping', () => {
    const request = { to, line_items: prices('1.00') };
    expect(listUncertainties({ ...request, shipping: { amount: '0.51' } }, rounded('low'))).toEqual([
      said('/shipping'),
    ]);
    expect(listUncertainties({ ...request, shipping: { amount: '0.50' } }, rounded('low'))).toEqual([]);
  });

  it('has no warning where nothing is taxed', () => {
    const customer = { address: to, exemption: { type: 'resale' as const } };
    expect(listUncertainties({ customer, line_items: prices('0.51') }, rounded('low'))).toEqual([]);
    expect(listUncertainties({ to: { state: 'AK' }, line_items: prices('0.51') }).join()).not.toContain('rounding');
  });

  it('invoice rounding of a state with tables applies to the total of each table', () => {
    const pennsylvania = builtInRelease('PA') as Release;
    const { settings } = pennsylvania;
    const rounding = settings.rounding.map((setting) => ({ ...setting, confidence: 'medium' as const }));
    const releaseFor = () => ({ ...pennsylvania, settings: { ...settings, rounding } });
    const uncertainties = (...unit_prices: string[]) =>
      listUncertainties(
        { to: { state: 'PA', postal_code: '17101' }, line_items: prices(...unit_prices) },
        { releaseFor },
      ).map((text) => text.split(',')[0]);
    expect(uncertainties('0.35', '0.65')).toEqual([]);
    expect(uncertainties('0.35', '0.66')).toEqual(['/line_items/0 Pennsylvania']);
  });
});

describe('a place that content has by name only', () => {
  const california = () =>
    importFiles('cdtfa', 'CA', [
      {
        name: 'rates.csv',
        content:
          'City_name,County_name,RATE,START_DATE\nCulver City,Los Angeles,0.1025,1/1/2026\nDavis,Yolo,0.0725,1/1/2026\n',
      },
    ]);
  const to = (city: string, postal_code: string | null = null) => ({ state: 'CA', city, postal_code });

  it('is ambiguous: its taxes are assumed, and the address may have others', async () => {
    const releaseFor = releaseForOf(await california());
    for (const address of [to('Culver City'), to('Culver City', '90230'), to('Culver City', '90230-0001')]) {
      const outcome = ask({ to: address, tax_date: '2026-11-20' }, { releaseFor });
      expect(outcome.tax_amount).toBe('10.25');
      expect(outcome.line_items[0]?.address_resolution).toEqual({
        level: 'city',
        ambiguous: true,
        coverage: 'complete',
      });
      const found = outcome.warnings.filter(({ code }) => code === 'address_ambiguous');
      expect(found).toMatchObject([
        { message: expect.stringMatching(/CULVER CITY by name/), pointer: '/customer/address' },
      ]);
    }
  });

  it('is refused, or taxed by the city, by the policy on ambiguous addresses', async () => {
    const releaseFor = releaseForOf(await california());
    const request = { to: to('Culver City'), tax_date: '2026-11-20' };
    expect(refusal(request, { releaseFor, settings: { ambiguous_address: 'reject' } })).toMatchObject([
      { code: 'validation_address_unresolvable' },
    ]);
    expect(ask(request, { releaseFor, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('10.25');
    // The local rates are there: they are not what is missing.
    expect(ask(request, { releaseFor, settings: { incomplete_coverage: 'reject' } }).tax_amount).toBe('10.25');
  });

  it.each([
    ['Philadelphia', '17101', '6.00'],
    ['Pittsburgh', '19103-0001', '8.00'],
    ['Philadelphia', '15222', '7.00'],
  ])('does not override the taxes of another ZIP that is listed: %s, %s', (city, zip, tax) => {
    const request = { to: { state: 'PA', city, postal_code: zip } };
    const outcome = ask(request, lists);
    expect(outcome.tax_amount).toBe(tax);
    const level = zip.length > 5 ? 'zip9' : 'zip5';
    expect(outcome.line_items[0]?.address_resolution).toEqual({ level, ambiguous: true, coverage: 'complete' });
    const found = outcome.warnings.filter(({ code }) => code === 'address_ambiguous');
    expect(found).toMatchObject([{ message: expect.stringContaining(`ZIP ${zip.slice(0, 5)} is none of those`) }]);
    expect(ask({ to: { state: 'PA', postal_code: zip } }, lists).line_items[0]?.address_resolution.ambiguous).toBe(
      false,
    );
    expect(refusal(request, { ...lists, settings: { ambiguous_address: 'reject' } })).toMatchObject([
      { code: 'validation_address_unresolvable', detail: expect.stringContaining('Correct the city') },
    ]);
  });

  it.each([
    ['Pittsburgh', '19103', '8.00'],
    ['Philadelphia', '15222', '8.00'],
    ['Pittsburgh', '17101', '7.00'],
  ])('applies under the policy highest_rate: %s, %s', (city, zip, tax) => {
    const settings = { ambiguous_address: 'highest_rate' } as const;
    expect(ask({ to: { state: 'PA', city, postal_code: zip } }, { ...lists, settings }).tax_amount).toBe(tax);
  });

  it.each([
    ['Philadelphia', '19103'],
    ['Camp Hill', '15222'],
  ])('does not contradict its own ZIP, or where the content does not name it: %s, %s', (city, zip) => {
    const outcome = ask({ to: { state: 'PA', city, postal_code: zip } }, lists);
    expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(false);
  });
});

const warned = (request: NewRequest, code: string, options?: Options) =>
  ask(request, options)
    .warnings.filter((warning) => warning.code === code)
    .map(({ message, pointer }) => `${pointer} ${message}`);

describe('prices that include tax', () => {
  const gross = (state: string, unit_price: string, postal_code: string | null = null, ptc = 'CLOTHING.APPAREL') => ({
    to: { state, postal_code },
    tax_included: true,
    explain: true,
    line_items: [{ unit_price, product_tax_code: ptc }],
  });
  const says = (amount: string, net: string, own: string, tax: string) =>
    expect.stringMatching(new RegExp(`^/line_items/0 .*${[amount, net, own, tax].join('\\D+')}\\.$`));

  it.each([
    // 1000.00 is taxed 63.50, and 1000.01 at the rate on luxury goods.
    { request: gross('CT', '1070.00'), said: says('1070.00', '1000.01', '77.50', '69.99') },
    { request: gross('NY', '115.00', '10001'), said: null },
    // 1.50 is taxed 0.09 and 0.02 of Allegheny County's; 1.51 is taxed 0.10 and 0.02.
    { request: gross('PA', '1.61', '15222', 'GENERAL'), said: null },
    { request: gross('MI', '0.09'), said: says('0.09', '0.09', '0.01', '0.00') },
    { request: gross('MI', '106.00'), said: null },
  ])(
    '$request.line_items.0.unit_price in $request.to.state has a warning where no net gives it',
    ({ request, said }) => {
      const outcome = ask(request);
      const found = warned(request, 'tax_included_not_exact');
      // The sentences about states with several rates are checked by their net: with tax, it misses the gross.
      const net = outcome.taxable_amount;
      const again = ask({
        ...request,
        tax_included: false,
        explain: false,
        line_items: [{ ...request.line_items[0], unit_price: net }],
      });
      const isExact = again.total_amount === outcome.total_amount;
      expect(found).toHaveLength(isExact ? 0 : 1);
      if (said) expect(found).toEqual([said]);
    },
  );

  it('has one warning for an invoice, at its first charge', () => {
    const request = {
      ...gross('MI', '0.03'),
      line_items: ['0.03', '0.03', '0.03'].map((unit_price) => ({ unit_price })),
    };
    // 0.08 is taxed 0.00 and 0.09 is taxed 0.01.
    expect(warned(request, 'tax_included_not_exact', { settings: { rounding: 'invoice' } })).toEqual([
      expect.stringMatching(/^\/line_items\/0 .*gross of 0\.09 of 3 charges .*net of 0\.09 .* 0\.01/),
    ]);
    expect(warned(request, 'tax_included_not_exact')).toEqual([]);
  });
});

describe('shipping that is not marked as stated separately', () => {
  const shipped = (product_tax_code: string | null, ptc = 'GENERAL') => ({
    to: { state: 'AL' },
    line_items: [{ product_tax_code: ptc }],
    shipping: { amount: '10.00', product_tax_code },
  });
  const unlessStated = releaseOf({
    of: [{ code: 'US-AL', type: 'state', rate: '0.04' }],
    shipping: 'exempt_if_stated',
    rules: [general, rule('drugs', ['HEALTH.DRUGS'], { type: 'exempt' })],
  });
  const says = (code: string) =>
    expect.stringMatching(new RegExp(`^/shipping State US-AL .*Send ${code}\\._SEPARATELY_STATED`));

  it.each([
    { request: shipped(null), said: [says('SHIPPING.DELIVERY')], because: 'it is taxed, and would not be' },
    { request: shipped('SHIPPING.HANDLING'), said: [says('SHIPPING.HANDLING')], because: 'so is handling' },
    { request: shipped('SHIPPING.DELIVERY._SEPARATELY_STATED'), said: [], because: 'it is stated' },
    {
      request: shipped(null, 'HEALTH.DRUGS._PRESCRIPTION'),
      said: [],
      because: 'its goods are exempt, and so is it',
    },
  ])('names the code to send: $because', ({ request, said }) =>
    expect(warned(request, 'shipping_not_stated', { releaseFor: () => unlessStated })).toEqual(said),
  );
});

describe('a state whose general rate is not established on the day', () => {
  const groceries = (state: string, tax_date: string) => ({
    to: { state },
    tax_date,
    line_items: [{ product_tax_code: 'FOOD.GROCERY' }],
  });
  it.each([
    {
      request: groceries('AL', '2025-09-01'),
      tax: '2.00',
      reason: 'reduced_rated',
      codes: ['local_rates_missing', 'address_ambiguous'],
    },
    {
      request: groceries('AL', '2021-12-31'),
      tax: '0.00',
      reason: 'not_supported',
      codes: ['address_ambiguous', 'not_covered'],
    },
    {
      request: groceries('OK', '2024-08-29'),
      tax: '0.00',
      reason: 'zero_rated',
      codes: ['local_rates_missing', 'address_ambiguous'],
    },
    {
      request: groceries('OK', '2021-12-31'),
      tax: '0.00',
      reason: 'not_supported',
      codes: ['address_ambiguous', 'not_covered'],
    },
  ])(
    'taxes groceries by their own rule alone, with a warning about what is missing: $request.tax_date',
    ({ request, ...expected }) => {
      const { tax_amount, line_items, warnings } = ask(request);
      expect({
        tax: tax_amount,
        reason: line_items[0]?.taxes[0]?.taxability_reason,
        codes: [...new Set(warnings.map(({ code }) => code))],
      }).toEqual(expected);
    },
  );
});
