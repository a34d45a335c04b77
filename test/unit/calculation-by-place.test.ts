/**
 * Addresses as shops send them, resolved with the tables of local rates by ZIP and city. Rates are typed from the
 * official lists.
 */
import { describe, expect, it } from 'vitest';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import type { RatesQuery } from '../../shared/rates/rates.ts';
import { Rates } from '../../shared/rates/response.ts';
import { always, ask, askRates, getRelease, type Options, ratesRefusal, refusal, rule } from '../support/builders.ts';
import { expectWarnings, localRates } from '../support/facts.ts';
import { buildOwnRules, builtIn, tabledRelease, withTables } from '../support/local-content.ts';

type Address = Readonly<Partial<Record<'state' | 'postal_code' | 'city' | 'county' | 'country', string>>>;
const at = (city: string, state: string, postal_code: string): Address => ({ city, state, postal_code });

const tax_date = '2026-10-08';

// A quantity of 10,000 shows the percentage with four decimals.
const askAbout = (to: Address, settings = {}, day = tax_date) => {
  const outcome = ask({ to, tax_date: day, explain: true, line_items: [{ quantity: '10000' }] }, { settings });
  const [line] = outcome.line_items;
  return {
    outcome,
    percent: Number(outcome.tax_amount) / 10_000,
    resolution: line?.address_resolution,
    taxes: line?.taxes ?? [],
    explained: (outcome.explanation ?? []).find(({ step }) => step === 'address')?.text ?? '',
    said: (code: string) => outcome.warnings.filter((one) => one.code === code).map(({ message }) => message),
  };
};
const refusedBy = (policy: 'ambiguous_address' | 'incomplete_coverage', to: Address) =>
  refusal({ to, tax_date }, { settings: { [policy]: 'reject' } });

/** Expects the rate, resolution, warnings and refusals of a row of `local-rates.csv`. */
const expectRow = ({ to, day, percent, highest, level, found, ...row }: ReturnType<typeof localRates>[number]) => {
  const response = askAbout(to, {}, day || tax_date);
  expectWarnings(response.outcome, row);
  if (percent !== undefined) expect(response.percent).toBe(percent);
  if (level) expect(response.resolution?.level).toBe(level);
  if (highest) expect(askAbout(to, { ambiguous_address: 'highest_rate' }).percent).toBe(Number(highest));
  if (!found) return response;
  const [ambiguous, partial] = ['ambiguous', 'partial'].map((word) => found.includes(word));
  const coverage = found !== 'certain' && { coverage: partial ? 'partial' : 'complete' };
  expect(response.resolution).toMatchObject({ ambiguous, ...coverage });
  const isContradictory = row.warns.includes('address_contradictory');
  expect(response.said('address_contradictory')).toHaveLength(isContradictory ? 1 : 0);
  expect(response.said('address_ambiguous').length > 0).toBe(ambiguous);
  expect(response.said('local_rates_missing').length > 0).toBe(partial);
  const codes = (policy: Parameters<typeof refusedBy>[0]) => refusedBy(policy, to).map(({ code }) => code);
  expect(codes('ambiguous_address')).toEqual(ambiguous ? ['validation_address_unresolvable'] : []);
  if (found !== 'certain') expect(codes('incomplete_coverage')).toEqual(partial ? ['validation_not_covered'] : []);
  return response;
};

describe.each([
  'changed',
  'split or abbreviated',
  'unknown city',
  'county name',
  'contradictory',
  'decided by county or state',
  'missing rate',
  'certain ZIP',
  'ZIP at a border',
  'advice',
])('addresses: %s', (topic) => {
  it.each(localRates(topic))('finds $to at $percent percent on $day, $found: $note', (row) => {
    expectRow(row);
  });
});

it.each(localRates('readme'))('finds $to of the README at $percent percent, even with the ZIP alone', (row) => {
  expectRow(row);
  expectRow({ ...row, to: { ...row.to, city: '' } });
});

it.each(localRates('city name'))('matches the city name of $to with $name as a $level: $percent percent', (row) => {
  const { taxes, said } = expectRow(row);
  if (row.name) expect(taxes.map(({ jurisdiction_name }) => jurisdiction_name)).toContain(row.name);
  if (row.name) expect(said('local_rates_by_place')).toHaveLength(1);
});

