import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/content/content.ts';
import type { Release } from '../../shared/content/release.ts';
import { ask, listedReleaseFor, locationOf, refusal, releaseOf, warningCodes } from '../support/builders.ts';

type Address = {
  state?: string | null;
  postal_code?: string | null;
  city?: string | null;
  country?: string | null;
  line1?: string;
};
const problemsOf = (to: Address) => refusal({ to }).map(({ code, source }) => [code, source]);
const resolutionOf = (to: Address) => ask({ to }).line_items[0]?.address_resolution;

describe('an address that is read', () => {
  it.each<{ to: Address; level: string; state: string; because: string }>([
    { to: { state: 'MI', postal_code: '48933-1514' }, level: 'state', state: 'US-MI', because: 'a ZIP+4' },
    {
      to: { state: 'MI', postal_code: '489331514' },
      level: 'state',
      state: 'US-MI',
      because: 'a ZIP+4 without its hyphen',
    },
    { to: { state: 'MI', postal_code: '48933' }, level: 'state', state: 'US-MI', because: 'a ZIP' },
    { to: { postal_code: '48933' }, level: 'state', state: 'US-MI', because: 'the ZIP says the state' },
    {
      to: { state: ' mi ', postal_code: ' 48933 ' },
      level: 'state',
      state: 'US-MI',
      because: 'case and blanks do not matter',
    },
    { to: { state: 'Michigan' }, level: 'state', state: 'US-MI', because: 'the name of a state' },
    { to: { state: 'MI', city: 'Lansing' }, level: 'state', state: 'US-MI', because: 'a city' },
    { to: { state: 'MI' }, level: 'state', state: 'US-MI', because: 'a state alone' },
    { to: { state: 'MI', country: 'us' }, level: 'state', state: 'US-MI', because: 'a country in lower case' },
    {
      to: { state: 'MI', country: 'USA' },
      level: 'state',
      state: 'US-MI',
      because: 'the three letters of the country',
    },
    { to: { state: 'MI', country: '' }, level: 'state', state: 'US-MI', because: 'an empty country is none' },
    { to: { state: 'MI', country: ' ' }, level: 'state', state: 'US-MI', because: 'a blank country is none' },
    { to: { state: '', postal_code: '48933' }, level: 'state', state: 'US-MI', because: 'an empty state is none' },
    {
      to: { state: 'DC', postal_code: '20001' },
      level: 'state',
      state: 'US-DC',
      because: 'the District is a state here',
    },
    {
      to: { country: 'PR', postal_code: '00901' },
      level: 'state',
      state: 'US-PR',
      because: 'Puerto Rico as a country',
    },
    { to: { state: 'PR', postal_code: '00901' }, level: 'state', state: 'US-PR', because: 'Puerto Rico as a state' },
  ])('$to is $state, by $level: $because', ({ to, level, state }) => {
    const outcome = ask({ to });
    expect(outcome.line_items[0]?.address_resolution.level).toBe(level);
    expect(outcome.line_items[0]?.taxes[0]?.jurisdiction_code).toBe(state);
    expect(Object.keys(outcome.content_releases)).toEqual([state]);
  });

  it('a ZIP that is not in use leaves the decision to the state, with a warning', () => {
    const outcome = ask({ to: { state: 'MI', postal_code: '00000' } });
    expect(outcome.tax_amount).toBe('6.00');
    expect(warningCodes(outcome)).toEqual(['postal_code_unknown']);
    expect(outcome.line_items[0]?.address_resolution.level).toBe('state');
  });

  const borders = [
    { zip: '57717', states: ['MT', 'SD', 'WY'] },
    { zip: '82082', states: ['CO', 'NE', 'WY'] },
    { zip: '89061', states: ['CA', 'NV'] },
    { zip: '42223', states: ['KY', 'TN'] },
  ];

  it.each(borders.flatMap(({ zip, states }) => states.map((state) => ({ zip, state }))))(
    'a ZIP that crosses a border is in the state that is sent: $zip in $state',
    ({ zip, state }) => {
      const outcome = ask({ to: { state, postal_code: zip } }, { settings: { ambiguous_address: 'reject' } });
      expect(outcome.line_items[0]?.taxes[0]?.jurisdiction_code).toBe(`US-${state}`);
      expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(false);
    },
  );

  it.each([
    { state: 'KY', tax: '6.00' },
    { state: 'TN', tax: '7.00' },
  ])('and is taxed there: $tax in $state', ({ state, tax }) => {
    expect(ask({ to: { state, postal_code: '42223' } }).tax_amount).toBe(tax);
  });

  it.each(borders)('a ZIP that crosses a border is refused with a state beyond it: $zip', ({ zip, states }) => {
    const others = ['CA', 'CO', 'KY', 'MT', 'NE', 'NV', 'OR', 'SD', 'TN', 'WY'].filter((one) => !states.includes(one));
    for (const state of others)
      expect(problemsOf({ state, postal_code: zip })).toEqual([
        ['validation_address_unresolvable', { pointer: '/customer/address/postal_code' }],
      ]);
  });

  it.each(borders)(
    'a ZIP that crosses a border, without a state, is ambiguous: $zip is never guessed in silence',
    ({ zip, states }) => {
      const to = { postal_code: zip };
      const outcome = ask({ to });
      expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(true);
      const [warning] = outcome.warnings.filter(({ code }) => code === 'address_ambiguous');
      expect(warning).toMatchObject({ pointer: '/customer/address' });
      for (const state of states) expect(warning?.message).toMatch(new RegExp(`ZIP ${zip} lies in .*\\b${state} \\(0`));
      expect(warning?.message).toContain('Send the state.');
      expect(refusal({ to }, { settings: { ambiguous_address: 'reject' } })).toMatchObject([
        {
          code: 'validation_address_unresolvable',
          source: { pointer: '/customer/address' },
          detail: expect.stringContaining('Send the state.'),
        },
      ]);
    },
  );
});

