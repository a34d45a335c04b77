import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { ask, listedRelease, locationOf, refusal, releaseOf, warningCodes } from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

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
  it.each<[Address, string, string, string]>([
    [{ state: 'MI', postal_code: '48933-1514' }, 'US-MI', 'state', 'a ZIP+4'],
    [{ state: 'MI', postal_code: '489331514' }, 'US-MI', 'state', 'a ZIP+4 without its hyphen'],
    [{ state: 'MI', postal_code: '48933' }, 'US-MI', 'state', 'a ZIP'],
    [{ postal_code: '48933' }, 'US-MI', 'state', 'the ZIP says the state'],
    [{ state: ' mi ', postal_code: ' 48933 ' }, 'US-MI', 'state', 'case and blanks do not matter'],
    [{ state: 'Michigan' }, 'US-MI', 'state', 'the name of a state'],
    [{ state: 'MI', city: 'Lansing' }, 'US-MI', 'state', 'a city'],
    [{ state: 'MI' }, 'US-MI', 'state', 'a state alone'],
    [{ state: 'MI', country: 'us' }, 'US-MI', 'state', 'a country in lower case'],
    [{ state: 'MI', country: 'USA' }, 'US-MI', 'state', 'the three letters of the country'],
    [{ state: 'MI', country: '' }, 'US-MI', 'state', 'an empty country is none'],
    [{ state: 'MI', country: ' ' }, 'US-MI', 'state', 'a blank country is none'],
    [{ state: '', postal_code: '48933' }, 'US-MI', 'state', 'an empty state is none'],
    [{ state: 'DC', postal_code: '20001' }, 'US-DC', 'state', 'the District is a state here'],
    [{ country: 'PR', postal_code: '00901' }, 'US-PR', 'county', 'Puerto Rico as a country'],
    [{ state: 'PR', postal_code: '00901' }, 'US-PR', 'county', 'Puerto Rico as a state'],
  ])('%o is %s, by %s: %s', (to, state, level) => {
    const outcome = ask({ to });
    expect(outcome.line_items[0]?.address_resolution.level).toBe(level);
    expect(outcome.line_items[0]?.taxes[0]?.jurisdiction_code).toBe(state);
    expect(Object.keys(outcome.content_releases)).toEqual([state]);
  });

  it('uses the state for a ZIP that is not in use, with a warning', () => {
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
      const { line_items, warnings } = ask({ to: { state, postal_code: zip } });
      expect(line_items[0]?.taxes[0]?.jurisdiction_code).toBe(`US-${state}`);
      // Its local rates may be in uncertainty, and its state is not.
      for (const { code, message } of warnings)
        if (code === 'address_ambiguous') expect(message).not.toContain('Send the state');
    },
  );

  it.each(borders)('a ZIP that crosses a border is refused with a state beyond it: $zip', ({ zip, states }) => {
    const others = ['CA', 'CO', 'KY', 'MT', 'NE', 'NV', 'OR', 'SD', 'TN', 'WY'].filter((one) => !states.includes(one));
    for (const state of others)
      expect(problemsOf({ state, postal_code: zip })).toEqual([
        ['validation_address_unresolvable', { pointer: '/customer/address/postal_code' }],
      ]);
  });

  it.each(borders)(
    'a ZIP that crosses a border, without a state, is ambiguous and has a warning: $zip',
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

/** A request for a ZIP without a state: its tax on 100.00, the chosen state, and the warning. */
const askZip = (postal_code: string, others: Parameters<typeof ask>[1] & { request?: object } = {}) => {
  const { request = {}, ...options } = others;
  const outcome = ask({ to: { postal_code }, ...request }, options);
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
    { zip: '42223', lowest: ['US-KY', '6.00'], highest: ['US-TN', '9.50'] },
    { zip: '73949', lowest: ['US-TX', '6.25'], highest: ['US-OK', '8.95'] },
    { zip: '89061', lowest: ['US-NV', '7.60'], highest: ['US-CA', '7.75'] },
  ])('is in the state with the lowest rate, or by the highest_rate policy with the highest: $zip', (one) => {
    const low = askZip(one.zip);
    expect([...low.states, low.tax]).toEqual(one.lowest);
    const high = askZip(one.zip, dearest);
    expect([...high.states, high.tax]).toEqual(one.highest);
    expect([low, high].map(({ outcome }) => outcome.line_items[0]?.address_resolution.ambiguous)).toEqual([true, true]);
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

  it('is never in a state without content while another has content, and has a warning', () => {
    const unknowns = [
      forStates({ TN: stateOf('US-TN', '0.07') }),
      forStates({ KY: stateOf('US-KY', '0.09', { established_to: '2026-08-31' }), TN: stateOf('US-TN', '0.07') }),
    ];
    for (const releaseFor of unknowns)
      for (const options of [{ releaseFor }, { releaseFor, ...dearest }]) {
        const found = askZip('42223', options);
        expect([found.tax, found.states]).toEqual(['7.00', ['US-TN']]);
        expect(found.warning).toMatch(/KY \(.*TN \(0\.07\)/);
      }
    const none = askZip('42223', { releaseFor: () => undefined });
    expect([none.tax, none.row?.taxability_reason]).toEqual(['0.00', 'not_supported']);
    expect(none.warning).toContain('KY was assumed');
  });

  it('decides about registrations and certificates as well', () => {
    const registrations = [{ state: 'TN', from: '2020-01-01', to: null, frequency: 'month' }] as const;
    const low = askZip('42223', { settings: { registrations: [...registrations] } });
    expect(low.row).toMatchObject({ jurisdiction_code: 'US-KY', taxability_reason: 'not_collecting' });
    const high = askZip('42223', { settings: { ...dearest.settings, registrations: [...registrations] } });
    expect(high.row).toMatchObject({ jurisdiction_code: 'US-TN', taxability_reason: 'standard_rated' });
    const customer = { address: { postal_code: '42223' }, exemption: { type: 'resale', regions: ['TN'] } };
    expect(askZip('42223', { ...dearest, request: { customer } }).row?.taxability_reason).toBe('customer_exempt');
    expect(askZip('42223', { request: { customer } }).row?.taxability_reason).not.toBe('customer_exempt');
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
    const to = askZip('42223', { releaseFor, ...dearest, request: { ship_from: tennessee } });
    expect(to.row).toMatchObject({ jurisdiction_code: 'US-TN', sourcing: 'origin' });
    expect(askZip('42223', { releaseFor, request: { ship_from: tennessee } }).row).toMatchObject({
      jurisdiction_code: 'US-KY',
      sourcing: 'destination',
    });
    const from = { customer: tennessee, ship_from: { address: { postal_code: '42223' } } };
    expect(askZip('', { releaseFor, ...dearest, request: from }).row?.sourcing).toBe('origin');
    expect(askZip('', { releaseFor, request: from }).row?.sourcing).toBe('destination');
    expect(askZip('', { releaseFor, request: from }).outcome.line_items[0]?.address_resolution.ambiguous).toBe(true);
  });
});

describe('an address that cannot be resolved', () => {
  it.each<[Address, string, string]>([
    [{}, '/customer/address', 'it says nothing'],
    [{ city: 'Lansing', line1: '200 N Capitol Ave' }, '/customer/address', 'a city is in many states'],
    [{ country: 'US' }, '/customer/address', 'a country is not enough'],
    [{ postal_code: '00000' }, '/customer/address', 'the ZIP is not in use, and no state is sent'],
    [{ state: 'XX' }, '/customer/address/state', 'there is no such state'],
    [{ state: 'Ontario' }, '/customer/address/state', 'it is in another country'],
    [{ state: 'constructor' }, '/customer/address/state', 'an inherited name is no state'],
    [{ state: 'MI', postal_code: '4893' }, '/customer/address/postal_code', 'a digit is missing'],
    [{ state: 'MI', postal_code: '489333' }, '/customer/address/postal_code', 'a digit too many'],
    [{ state: 'MI', postal_code: '48933-15' }, '/customer/address/postal_code', 'half of a ZIP+4'],
    [{ state: 'MI', postal_code: 'K1A 0B1' }, '/customer/address/postal_code', 'a Canadian code'],
    [{ state: 'MI', postal_code: '٤٨٩٣٣' }, '/customer/address/postal_code', 'digits of another script'],
    [{ state: 'OH', postal_code: '48933' }, '/customer/address/postal_code', 'the ZIP is in Michigan'],
    [{ state: 'GA', postal_code: '42223' }, '/customer/address/postal_code', 'the ZIP crosses other borders'],
    [{ country: 'PR', postal_code: '48933' }, '/customer/address/postal_code', 'the ZIP is not in Puerto Rico'],
  ])('%o is refused at %s: %s', (to, pointer) => {
    expect(problemsOf(to)).toEqual([['validation_address_unresolvable', { pointer }]]);
  });

  it.each([
    ['USVI', 'Send VI for U.S. Virgin Islands.'],
    ['U.S.V.I.', 'Send VI for U.S. Virgin Islands.'],
    ['us vi', 'Send VI instead of us vi.'],
    ['U.S. V.I.', 'Send VI for U.S. Virgin Islands.'],
    ['CNMI', 'Send MP for Northern Mariana Islands.'],
    ['Micronesia', 'Send FM for Federated States of Micronesia.'],
    ['Calif.', 'Send CA for California.'],
    ['Massachusets', 'Send MA for Massachusetts.'],
    ['Armed Forces Eur', 'Send AE for Armed Forces Europe.'],
    ['APO', 'Send AA, AE or AP, and APO as the city.'],
    ['US-MI', 'Send MI instead of US-MI.'],
    // Five states begin so.
    ['North', 'Send a two-letter state code such as MI, or the name of the state.'],
    ['Ontario', 'Send a two-letter state code such as MI, or the name of the state.'],
  ])('names what to send for the state %s', (state, advice) => {
    const [problem] = refusal({ to: { state } });
    expect(problem?.detail.endsWith(advice), problem?.detail).toBe(true);
  });

  it.each([
    [{ country: 'Puerto Rico', postal_code: '00901' }, 'US-PR'],
    [{ country: 'Guam' }, 'US-GU'],
    [{ country: 'U.S. Virgin Islands' }, 'US-VI'],
    [{ country: 'U.S.A.', state: 'MI' }, 'US-MI'],
    [{ country: 'Georgia' }, 'GEORGIA'],
    [{ country: 'CA' }, 'CA'],
  ])('is read by the name of a territory as its country: %o is %s', (to, code) => {
    expect(ask({ to }).line_items[0]?.taxes[0]?.jurisdiction_code).toBe(code);
  });

  it.each([
    [{ state: 'GU', postal_code: '96910' }, 'Guam'],
    [{ state: 'PW', postal_code: '96940' }, 'Palau'],
    [{ country: 'CA' }, 'Country CA'],
  ])('returns what applies outside of the states: %o', (to, name) => {
    expect(ask({ to }).warnings).toEqual([
      {
        code: 'not_covered',
        message: `${name} is not covered by any content release: no state's sales tax is due on deliveries there, and its own taxes are not known. No tax was calculated.`,
        pointer: '/customer/address',
      },
    ]);
  });

  it('is a problem of each line with its own address, and one problem of the document', () => {
    const bad = { address: { state: 'XX' } };
    const problems = refusal({ to: { state: 'YY' }, line_items: [{}, { customer: bad }, {}, { customer: bad }] });
    expect(problems.map(({ source }) => source)).toEqual([
      { pointer: '/customer/address/state' },
      { pointer: '/line_items/1/customer/address/state' },
      { pointer: '/line_items/3/customer/address/state' },
    ]);
  });

  it('is a problem of the origin as well', () => {
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
    { to: { state: 'PW', postal_code: '96940' }, code: 'US-PW' },
  ])('$to is not supported: no tax, a row with the reason, and a warning', ({ to, code }) => {
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
    expect(onlyShipping(outcome.shipping)?.taxes).toMatchObject([
      { jurisdiction_code: code, taxability_reason: 'not_supported' },
    ]);
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
    const options = { settings: { ambiguous_address: 'reject' } } as const;
    expect(
      refusal({ to: { state: 'PA', postal_code: '19113' } }, { ...options, releaseFor: () => listedRelease }),
    ).toMatchObject([{ code: 'validation_address_unresolvable', source: { pointer: '/customer/address' } }]);
    expect(ask({ to: { state: 'PA', postal_code: '19103' } }, options).tax_amount).toBe('8.00');
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
  const options = { releaseFor: () => release };

  it.each<[Address, string, boolean, string]>([
    [
      { postal_code: '48933' },
      '5.00',
      true,
      'the narrowest range that holds the whole ZIP, which has another one inside',
    ],
    [{ postal_code: '48933-1499' }, '5.00', false, 'just before the range of four digits'],
    [{ postal_code: '48933-1500' }, '8.00', false, 'a first code is inclusive'],
    [{ postal_code: '48933-1599' }, '8.00', false, 'a last code is inclusive'],
    [{ postal_code: '48933-1600' }, '5.00', false, 'just after it'],
    [{ postal_code: '48911' }, '4.00', true, 'of several sets the cheapest (SSUTA 305)'],
    [{ postal_code: '48910' }, '7.00', false, 'the location is in force'],
    [{ city: 'St. Johns' }, '7.00', true, 'punctuation in a city does not matter'],
    [{ city: 'Johns' }, '4.00', false, 'a part of a name is no city'],
    [{ postal_code: '48933', city: 'St. Johns' }, '5.00', true, 'the ZIP wins over the city'],
  ])('%o: %s, ambiguous %s, %s', (to, tax, ambiguous) => {
    const outcome = ask({ to: { state: 'MI', ...to } }, options);
    expect(outcome.tax_amount).toBe(tax);
    expect(outcome.line_items[0]?.address_resolution.ambiguous).toBe(ambiguous);
  });

  it('counts from its first day', () => {
    const to = { state: 'MI', postal_code: '48910' };
    expect(ask({ to, tax_date: '2026-06-30' }, options).tax_amount).toBe('4.00');
    expect(ask({ to, tax_date: '2026-07-01' }, options).tax_amount).toBe('7.00');
  });

  it('has the highest of several rates with the highest_rate policy', () => {
    const to = { state: 'MI', postal_code: '48911' };
    expect(ask({ to }, { ...options, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('7.00');
  });
});

describe('the warnings of an address', () => {
  const of = [
    { code: 'US-MI', type: 'state', rate: '0.04' },
    { code: 'CHEAP', type: 'city', rate: '0.01' },
    { code: 'DEAR', type: 'city', rate: '0.03' },
  ] as const;
  const release = releaseOf({
    of,
    name: 'Michigan',
    coverage: 'partial',
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
  const options = { releaseFor: () => release };

  it.each<[Address, RegExp, string]>([
    [{ postal_code: '48933' }, /spans jurisdictions/, 'Send a ZIP+4'],
    [{ postal_code: '48934' }, /part of ZIP 48934/, 'Send a ZIP+4'],
    [{ postal_code: '48935' }, /spans jurisdictions/, 'only content by ZIP+4 would be.'],
    [{ postal_code: '48935-1234' }, /spans jurisdictions/, 'only content by ZIP+4 would be.'],
    [{ postal_code: '48936-1234' }, /borders cross ZIP 48936/, 'only content by ZIP+4 would be.'],
    [{ postal_code: '48937' }, /HOLT in ZIP 48937, and no city/, 'Send the city.'],
    [{ postal_code: '48937', city: 'Dewitt' }, /HOLT in ZIP 48937; DEWITT/, 'Send the city as it is written there'],
    [{ postal_code: '48938' }, /names of cities/, 'Send the city.'],
    [{ postal_code: '48933-1560' }, /several sets/, 'the content has to be corrected.'],
    [{ state: 'MI', city: 'Ada' }, /ADA by name/, 'Send the ZIP code.'],
  ])('%o is ambiguous: the warning and the refusal have the reason %s; the advice is "%s"', (to, why, advice) => {
    const { warnings } = ask({ to }, options);
    const found = warnings.filter(({ code }) => code === 'address_ambiguous');
    expect(found).toMatchObject([{ message: expect.stringMatching(why), pointer: '/customer/address' }]);
    expect(found[0]?.message).toContain(`Assumed: Name of CHEAP. `);
    expect(found[0]?.message).toContain(advice);
    const [problem] = refusal({ to }, { ...options, settings: { ambiguous_address: 'reject' } });
    expect(problem?.code).toBe('validation_address_unresolvable');
    expect(problem?.detail).toMatch(why);
    expect(problem?.detail).toContain(advice);
  });

  const messagesOf = (to: Address, code: string, more: Parameters<typeof ask>[0] = {}) =>
    ask({ to, ...more }, options)
      .warnings.filter((warning) => warning.code === code)
      .map(({ message }) => message);

  it('lacks local taxes for a partly known ZIP, which both policies refuse', () => {
    const to = { postal_code: '48934' };
    const { tax_amount, line_items } = ask({ to }, options);
    expect(tax_amount).toBe('5.00');
    expect(line_items[0]?.address_resolution).toEqual({ level: 'zip5', ambiguous: true, coverage: 'partial' });
    expect(messagesOf(to, 'local_rates_missing')).toEqual([
      expect.stringMatching(/US-MI@2026-11-22\.1 .*part of ZIP 48934/),
    ]);
    expect(ask({ to }, { ...options, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('7.00');
    const refused = (settings: NonNullable<Parameters<typeof ask>[1]>['settings']) =>
      refusal({ to }, { ...options, settings: settings ?? {} }).map(({ code }) => code);
    expect(refused({ ambiguous_address: 'reject' })).toEqual(['validation_address_unresolvable']);
    expect(refused({ incomplete_coverage: 'reject' })).toEqual(['validation_not_covered']);
  });

  it.each<{ to: Address; because: string }>([
    { to: { state: 'MI' }, because: 'the release has local taxes by ZIP' },
    { to: { state: 'MI', city: 'Nowhere' }, because: 'it does not name the city' },
  ])('$to lacks local taxes: $because', ({ to }) => {
    const outcome = ask({ to }, options);
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

  it('a ZIP that is not in use decides nothing', () => {
    const unused = ask({ to: { state: 'MI', postal_code: '00000' } }, options);
    expect(unused.tax_amount).toBe('4.00');
    expect(unused.warnings.map(({ code }) => code)).toEqual([
      'local_rates_missing',
      'postal_code_unknown',
      'taxability_not_established',
    ]);
  });
});

it('does not cover a day outside of the content, and the policy refuses it', () => {
  const old = { to: { state: 'MI', postal_code: '48933' }, tax_date: '2021-12-31' };
  const outcome = ask(old);
  expect(outcome.line_items[0]?.address_resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'none' });
  expect(outcome.warnings.map(({ code }) => code)).toEqual(['not_covered']);
  expect(refusal(old, { settings: { incomplete_coverage: 'reject' } })).toMatchObject([
    { code: 'validation_not_covered', source: { pointer: '/customer/address' } },
  ]);
});