it.each(localRates('jurisdictions'))('finds the local jurisdictions $name in $to: $note', (row) => {
  const { state } = row.to as { state: string };
  const { taxes } = expectRow(row);
  const local = row.name.split(' ').filter(Boolean);
  const codes = [`US-${state}`, ...local.map((code) => `US-${state}-${code}`)];
  expect(taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(codes);
  const type = state === 'HI' ? 'general_excise' : 'sales';
  expect(new Set(taxes.map(({ tax_type }) => tax_type))).toEqual(new Set([type]));
});

it.each(localRates('several local rates'))('reports $to as ambiguous: $says, because $note', (row) => {
  const detail = expect.stringContaining(row.says);
  // The explanation includes the reason for the choice.
  const { explained, said } = expectRow(row);
  expect([said('address_ambiguous').join(), explained]).toEqual([detail, detail]);
  expect(refusedBy('ambiguous_address', row.to)).toMatchObject([{ detail }]);
});

const rejecting = { settings: { incomplete_coverage: 'reject' as const } };
it.each<{ to: Address }>([
  { to: { state: 'AE', postal_code: '09001' } },
  { to: { state: 'AP', city: 'FPO', postal_code: '96349' } },
  { to: { state: 'AA', city: 'DPO', postal_code: '34002' } },
  { to: { postal_code: '96349' } },
])('covers military and diplomatic mail without tax: $to', ({ to }) => {
  expect(askAbout(to).resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'complete' });
  const outcome = ask({ to, tax_date, shipping: { amount: '9.00' }, explain: true }, rejecting);
  expect(outcome).toMatchObject({ tax_amount: '0.00', exempt_amount: '109.00', warnings: [] });
  const [row] = outcome.line_items[0]?.taxes ?? [];
  expect(row).toMatchObject({ taxability_reason: 'not_subject_to_tax', rate: '0' });
  expect(row?.jurisdiction_code).toMatch(/^US-A[AEP]$/);
  expect(outcome.explanation?.map(({ text }) => text).join(' ')).toContain('Mail to it leaves the state of sale');
  expect(ask({ to, tax_date: '2022-01-01' }, rejecting)).toMatchObject({ tax_amount: '0.00', warnings: [] });
});

/**
 * Places of one ZIP with the same general rate: clothing is exempt below 110.00 in Putnam County and not in Westchester
 * County (Publication 718-C), and the transit tax applies to drugs in Will County, but not in Kendall County.
 */