/** What is asked of a ZIP without a state: its tax on 100.00, the state that was chosen, and the warning. */
const askZip = (postal_code: string, others: Parameters<typeof ask>[1] & { asked?: object } = {}) => {
  const { asked = {}, ...around } = others;
  const outcome = ask({ to: { postal_code }, ...asked }, around);
  const [line] = outcome.line_items;
  const warning = outcome.warnings.find(({ code }) => code === 'address_ambiguous')?.message;
  return {
    outcome,
    warning,
    tax: outcome.tax_amount,
    row: line?.taxes[0],
    states: Object.keys(outcome.content_releases),
  };
};
const dearest = { settings: { ambiguous_address: 'highest_rate' } } as const;

describe('a ZIP in several states, without a state', () => {
  it.each([
    { zip: '19973', lowest: ['US-DE', '0.00'], highest: ['US-MD', '6.00'] },
    { zip: '57717', lowest: ['US-MT', '0.00'], highest: ['US-SD', '6.20'] },
    { zip: '42223', lowest: ['US-KY', '6.00'], highest: ['US-TN', '7.00'] },
    { zip: '73949', lowest: ['US-OK', '4.50'], highest: ['US-TX', '6.25'] },
    { zip: '89061', lowest: ['US-NV', '6.85'], highest: ['US-CA', '7.25'] },
  ])('is in the one with the lowest rate, or by the highest_rate policy in the dearest: $zip', (one) => {
    const low = askZip(one.zip);
    expect([...low.states, low.tax]).toEqual(one.lowest);
    const high = askZip(one.zip, dearest);
    expect([...high.states, high.tax]).toEqual(one.highest);
    expect([low, high].map(({ outcome }) => outcome.line_items[0]?.address_resolution.ambiguous)).toEqual([true, true]);
  });

  it('says which states there are, at which rates, and which was assumed', () => {
    expect(askZip('57717', dearest).warning).toBe(
      'South Dakota: ZIP 57717 lies in MT (0), SD (0.062) and WY (0.05), and no state was sent; SD was assumed, which has the highest combined general rate that is known. Send the state.',
    );
    expect(askZip('19973').warning).toContain('DE was assumed, which has the lowest combined general rate');
  });

  const stateOf = (code: string, rate: string, others: Parameters<typeof releaseOf>[0] = {}) =>
    releaseOf({ of: [{ code, type: 'state', rate }], ...others });
  const forStates =
    (releases: Readonly<Record<string, Release>>): ReleaseFor =>
    ({ state }) =>
      releases[state ?? ''];
  const kentucky = stateOf('US-KY', '0.06');

  it('is compared with its local taxes: of all its parts by the highest rate, of the whole ZIP otherwise', () => {
    const tennessee = releaseOf({
      of: [
        { code: 'US-TN', type: 'state', rate: '0.04' },
        { code: 'A', type: 'county', rate: '0.01' },
        { code: 'B', type: 'county', rate: '0.03' },
      ],
      locations: [locationOf({ zips: [['42223', '42223']], alternatives: [['A'], ['B']] })],
    });
    const releaseFor = forStates({ KY: kentucky, TN: tennessee });
    expect(askZip('42223', { releaseFor }).tax).toBe('5.00');
    expect(askZip('42223', { releaseFor, ...dearest }).tax).toBe('7.00');
    expect(askZip('42223', { releaseFor, ...dearest }).warning).toContain('KY (0.06) and TN (0.07)');
  });

  it('is never in a state that the content does not cover, while it covers another, and says so', () => {
    const unknowns = [
      forStates({ TN: stateOf('US-TN', '0.07') }),
      forStates({ KY: stateOf('US-KY', '0.09', { locals: 'listed' }), TN: stateOf('US-TN', '0.07') }),
      forStates({ KY: stateOf('US-KY', '0.09', { established_to: '2026-08-31' }), TN: stateOf('US-TN', '0.07') }),
    ];
    for (const releaseFor of unknowns)
      for (const around of [{ releaseFor }, { releaseFor, ...dearest }]) {
        const found = askZip('42223', around);
        expect([found.tax, found.states]).toEqual(['7.00', ['US-TN']]);
        expect(found.warning).toContain('KY (not covered by the content) and TN (0.07)');
      }
    const none = askZip('42223', { releaseFor: () => undefined });
    expect([none.tax, none.row?.taxability_reason]).toEqual(['0.00', 'not_supported']);
    expect(none.warning).toContain('and no state was sent; KY was assumed. Send the state.');
  });

  it('decides about registrations and certificates as well', () => {
    const registrations = [{ state: 'TN', from: '2020-01-01', to: null, frequency: 'month' }] as const;
    const low = askZip('42223', { settings: { registrations: [...registrations] } });
    expect(low.row).toMatchObject({ jurisdiction_code: 'US-KY', taxability_reason: 'not_collecting' });
    const high = askZip('42223', { settings: { ...dearest.settings, registrations: [...registrations] } });
    expect(high.row).toMatchObject({ jurisdiction_code: 'US-TN', taxability_reason: 'standard_rated' });
    const customer = { address: { postal_code: '42223' }, exemption: { type: 'resale', regions: ['TN'] } };
    expect(askZip('42223', { ...dearest, asked: { customer } }).row?.taxability_reason).toBe('customer_exempt');
    expect(askZip('42223', { asked: { customer } }).row?.taxability_reason).not.toBe('customer_exempt');
  });

  it('decides whether the sale stays within its state, at either end', () => {
    const settings = {
      sourcing: [{ policy: 'origin', from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const],
    };
    const releaseFor = forStates({
      KY: stateOf('US-KY', '0.06', { settings }),
      TN: stateOf('US-TN', '0.07', { settings }),
    });
    const tennessee = { address: { state: 'TN', postal_code: '37201' } };
    const to = askZip('42223', { releaseFor, ...dearest, asked: { ship_from: tennessee } });
    expect(to.row).toMatchObject({ jurisdiction_code: 'US-TN', sourcing: 'origin' });
    expect(askZip('42223', { releaseFor, asked: { ship_from: tennessee } }).row).toMatchObject({
      jurisdiction_code: 'US-KY',
      sourcing: 'destination',
    });
    const from = { customer: tennessee, ship_from: { address: { postal_code: '42223' } } };
    expect(askZip('', { releaseFor, ...dearest, asked: from }).row?.sourcing).toBe('origin');
    expect(askZip('', { releaseFor, asked: from }).row?.sourcing).toBe('destination');
    expect(askZip('', { releaseFor, asked: from }).outcome.line_items[0]?.address_resolution.ambiguous).toBe(true);
  });
});

describe('an address that cannot be resolved', () => {
  it.each<{ to: Address; pointer: string; because: string }>([
    { to: {}, pointer: '/customer/address', because: 'it says nothing' },
    {
      to: { city: 'Lansing', line1: '200 N Capitol Ave' },
      pointer: '/customer/address',
      because: 'a city is in many states',
    },
    { to: { country: 'US' }, pointer: '/customer/address', because: 'a country is not enough' },
    {
      to: { postal_code: '00000' },
      pointer: '/customer/address',
      because: 'the ZIP is not in use, and no state is sent',
    },
    { to: { state: 'XX' }, pointer: '/customer/address/state', because: 'there is no such state' },
    { to: { state: 'Ontario' }, pointer: '/customer/address/state', because: 'it is in another country' },
    { to: { state: 'constructor' }, pointer: '/customer/address/state', because: 'an inherited name is no state' },
    {
      to: { state: 'MI', postal_code: '4893' },
      pointer: '/customer/address/postal_code',
      because: 'a digit is missing',
    },
    {
      to: { state: 'MI', postal_code: '489333' },
      pointer: '/customer/address/postal_code',
      because: 'a digit too many',
    },
    {
      to: { state: 'MI', postal_code: '48933-15' },
      pointer: '/customer/address/postal_code',
      because: 'half of a ZIP+4',
    },
    {
      to: { state: 'MI', postal_code: 'K1A 0B1' },
      pointer: '/customer/address/postal_code',
      because: 'a Canadian code',
    },
    {
      to: { state: 'MI', postal_code: '٤٨٩٣٣' },
      pointer: '/customer/address/postal_code',
      because: 'digits of another script',
    },
    {
      to: { state: 'OH', postal_code: '48933' },
      pointer: '/customer/address/postal_code',
      because: 'the ZIP is in Michigan',
    },
    {
      to: { state: 'GA', postal_code: '42223' },
      pointer: '/customer/address/postal_code',
      because: 'the ZIP crosses other borders',
    },
    {
      to: { country: 'PR', postal_code: '48933' },
      pointer: '/customer/address/postal_code',
      because: 'the ZIP is not in Puerto Rico',
    },
  ])('$to is refused at $pointer: $because', ({ to, pointer }) => {
    expect(problemsOf(to)).toEqual([['validation_address_unresolvable', { pointer }]]);
  });

  it('is told for each line that has one of its own, all together, and once for the address of the document', () => {
    const bad = { address: { state: 'XX' } };
    const problems = refusal({ to: { state: 'YY' }, line_items: [{}, { customer: bad }, {}, { customer: bad }] });
    expect(problems.map(({ source }) => source)).toEqual([
      { pointer: '/customer/address/state' },
      { pointer: '/line_items/1/customer/address/state' },
      { pointer: '/line_items/3/customer/address/state' },
    ]);
  });

  it('is told of the origin as well', () => {
    const problems = refusal({ to: { state: 'PA' }, ship_from: { address: { state: 'XX' } } });
    expect(problems.map(({ source }) => source)).toEqual([{ pointer: '/ship_from/address/state' }]);
    const own = refusal({ to: { state: 'PA' }, line_items: [{ ship_from: { address: { state: 'XX' } } }] });
    expect(own.map(({ source }) => source)).toEqual([{ pointer: '/line_items/0/ship_from/address/state' }]);
  });
});

describe('an address that no content covers', () => {
  it.each<{ to: Address; code: string }>([
    { to: { country: 'CA', state: 'ON', postal_code: 'K1A 0B1' }, code: 'CA' },
    { to: { country: 'ca' }, code: 'CA' },
    { to: { country: 'DE', city: 'Berlin' }, code: 'DE' },
    { to: { state: 'GU', postal_code: '96910' }, code: 'US-GU' },
    { to: { country: 'VI', postal_code: '00802' }, code: 'US-VI' },
    { to: { state: 'AE', postal_code: '09001' }, code: 'US-AE' },
  ])('$to is not supported: no tax, a row that says so, and a warning', ({ to, code }) => {
    const outcome = ask({ to, shipping: { amount: '10.00' } });
    expect(outcome).toMatchObject({
      tax_amount: '0.00',
      taxable_amount: '0.00',
      exempt_amount: '110.00',
      content_releases: {},
    });
    expect(outcome.line_items[0]?.taxes).toMatchObject([
      { jurisdiction_code: code, taxability_reason: 'not_supported' },
    ]);
    expect(outcome.shipping?.taxes).toMatchObject([{ jurisdiction_code: code, taxability_reason: 'not_supported' }]);
    expect(warningCodes(outcome)).toEqual(['not_covered']);
    expect(resolutionOf(to)).toEqual({ level: 'none', ambiguous: false, coverage: 'none' });
  });
});

describe('the policies of the account', () => {
  it.each<{ to: Address; because: string }>([
    { to: { state: 'NY', postal_code: '10001' }, because: 'local rates are missing' },
    { to: { country: 'CA' }, because: 'nothing covers it' },
  ])('incomplete_coverage reject refuses $to: $because', ({ to }) => {
    const problems = refusal({ to }, { settings: { incomplete_coverage: 'reject' } });
    expect(problems).toMatchObject([{ code: 'validation_not_covered', source: { pointer: '/customer/address' } }]);
    expect(refusal({ to })).toEqual([]);
  });

  it('incomplete_coverage reject lets complete content through', () => {
    expect(
      ask({ to: { state: 'MI', postal_code: '48933' } }, { settings: { incomplete_coverage: 'reject' } }).tax_amount,
    ).toBe('6.00');
  });

  it('incomplete_coverage reject applies only where the account collects', () => {
    const settingsIn = (state: string) => ({
      incomplete_coverage: 'reject' as const,
      registrations: [{ state, from: '2020-01-01', to: null, frequency: 'month' as const }],
    });
    const to = { state: 'TX' };
    expect(refusal({ to }, { settings: settingsIn('TX') })).toMatchObject([{ code: 'validation_not_covered' }]);
    expect(ask({ to }, { settings: settingsIn('MI') }).line_items[0]?.taxes[0]?.taxability_reason).toBe(
      'not_collecting',
    );
  });

  it('ambiguous_address reject refuses a ZIP that spans jurisdictions, and lets the others through', () => {
    const around = { settings: { ambiguous_address: 'reject' } } as const;
    expect(
      refusal({ to: { state: 'PA', postal_code: '19113' } }, { ...around, releaseFor: listedReleaseFor }),
    ).toMatchObject([{ code: 'validation_address_unresolvable', source: { pointer: '/customer/address' } }]);
    expect(ask({ to: { state: 'PA', postal_code: '19103' } }, around).tax_amount).toBe('8.00');
  });
});

describe('the location of an address', () => {
  const of = [
    { code: 'US-XX', type: 'state', rate: '0.04' },
    { code: 'US-XX-A', type: 'county', rate: '0.01' },
    { code: 'US-XX-B', type: 'city', rate: '0.03' },
  ] as const;
  const release = releaseOf({
    of,
    locations: [
      locationOf({ zips: [['489330000', '489339999']], alternatives: [['US-XX-A']] }),
      locationOf({ zips: [['489331500', '489331599']], alternatives: [['US-XX-A', 'US-XX-B']] }),
      locationOf({ zips: [['48900', '48999']], alternatives: [[], ['US-XX-B'], ['US-XX-A']] }),
      locationOf({ zips: [['48910', '48910']], alternatives: [['US-XX-B']], from: '2026-07-01' }),
      locationOf({ cities: ['ST JOHNS'], alternatives: [['US-XX-B']] }),
    ],
  });
  const around = { releaseFor: () => release };

  it.each<{ to: Address; tax: string; ambiguous: boolean; because: string }>([
    {
      to: { postal_code: '48933' },
      tax: '5.00',
      ambiguous: true,
      because: 'the narrowest range that holds the whole ZIP, which has another one inside',
    },
    {
      to: { postal_code: '48933-1499' },
      tax: '5.00',
      ambiguous: false,
      because: 'just before the range of four digits',
    },
    { to: { postal_code: '48933-1500' }, tax: '8.00', ambiguous: false, because: 'a first code is inclusive' },
    { to: { postal_code: '48933-1599' }, tax: '8.00', ambiguous: false, because: 'a last code is inclusive' },
    { to: { postal_code: '48933-1600' }, tax: '5.00', ambiguous: false, because: 'just after it' },
    { to: { postal_code: '48911' }, tax: '4.00', ambiguous: true, because: 'of several sets the cheapest (SSUTA 305)' },
    { to: { postal_code: '48910' }, tax: '7.00', ambiguous: false, because: 'the location is in force' },
    { to: { city: 'St. Johns' }, tax: '7.00', ambiguous: true, because: 'punctuation in a city does not matter' },
    { to: { city: 'Johns' }, tax: '4.00', ambiguous: false, because: 'a part of a name is no city' },
    {
      to: { postal_code: '48933', city: 'St. Johns' },
      tax: '5.00',
      ambiguous: true,
      because: 'the ZIP wins over the city',
    },
  ])('$to: $tax, ambiguous $ambiguous, $because', ({ to, tax, ambiguous }) => {
    const outcome = ask({ to: { state: 'MI', ...to } }, around);
    expect(outcome.tax_amount).toBe(tax);
    expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(ambiguous);
  });

  it('counts from its first day', () => {
    const to = { state: 'MI', postal_code: '48910' };
    expect(ask({ to, tax_date: '2026-06-30' }, around).tax_amount).toBe('4.00');
    expect(ask({ to, tax_date: '2026-07-01' }, around).tax_amount).toBe('7.00');
  });

  it('by the highest_rate policy is the dearest of several', () => {
    const to = { state: 'MI', postal_code: '48911' };
    expect(ask({ to }, { ...around, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('7.00');
  });
});

describe('what the warning of an address says', () => {
  const of = [
    { code: 'US-MI', type: 'state', rate: '0.04' },
    { code: 'CHEAP', type: 'city', rate: '0.01' },
    { code: 'DEAR', type: 'city', rate: '0.03' },
  ] as const;
  const release = releaseOf({
    of,
    name: 'Michigan',
    coverage: 'partial',
    locals: 'listed',
    locations: [
      locationOf({ zips: [['48933', '48933']], alternatives: [['CHEAP']] }),
      locationOf({ zips: [['489331500', '489331599']], alternatives: [['DEAR']] }),
      locationOf({ zips: [['489331550', '489331649']], alternatives: [['CHEAP']] }),
      locationOf({ zips: [['489340001', '489340099']], alternatives: [['DEAR']] }),
      locationOf({ zips: [['489340100', '489340199']], alternatives: [['CHEAP']] }),
      locationOf({ cities: ['ADA'], alternatives: [['CHEAP'], ['DEAR']] }),
      locationOf({ zips: [['48935', '48935']], alternatives: [['CHEAP'], ['DEAR']] }),
      locationOf({ zips: [['48936', '48936']], alternatives: [['CHEAP']], crosses_borders: true }),
      locationOf({ zips: [['48937', '48937']], alternatives: [['CHEAP']] }),
      locationOf({ zips: [['48937', '48937']], alternatives: [['DEAR']], within_city: 'HOLT' }),
      locationOf({ zips: [['48938', '48938']], alternatives: [['CHEAP']], yields_to_city: true }),
      locationOf({ zips: [['48939', '48939']], alternatives: [['DEAR']], within_city: 'HOLT' }),
    ],
  });
  const around = { releaseFor: () => release };

  it.each<{ to: Address; message: string }>([
    {
      to: { postal_code: '48933' },
      message:
        'Michigan: ZIP 48933 spans jurisdictions with different taxes. Assumed: Name of CHEAP. Send a ZIP+4 (48933-1514).',
    },
    {
      to: { postal_code: '48934' },
      message:
        'Michigan: the content has a part of ZIP 48934 alone, and an address without its four digits may lie in the rest. Assumed: Name of CHEAP. Send a ZIP+4 (48933-1514).',
    },
    {
      to: { postal_code: '48935' },
      message:
        'Michigan: ZIP 48935 spans jurisdictions with different taxes. Assumed: Name of CHEAP. No other address would be more precise: only content by ZIP+4 would be.',
    },
    {
      to: { postal_code: '48935-1234' },
      message:
        'Michigan: ZIP 48935 spans jurisdictions with different taxes. Assumed: Name of CHEAP. No other address would be more precise: only content by ZIP+4 would be.',
    },
    {
      to: { postal_code: '48936-1234' },
      message:
        'Michigan: borders cross ZIP 48936, for which the content has one rate: parts of it may have other local taxes. Assumed: Name of CHEAP. No other address would be more precise: only content by ZIP+4 would be.',
    },
    {
      to: { postal_code: '48937' },
      message:
        'Michigan: the content has local taxes of their own for addresses of HOLT in ZIP 48937, and no city was sent. Assumed: Name of CHEAP. Send the city.',
    },
    {
      to: { postal_code: '48937', city: 'Dewitt' },
      message:
        'Michigan: the content has local taxes of their own for addresses of HOLT in ZIP 48937, and DEWITT is none of them. Assumed: Name of CHEAP. Send the city as it is written there, if it is one of them.',
    },
    {
      to: { postal_code: '48938' },
      message:
        'Michigan: the content has local taxes by the names of cities too, which come before those of ZIP 48938, and no city was sent. Assumed: Name of CHEAP. Send the city.',
    },
    {
      to: { postal_code: '48933-1560' },
      message:
        'Michigan: the content gives ZIP 48933-1560 several sets of local taxes. Assumed: Name of CHEAP. No other address would be more precise: the content has to be corrected.',
    },
    {
      to: { state: 'MI', city: 'Ada' },
      message:
        'Michigan: the content knows ADA by its name alone, and mail for it also goes to places beyond its limits, whose local taxes may be others. Assumed: Name of CHEAP. Send the ZIP code.',
    },
  ])('$to: $message', ({ to, message }) => {
    const { warnings } = ask({ to }, around);
    expect(warnings.filter(({ code }) => code === 'address_ambiguous')).toEqual([
      { code: 'address_ambiguous', message, pointer: '/customer/address' },
    ]);
    const [problem] = refusal({ to }, { ...around, settings: { ambiguous_address: 'reject' } });
    expect(problem?.code).toBe('validation_address_unresolvable');
    expect(problem?.detail).toContain(message.slice(message.lastIndexOf('. ', message.length - 2) + 2));
  });

  const messagesOf = (to: Address, code: string, more: Parameters<typeof ask>[0] = {}) =>
    ask({ to, ...more }, around)
      .warnings.filter((warning) => warning.code === code)
      .map(({ message }) => message);

  it('a ZIP of which only a part is known lacks local taxes too, and both policies refuse it', () => {
    const to = { postal_code: '48934' };
    const { tax_amount, line_items } = ask({ to }, around);
    expect(tax_amount).toBe('5.00');
    expect(line_items[0]?.address_resolution).toEqual({ level: 'zip5', ambiguous: true, coverage: 'partial' });
    expect(messagesOf(to, 'local_rates_missing')).toEqual([
      expect.stringMatching(/US-MI@2026-10-01\.1 .*part of ZIP 48934/),
    ]);
    expect(ask({ to }, { ...around, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('7.00');
    const refused = (settings: NonNullable<Parameters<typeof ask>[1]>['settings']) =>
      refusal({ to }, { ...around, settings: settings ?? {} }).map(({ code }) => code);
    expect(refused({ ambiguous_address: 'reject' })).toEqual(['validation_address_unresolvable']);
    expect(refused({ incomplete_coverage: 'reject' })).toEqual(['validation_not_covered']);
  });

  it.each<{ to: Address; zip: string; advice: string }>([
    { to: { postal_code: '48934-5000' }, zip: '48934-5000', advice: 'the four digits, or leave them' },
    { to: { postal_code: '48939', city: 'Dewitt' }, zip: '48939', advice: 'the city, or leave it' },
  ])('$to is not covered, and another address of its ZIP is', ({ to, zip, advice }) => {
    expect(ask({ to }, around).tax_amount).toBe('0.00');
    expect(messagesOf(to, 'not_covered')).toEqual([
      expect.stringMatching(new RegExp(`ZIP ${zip} .* ZIP ${zip.slice(0, 5)} .*correct ${advice} out`)),
    ]);
    expect(refusal({ to }, { ...around, settings: { incomplete_coverage: 'reject' } })).toMatchObject([
      { code: 'validation_not_covered' },
    ]);
  });

  it('a ZIP in several states, of one of which a part is known, says so', () => {
    const kentucky = releaseOf({
      of: [
        { code: 'US-KY', type: 'state', rate: '0.04' },
        { code: 'CHEAP', type: 'city', rate: '0.01' },
      ],
      locals: 'listed',
      locations: [locationOf({ zips: [['422230001', '422230099']], alternatives: [['CHEAP']] })],
    });
    const releaseFor: ReleaseFor = ({ state }) => (state === 'KY' ? kentucky : undefined);
    const { warnings } = ask({ to: { postal_code: '42223' } }, { releaseFor });
    expect(warnings.find(({ code }) => code === 'address_ambiguous')?.message).toContain(
      'KY (0.05 in the part of the ZIP that is known)',
    );
  });

  it('a ZIP+4 says it all', () => {
    for (const plus4 of ['1499', '1500', '1649', '1650'])
      expect(warningCodes(ask({ to: { postal_code: `48933-${plus4}` } }, around))).not.toContain('address_ambiguous');
  });

  it.each<{ to: Address; because: string }>([
    { to: { state: 'MI' }, because: 'the release has local taxes by ZIP' },
    { to: { state: 'MI', city: 'Nowhere' }, because: 'it does not name the city' },
  ])('$to lacks local taxes: $because', ({ to }) => {
    const outcome = ask({ to }, around);
    expect(outcome.tax_amount).toBe('4.00');
    expect(outcome.line_items[0]?.address_resolution).toEqual({
      level: 'state',
      ambiguous: false,
      coverage: 'partial',
    });
    expect(outcome.warnings.filter(({ code }) => code === 'local_rates_missing').map(({ message }) => message)).toEqual(
      [expect.stringContaining('address.postal_code')],
    );
  });

  it('a ZIP+4 does not help where the content has no local taxes', () => {
    const { warnings } = ask({ to: { state: 'NY', postal_code: '10001' } }, { releaseFor: listedReleaseFor });
    const [missing] = warnings.filter(({ code }) => code === 'local_rates_missing');
    expect(missing?.message).not.toContain('address.');
  });

  it('a ZIP that is not in use decides nothing, and where every ZIP is listed nothing is covered', () => {
    const unused = ask({ to: { state: 'MI', postal_code: '00000' } }, around);
    expect(unused.tax_amount).toBe('0.00');
    expect(unused.warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'not_covered',
        'Michigan: US-MI@2026-10-01.1 has no local taxes in force for ZIP 00000 on the tax day. No tax was calculated.',
      ],
      ['postal_code_unknown', 'ZIP 00000 is not known to be in use.'],
    ]);
  });
});

it('a day that the content does not reach is not covered, for the policy too', () => {
  const old = { to: { state: 'MI', postal_code: '48933' }, tax_date: '2025-12-31' };
  const outcome = ask(old);
  expect(outcome.line_items[0]?.address_resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'none' });
  expect(outcome.warnings.map(({ code }) => code)).toEqual(['not_covered']);
  expect(refusal(old, { settings: { incomplete_coverage: 'reject' } })).toMatchObject([
    { code: 'validation_not_covered', source: { pointer: '/customer/address' } },
  ]);
});