describe('products taxed differently in places with the same general rate', () => {
  const said = (to: Address, product_tax_code: string, ...unit_prices: string[]) => {
    const line_items = unit_prices.map((unit_price) => ({ product_tax_code, unit_price }));
    const { warnings } = ask({ to, tax_date: '2026-11-15', line_items });
    return warnings.flatMap(({ code, message, pointer }) =>
      code === 'taxability_assumed' && message.includes('differs in other places') ? [`${pointer} ${message}`] : [],
    );
  };
  const mahopac = { state: 'NY', postal_code: '10505' };
  const clothing = 'CLOTHING.APPAREL';

  it('returns a warning that names the places', () =>
    expect(said(mahopac, clothing, '110.00', '109.99', '100.00')).toEqual([
      '/line_items/1 New York: the tax on CLOTHING.APPAREL differs in other places where the address could be: Westchester County. Assumed: Putnam County. Send the city, or send the county (address.county), or import a table of rates by ZIP (format zip-rates).',
    ]));

  it.each<[string, Address, string, string]>([
    ['both places tax it', mahopac, clothing, '110.00'],
    ['the rates are equal for other goods', mahopac, 'GENERAL', '100.00'],
    ['both places exempt it', mahopac, 'FOOD.GROCERY', '100.00'],
    ['the address has the county', { ...mahopac, county: 'Putnam' }, clothing, '100.00'],
    ['the ZIP is in one county', { state: 'NY', postal_code: '10001' }, clothing, '100.00'],
  ])('causes no warning if %s', (_, to, code, price) => expect(said(to, code, price)).toEqual([]));

  // Westchester County taxes clothing at 4 3/8 % (Publication 718-C). All taxes of both places add up to 8.375 %.
  it.each([
    [clothing, '100.00', '4.38', 'Westchester', 'Putnam County'],
    [clothing, '110.00', '9.21', 'Putnam', ''],
    ['GENERAL', '100.00', '8.38', 'Putnam', ''],
  ])('charges the highest tax with highest_rate: $2 on $0 for $1, in $3', (code, price, tax, county, other) => {
    const line_items = [{ product_tax_code: code, unit_price: price }, { unit_price: '1000.00' }];
    const request = { to: mahopac, tax_date: '2026-11-15', line_items, shipping: { amount: '0.00' } };
    const highest = ask(request, { settings: { ambiguous_address: 'highest_rate' } });
    const named = ask({ ...request, to: { ...mahopac, county } });
    expect(highest.line_items.map(({ tax_amount }) => tax_amount)).toEqual([tax, '83.75']);
    expect(highest.line_items.map(({ taxes }) => taxes)).toEqual(named.line_items.map(({ taxes }) => taxes));
    const found = highest.warnings.flatMap(
      ({ message }) => /could be: (.*)\. Assumed: (.*?)[,.] .*Send/.exec(message) ?? [],
    );
    expect(found.slice(1)).toEqual(other ? [other, 'Westchester County'] : []);
  });

  it.each([
    [clothing, '100.00', ['/customer/address']],
    [clothing, '110.00', []],
    ['GENERAL', '100.00', []],
  ])(
    'rejects a request with the policy reject if the tax on $0 for $1 is ambiguous: $2',
    (product_tax_code, unit_price, expected) => {
      const request = { tax_date: '2026-11-15', line_items: [{ product_tax_code, unit_price }] };
      const problems = refusal({ ...request, to: mahopac }, { settings: { ambiguous_address: 'reject' } });
      expect(problems.map(({ source }) => source)).toEqual(expected.map((pointer) => ({ pointer })));
      for (const one of problems) expect(one).toMatchObject({ code: 'validation_address_unresolvable' });
      for (const { detail } of problems) expect(detail).toContain('Westchester County. The account');
      const customer = { address: mahopac, exemption: { type: 'resale' as const } };
      expect(refusal({ ...request, customer }, { settings: { ambiguous_address: 'reject' } })).toEqual([]);
    },
  );

  it('returns no warning if the buyer is exempt', () => {
    const customer = { address: mahopac, exemption: { type: 'resale' as const } };
    const { warnings } = ask({ customer, line_items: [{ product_tax_code: clothing }] });
    expect(warnings.filter(({ message }) => message.includes('differs in other places'))).toEqual([]);
  });

  it('returns a warning about one city in two counties', () => {
    const aurora = at('Aurora', 'IL', '60503');
    const [message, ...others] = said(aurora, 'HEALTH.DRUGS._PRESCRIPTION', '100.00');
    expect(message).toMatch(/could be: Aurora, Kendall County\. Assumed: Aurora, Will County\./);
    expect(others).toEqual([]);
    expect(said({ ...aurora, county: 'Kendall' }, 'HEALTH.DRUGS._PRESCRIPTION', '100.00')).toEqual([]);
  });
});

// Sheldahl, Iowa: the city taxes 1 % in Polk County; in Story and Boone Counties, the county does.
const [exempts, taxes] = ['exempts sales in cities', "raises Story County's rate to 2 %"];
const story = /differs in other places where the address could be: .*Story County/;
const sheldahl: Readonly<Record<string, Parameters<typeof buildOwnRules>[0]>> = {
  [exempts]: { rules: [rule('own', ['GENERAL'], { type: 'exempt' }, { levels: ['city'], source: 'own:ruling' })] },
  [taxes]: { rates: [{ ...always, jurisdiction: 'US-IA-169', rate: '0.02', source: 'own:ruling' }] },
};
it.each([
  [exempts, 'warn', '6.00', story],
  [exempts, 'highest_rate', '7.00', /Assumed: Story County/],
  [taxes, 'warn', '7.00', story],
  [taxes, 'highest_rate', '8.00', /Assumed: Story County/],
] as const)(
  'compares the taxes of places with equal rates if a custom rule %s, with the policy %s',
  (own, ambiguous_address, tax, message) => {
    const releaseFor = () => withOwnRules(builtIn('IA'), buildOwnRules(sheldahl[own] ?? {}));
    const outcome = ask({ to: at('', 'IA', '50243'), tax_date }, { releaseFor, settings: { ambiguous_address } });
    expect(outcome.tax_amount).toBe(tax);
    expect(outcome.warnings).toContainEqual(
      expect.objectContaining({ code: 'taxability_assumed', message: expect.stringMatching(message) }),
    );
  },
);

describe('custom jurisdictions of a ZIP', () => {
  const downtown = (state: string, zip: string, term: object = {}) => {
    const code = `US-${state}-OWN-DOWNTOWN`;
    return {
      jurisdictions: [{ code, name: 'Downtown', type: 'district', tax_type: 'sales', zips: [[zip, zip]] }],
      rates: [{ ...always, jurisdiction: code, rate: '0.01', source: 'own:ruling', ...term }],
    } as const;
  };
  /** Returns the tax on a sale, and its warnings about an ambiguous address. */
  const askOwn = (own: Parameters<typeof buildOwnRules>[0], { state, ...to }: Address & { readonly state: string }) => {
    // Mississippi and Idaho tax remote sales without local taxes.
    const isRemote = state === 'MS' || state === 'ID';
    const from = isRemote && { ship_from: { address: { state: 'CA', postal_code: '94612' } } };
    const releaseFor = () => withOwnRules(builtIn(state), buildOwnRules(own));
    const outcome = ask({ to: { state, ...to }, tax_date, ...from }, { releaseFor });
    const messages = outcome.warnings.flatMap(({ code, message }) => (code === 'address_ambiguous' ? message : []));
    expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(messages.length > 0);
    return [outcome.tax_amount, messages];
  };
  const sendZip = [expect.stringMatching(/custom rules .* Send the ZIP code\.$/)];

  // Kentucky has no other local taxes.
  it.each([
    ['40202', '7.00', []],
    ['40203', '6.00', []],
    ['', '6.00', sendZip],
  ])('calculates a tax of $1 for the ZIP "$0", with the warnings $2', (postal_code, tax, warnings) => {
    const to = { state: 'KY', city: 'Louisville', postal_code };
    expect(askOwn(downtown('KY', '40202'), to)).toEqual([tax, warnings]);
  });

  it.each([
    ['a former rate', 'KY', { from: '2020-01-01', to: '2021-12-31' }, '6.00', []],
    ['a later rate', 'KY', { from: '2028-01-01' }, '6.00', []],
    ['a rate in a sale from another state', 'MS', {}, '7.00', sendZip],
    ['a rate in a sale from another state', 'ID', {}, '6.00', sendZip],
  ])(
    '%s in %s: reports an address without a ZIP as ambiguous only if the custom tax may apply',
    (_, state, term, tax, warnings) => {
      expect(askOwn(downtown(state, '39201', term), { state })).toEqual([tax, warnings]);
    },
  );

  const exempting = { ...rule('own', ['GENERAL'], { type: 'exempt' }), source: 'own:ruling' };
  // Kentucky taxes 100.00 at 6 %. Mississippi taxes it at 7 %.
  it.each([
    ['40202', 'KY', {}, '0.00', []],
    ['40203', 'KY', {}, '6.00', []],
    ['', 'KY', {}, '6.00', sendZip],
    ['', 'KY', { to: '2021-12-31' }, '6.00', []],
    ['', 'MS', {}, '7.00', sendZip],
  ])(
    'calculates a tax of $3 with an exemption in ZIP 40202 for the ZIP "$0" in $1 ($2), with the warnings $4',
    (postal_code, state, term, tax, warnings) => {
      const rules = [{ ...exempting, id: 'own-downtown', zips: [['40202', '40202'] as const], ...term }];
      expect(askOwn({ rules }, { state, postal_code })).toEqual([tax, warnings]);
    },
  );

  // Jefferson County is all of Louisville's ZIP 40202. ZIP 06103 is in two planning regions of Connecticut.
  it.each([
    ['KY', '21111', { postal_code: '40202' }, '0.00', null],
    ['KY', '21111', { county: 'Jefferson' }, '0.00', null],
    ['KY', '21067', { postal_code: '40202' }, '6.00', null],
    ['KY', '21111', {}, '6.00', /no ZIP code was sent\. .* Send the ZIP code\.$/],
    ['CT', '09110', { postal_code: '06103' }, '6.35', /the county of the address is not certain\. .* Send the county/],
    ['MN', '27053', { postal_code: '55401' }, '0.00', null],
  ])('calculates a tax of $3 with an exemption in county $0 $1 for $2: $4', (state, county, to, tax, expected) => {
    const rules = [{ ...exempting, id: 'own-county', counties: [county] }];
    expect(askOwn({ rules }, { state, ...to })).toEqual([tax, expected ? [expect.stringMatching(expected)] : []]);
  });
});

describe('the explanation of an address', () => {
  const littleton = at('Littleton', 'CO', '80129');

  it('names the share of residents as the reason, not a policy', () => {
    const { explained } = askAbout(littleton);
    expect(explained).toMatch(/rate that applies to most residents is charged \(an estimated 91%\): Douglas County/);
    expect(explained).not.toMatch(/lowest|policy/);
  });

  it('charges the highest rate if the account uses highest_rate, and the warning names the charged place', () => {
    const { percent, explained, said } = askAbout(littleton, { ambiguous_address: 'highest_rate' });
    expect(percent).toBe(8.75);
    expect(explained).toMatch(/policy selects the highest .*: Douglas County with Littleton/);
    expect(said('local_rates_by_place').join()).toContain('Littleton');
  });

  it('charges the rate of the place in the address if the number of residents is unknown', () => {
    const { explained } = askAbout({ state: 'GA', county: 'DeKalb' });
    expect(explained).toContain('The rate of the first place is charged, because the address names it: DeKalb County');
  });
});

it('warns once about an uncertain rule of a state, not once per jurisdiction', () => {
  const candy = [{ product_tax_code: 'FOOD.CANDY' }];
  const { line_items, warnings } = ask({ to: at('Minneapolis', 'MN', '55401'), tax_date, line_items: candy });
  expect(line_items[0]?.taxes).toHaveLength(6);
  const message = expect.stringMatching(/^Minnesota, rule mn-taxable:/);
  expect(warnings.filter(({ code }) => code === 'content_unconfirmed')).toMatchObject([{ message }]);
});

/** The rates of an address without an order, as `GET /rates` returns them. */
const ratesAt = (query: RatesQuery, options: Options = {}) => askRates(query, { releaseFor: withTables, ...options });
const problemAt = async (query: RatesQuery, options: Options = {}) =>
  (await ratesRefusal(query, { releaseFor: withTables, ...options })).map(({ code, source }) => [code, source]);
const listCodes = ({ warnings }: Rates) => warnings.map(({ code }) => code);
const listParts = ({ jurisdictions }: Rates) =>
  Object.fromEntries(jurisdictions.map(({ jurisdiction_code, rate }) => [jurisdiction_code, rate]));

describe('rates of an address', () => {
  // According to the Minnesota Department of Revenue, the rate is 6.875% and, for Minneapolis, 2.15% in five parts.
  it('includes each jurisdiction and their sum: Minneapolis', async () => {
    const rates = await ratesAt({ postal_code: '55401' });
    expect(rates).toMatchObject({ object: 'rates', date: '2026-11-22', combined_rate: '0.09025' });
    expect(listParts(rates)).toEqual({
      'US-MN': '0.06875',
      'US-MN-00-053': '0.0015',
      'US-MN-01-43000': '0.005',
      'US-MN-63-80004': '0.005',
      'US-MN-63-80008': '0.0075',
      'US-MN-63-80009': '0.0025',
    });
    expect(rates.address_resolution).toEqual({ level: 'zip5', ambiguous: false, coverage: 'complete' });
    expect(listCodes(rates)).toEqual(['local_rates_by_place']);
    expect(rates.jurisdictions[0]).toMatchObject({ jurisdiction_type: 'state', tax_type: 'sales', confidence: 'high' });
    expect(Rates.safeParse(rates).error).toBeUndefined();
  });

  it('cites the source', async () => {
    const { jurisdictions } = await ratesAt({ postal_code: '10001' });
    for (const { source } of jurisdictions) expect(source).toMatch(/[a-z]{4}.* /i);
    expect(jurisdictions.at(-1)?.source).toContain('718');
  });

  it('matches the rates of a calculation', async () => {
    for (const to of [
      { postal_code: '55401' },
      { postal_code: '98101', city: 'Seattle', state: 'WA' },
      { postal_code: '80302', city: 'Boulder', state: 'CO' },
      { postal_code: '97201' },
    ]) {
      const { line_items } = ask({ to, tax_date: '2026-11-22' }, { releaseFor: withTables });
      const charged = line_items[0]?.taxes.map(({ jurisdiction_code, rate }) => [jurisdiction_code, rate]);
      expect(Object.entries(listParts(await ratesAt(to)))).toEqual(charged);
    }
  });

  it('omits a tax that applies only to a price band', async () => {
    const rates = await ratesAt({ postal_code: '37203', city: 'Nashville', state: 'TN' });
    expect(tabledRelease('TN')?.jurisdictions.length).toBeGreaterThan(1);
    expect(rates.combined_rate).toBe('0.0975');
    expect(rates.jurisdictions.filter(({ jurisdiction_type }) => jurisdiction_type === 'state')).toHaveLength(1);
  });

  it('returns the rates of sales from another state, with the return code if the content has it', async () => {
    const [state] = getRelease().jurisdictions;
    const [rate] = getRelease().rates;
    const release = getRelease({ id: 'US-MI@2026-01-01.1', of: [{ code: 'US-MI', type: 'state', rate: '0.06' }] });
    const other = {
      ...release,
      jurisdictions: [{ ...state, code: 'US-MI', reporting_code: '26' }],
      rates: [{ ...rate, jurisdiction: 'US-MI', interstate: { rate: '0.055' } }],
    } as typeof release;
    const rates = await ratesAt({ postal_code: '48933' }, { releaseFor: () => other });
    expect(rates).toMatchObject({ combined_rate: '0.055', jurisdictions: [{ rate: '0.055', reporting_code: '26' }] });
    expect((await ratesAt({ postal_code: '48933' })).jurisdictions[0]?.reporting_code).toBeNull();
  });

  it('warns once about each unconfirmed rate', async () => {
    const rates = await ratesAt({ postal_code: '78701', city: 'Austin', state: 'TX' });
    const uncertain = rates.jurisdictions.filter(({ confidence }) => ['low', 'medium'].includes(confidence));
    expect(uncertain.length).toBeGreaterThan(0);
    expect(listCodes(rates).filter((code) => code === 'content_unconfirmed')).toHaveLength(uncertain.length);
    expect(rates.warnings.every(({ pointer }) => pointer === null)).toBe(true);
  });
});

describe('unknown rates', () => {
  it("returns null with a warning for another country, or rejects it by the account's policy", async () => {
    const lyon = { city: 'Lyon', country: 'FR' };
    expect(await ratesAt(lyon)).toMatchObject({
      combined_rate: null,
      jurisdictions: [],
      content_releases: {},
      address_resolution: { level: 'none', coverage: 'none' },
      warnings: [{ code: 'not_covered', pointer: null }],
    });
    const reject = { settings: { incomplete_coverage: 'reject' } } as const;
    expect(await problemAt(lyon, reject)).toEqual([['validation_not_covered', { parameter: 'city' }]]);
    expect(await problemAt({ country: 'FR' }, reject)).toEqual([['validation_not_covered', { parameter: 'country' }]]);
  });

  it('includes the combined rate on a day in 2021, because the state rate is not covered', async () => {
    const austin = { postal_code: '78701', city: 'Austin', state: 'TX' };
    const rates = await ratesAt({ ...austin, date: '2021-12-31' });
    expect([rates.date, rates.combined_rate, rates.address_resolution.coverage]).toEqual(['2021-12-31', null, 'none']);
  });
});

it('returns no warning about calculated tax for an address that is not covered', async () => {
  const { warnings } = await ratesAt({ postal_code: '96910' });
  expect(warnings.map(({ code }) => code)).toEqual(['not_covered']);
  expect(warnings.map(({ message }) => message).join()).not.toContain('calculated');
});
