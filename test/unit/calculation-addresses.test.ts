import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { always, ask, buildLocation, getRelease, listedRelease, refusal, warningCodes } from '../support/builders.ts';
import { readings } from '../support/facts.ts';
import { listCharges } from '../support/sales.ts';

type Address = NonNullable<Parameters<typeof ask>[0]['to']>;
type Options = NonNullable<Parameters<typeof ask>[1]>;
const unresolvable = 'validation_address_unresolvable';
const rejectAmbiguous = { settings: { ambiguous_address: 'reject' } } as const;
const rejectIncomplete = { settings: { incomplete_coverage: 'reject' } } as const;
const dearest = { settings: { ambiguous_address: 'highest_rate' } } as const;
const firstLine = (to: Address, options?: Options) => ask({ to }, options).line_items[0];
const rowAt = (to: Address, options?: Options) => firstLine(to, options)?.taxes[0];
const listProblems = (to: Address, options?: Options) =>
  refusal({ to }, options).map(({ code, source }) => `${code} ${source && 'pointer' in source ? source.pointer : ''}`);
const listMessages = (to: Address, code: string, options?: Options) =>
  ask({ to }, options).warnings.flatMap((one) => (one.code === code ? one.message : []));

describe('address resolution', () => {
  it.each<[Address, string, string, string]>([
    [{ state: 'MI', postal_code: '48933-1514' }, 'US-MI', 'state', 'a ZIP+4'],
    [{ state: 'MI', postal_code: '489331514' }, 'US-MI', 'state', 'a ZIP+4 without its hyphen'],
    [{ state: 'MI', postal_code: '48933' }, 'US-MI', 'state', 'a ZIP'],
    [{ postal_code: '48933' }, 'US-MI', 'state', 'the ZIP says the state'],
    [{ state: ' mi ', postal_code: ' 48933 ' }, 'US-MI', 'state', 'case and whitespace are ignored'],
    [{ state: 'Michigan' }, 'US-MI', 'state', 'the name of a state'],
    [{ state: 'MI', city: 'Lansing' }, 'US-MI', 'state', 'a city'],
    [{ state: 'MI', country: 'us' }, 'US-MI', 'state', 'a country in lower case'],
    [{ state: 'MI', country: 'USA' }, 'US-MI', 'state', 'the three-letter country code'],
    [{ state: 'MI', country: 'U.S.A.' }, 'US-MI', 'state', 'the country code with periods'],
    [{ state: 'MI', country: ' ' }, 'US-MI', 'state', 'a blank country is treated as absent'],
    [{ state: '', postal_code: '48933' }, 'US-MI', 'state', 'an empty state is treated as absent'],
    [{ city: 'Washington, D.C.' }, 'US-DC', 'state', 'the state follows the city'],
    [{ city: 'St. Louis, Missouri 63101' }, 'US-MO', 'city', 'the state and a ZIP code follow the city'],
    [{ city: 'Fort Campbell, TN', postal_code: '42223' }, 'US-TN', 'county', 'the city has a state of the border ZIP'],
    [
      { city: 'Kansas City, KS', postal_code: '64106' },
      'US-MO',
      'zip5',
      'the ZIP is in a different state than the city',
    ],
    [{ state: 'DC', postal_code: '20001' }, 'US-DC', 'state', 'the District is a state here'],
    [{ country: 'PR', postal_code: '00901' }, 'US-PR', 'county', 'Puerto Rico as a country'],
    [{ country: 'Puerto Rico', postal_code: '00901' }, 'US-PR', 'county', 'a territory as a country, by name'],
    [{ state: 'PR', postal_code: '00901' }, 'US-PR', 'county', 'a territory as a state'],
    [{ country: 'Guam' }, 'US-GU', 'none', 'a territory as a country'],
    [{ country: 'U.S. Virgin Islands' }, 'US-VI', 'none', 'a territory with periods'],
    [{ country: 'Georgia' }, 'GEORGIA', 'none', 'a country with the name of a state'],
    [{ country: 'CA' }, 'CA', 'none', 'a country with the code of a state'],
    [{ country: 'IT', state: 'TN', postal_code: '38122' }, 'IT', 'none', 'in Italy, but it reads like a U.S. address'],
    [{ country: 'Deutschland', postal_code: '10115' }, 'DEUTSCHLAND', 'none', 'a country in its own language'],
  ])('resolves %o to %s at level %s: %s', (to, code, level) => {
    const { address_resolution, taxes } = firstLine(to) ?? {};
    expect([taxes?.[0]?.jurisdiction_code, address_resolution?.level]).toEqual([code, level]);
  });

  it.each([
    ['57717', ['MT', 'SD', 'WY']],
    ['82082', ['CO', 'NE', 'WY']],
    ['89061', ['CA', 'NV']],
    ['42223', ['KY', 'TN']],
  ])('accepts only the states of the border ZIP %s, %o, and is ambiguous without a state', (zip, states) => {
    for (const state of ['CA', 'CO', 'KY', 'MT', 'NE', 'NV', 'OR', 'SD', 'TN', 'WY']) {
      const to = { state, postal_code: zip };
      if (!states.includes(state)) {
        expect(listProblems(to)).toEqual([`${unresolvable} /customer/address/postal_code`]);
        continue;
      }
      expect(rowAt(to)?.jurisdiction_code).toBe(`US-${state}`);
      // The local rates of the ZIP can be uncertain, but its state is certain.
      expect(listMessages(to, 'address_ambiguous').join()).not.toContain('Send the state');
    }
    const to = { postal_code: zip };
    const [message = ''] = listMessages(to, 'address_ambiguous');
    for (const state of states) expect(message).toMatch(new RegExp(`ZIP ${zip} is in .*\\b${state} \\(0`));
    expect(message).toContain('Send the state.');
    const detail = expect.stringContaining('Send the state.');
    const source = { pointer: '/customer/address' };
    expect(refusal({ to }, rejectAmbiguous)).toMatchObject([{ code: unresolvable, detail, source }]);
  });
});

describe('ZIPs in several states, without a state', () => {
  /** Returns the chosen state and the tax on 100.00. */
  const chosen = (postal_code: string, options?: Options) => {
    const { content_releases, tax_amount, line_items } = ask({ to: { postal_code } }, options);
    expect(line_items[0]?.address_resolution.ambiguous).toBe(true);
    return [...Object.keys(content_releases), tax_amount].join(' ');
  };

  it.each([
    ['19973', 'US-DE 0.00', 'US-MD 6.00'],
    ['57717', 'US-MT 0.00', 'US-SD 6.20'],
    ['42223', 'US-KY 6.00', 'US-TN 9.50'],
    ['73949', 'US-TX 6.25', 'US-OK 8.95'],
    ['89061', 'US-NV 7.60', 'US-CA 7.75'],
  ])('resolves %s to the lowest rate, %s, or with the highest_rate policy to the highest, %s', (zip, low, high) => {
    expect([chosen(zip), chosen(zip, dearest)]).toEqual([low, high]);
  });

  const getState = (code: string, rate: string, others: Parameters<typeof getRelease>[0] = {}) =>
    getRelease({ of: [{ code, type: 'state', rate }], ...others });
  const forStates =
    (releases: Readonly<Record<string, Release>>): ReleaseFor =>
    ({ state }) =>
      releases[state ?? ''];

  it('compares a ZIP by its rate with local taxes: the highest part with highest_rate, the whole ZIP otherwise', () => {
    const tennessee = getRelease({
      of: [
        { code: 'US-TN', type: 'state', rate: '0.04' },
        { code: 'A', type: 'county', rate: '0.01' },
        { code: 'B', type: 'county', rate: '0.03' },
      ],
      locations: [buildLocation({ zips: [['42223', '42223']], alternatives: [['A'], ['B']] })],
    });
    const releaseFor = forStates({ KY: getState('US-KY', '0.06'), TN: tennessee });
    expect(chosen('42223', { releaseFor })).toBe('US-TN 5.00');
    expect(chosen('42223', { releaseFor, ...dearest })).toBe('US-TN 7.00');
    const [message] = listMessages({ postal_code: '42223' }, 'address_ambiguous', { releaseFor, ...dearest });
    expect(message).toContain('KY (0.06) and TN (0.07)');
  });

  it('never resolves to a state without content if another state has content', () => {
    const to = { postal_code: '42223' };
    const tennessee = getState('US-TN', '0.07');
    const over = getState('US-KY', '0.09', { established_to: '2026-08-31' });
    for (const releaseFor of [forStates({ TN: tennessee }), forStates({ KY: over, TN: tennessee })])
      for (const options of [{ releaseFor }, { releaseFor, ...dearest }]) {
        expect(chosen('42223', options)).toBe('US-TN 7.00');
        expect(listMessages(to, 'address_ambiguous', options).join()).toMatch(/KY \(.*TN \(0\.07\)/);
      }
    const none = { releaseFor: () => undefined };
    expect(rowAt(to, none)).toMatchObject({ taxability_reason: 'not_supported', tax_amount: '0.00' });
    expect(listMessages(to, 'address_ambiguous', none).join()).toContain('KY was assumed');
  });

  it('selects registrations and certificates by the resolved state', () => {
    const address = { postal_code: '42223' };
    const registrations = [{ state: 'TN', from: '2020-01-01', to: null, frequency: 'month' as const }];
    expect(rowAt(address, { settings: { registrations } })?.taxability_reason).toBe('not_collecting');
    const settings = { ...dearest.settings, registrations };
    const collected = { jurisdiction_code: 'US-TN', taxability_reason: 'standard_rated' };
    expect(rowAt(address, { settings })).toMatchObject(collected);
    const customer = { address, exemption: { type: 'resale' as const, regions: ['TN'] } };
    const reasons = [{}, dearest].map(
      (options) => ask({ customer }, options).line_items[0]?.taxes[0]?.taxability_reason,
    );
    expect(reasons).toEqual(['standard_rated', 'customer_exempt']);
  });

  it('applies the sourcing of a sale within a state by the resolved state of origin and destination', () => {
    const settings = { sourcing: [{ ...always, policy: 'origin' as const }] };
    const [kentucky, tennessee] = [getState('US-KY', '0.06', { settings }), getState('US-TN', '0.07', { settings })];
    const releaseFor = forStates({ KY: kentucky, TN: tennessee });
    const nashville = { address: { state: 'TN', postal_code: '37201' } };
    const border = { address: { postal_code: '42223' } };
    for (const [customer, ship_from] of [
      [border, nashville],
      [nashville, border],
    ])
      for (const [options, sourcing] of [
        [{ releaseFor }, 'destination'],
        [{ releaseFor, ...dearest }, 'origin'],
      ] as const) {
        const [line] = ask({ customer: customer ?? null, ship_from: ship_from ?? null }, options).line_items;
        expect([line?.taxes[0]?.sourcing, line?.address_resolution.ambiguous]).toEqual([sourcing, true]);
      }
  });
});

describe('addresses that cannot be resolved', () => {
  it.each<[Address, string, string]>([
    [{}, '', 'it is empty'],
    [{ city: 'Lansing', line1: '200 N Capitol Ave' }, '', 'a city is in many states'],
    [{ country: 'US' }, '', 'a country is not enough'],
    [{ postal_code: '00000' }, '', 'the ZIP is not in use, and no state is sent'],
    [{ state: 'XX' }, '/state', 'there is no such state'],
    [{ state: 'Ontario' }, '/state', 'it is a province of Canada'],
    [{ state: 'constructor' }, '/state', 'an inherited property name is not a state'],
    [{ state: 'MI', postal_code: '4893' }, '/postal_code', 'a digit is missing'],
    [{ state: 'MI', postal_code: '489333' }, '/postal_code', 'there is an extra digit'],
    [{ state: 'MI', postal_code: '48933-15' }, '/postal_code', 'half of a ZIP+4'],
    [{ state: 'MI', postal_code: 'K1A 0B1' }, '/postal_code', 'a Canadian code'],
    [{ state: 'MI', postal_code: '٤٨٩٣٣' }, '/postal_code', 'the digits are in a non-Latin script'],
    [{ state: 'OH', postal_code: '48933' }, '/postal_code', 'the ZIP is in Michigan'],
    [{ country: 'PR', postal_code: '48933' }, '/postal_code', 'the ZIP is not in Puerto Rico'],
    [{ country: 'UAS', state: 'MI', postal_code: '48933' }, '/country', 'the country is misspelled'],
    [{ country: 'MI', state: 'Michigan', postal_code: '48933-1514' }, '/country', 'the country is the state'],
    [{ country: '840', state: 'MI', postal_code: '48933' }, '/country', 'the country is a number'],
  ])('rejects %o at %s: %s', (to, pointer) => {
    expect(listProblems(to)).toEqual([`${unresolvable} /customer/address${pointer}`]);
  });

  it.each(readings('advice for a state'))(
    'ends the detail with the advice for the state $text: $result',
    ({ text: state, result: advice }) => {
      const [problem] = refusal({ to: { state } });
      expect(problem?.detail.endsWith(advice), problem?.detail).toBe(true);
    },
  );

  it('reports each line with its own address, its origin, and the document once', () => {
    const bad = { address: { state: 'XX' } };
    const own = { customer: bad, ship_from: null };
    const problems = refusal({ to: { state: 'YY' }, line_items: [{}, own, { ship_from: bad }, own] });
    expect(problems.map(({ source }) => source)).toEqual([
      { pointer: '/customer/address/state' },
      { pointer: '/line_items/1/customer/address/state' },
      { pointer: '/line_items/3/customer/address/state' },
    ]);
    const origins = [{ ship_from: bad }, { line_items: [{ ship_from: bad }] }];
    const found = origins.flatMap((request) =>
      refusal({ to: { state: 'PA' }, ...request }).map(({ source }) => source),
    );
    expect(found).toEqual([
      { pointer: '/ship_from/address/state' },
      { pointer: '/line_items/0/ship_from/address/state' },
    ]);
  });
});

it.each<[Address, string, string]>([
  [{ country: 'CA', state: 'ON', postal_code: 'K1A 0B1' }, 'CA', 'Country CA'],
  [{ country: 'DE', city: 'Berlin' }, 'DE', 'Country DE'],
  [{ state: 'GU', postal_code: '96910' }, 'US-GU', 'Guam'],
  [{ state: 'PW', postal_code: '96940' }, 'US-PW', 'Palau'],
])(
  'charges no tax on %o in a place that no content covers, with rows of %s, the reason and a warning',
  (to, code, name) => {
    const outcome = ask({ to, shipping: { amount: '10.00' } });
    expect(outcome).toMatchObject({ tax_amount: '0.00', exempt_amount: '110.00', content_releases: {} });
    for (const { taxes } of listCharges(outcome))
      expect(taxes).toMatchObject([{ jurisdiction_code: code, taxability_reason: 'not_supported' }]);
    expect(outcome.line_items[0]?.address_resolution).toEqual({ level: 'none', ambiguous: false, coverage: 'none' });
    const message = `${name} is not covered by any content release: no US state sales tax is due on deliveries there, and its own taxes are not known. No tax was calculated.`;
    expect(outcome.warnings).toEqual([{ code: 'not_covered', message, pointer: '/customer/address' }]);
  },
);

describe("the account's policies", () => {
  const registered = (state: string) => ({
    settings: {
      ...rejectIncomplete.settings,
      registrations: [{ state, from: '2020-01-01', to: null, frequency: 'month' as const }],
    },
  });
  const philadelphia = { state: 'PA', postal_code: '19113' };
  it.each<[string, Address, Options, string[]]>([
    ['reject missing local rates', { state: 'NY', postal_code: '10001' }, rejectIncomplete, ['validation_not_covered']],
    ['reject an address that is not covered', { country: 'CA' }, rejectIncomplete, ['validation_not_covered']],
    ['accept complete content', { state: 'MI', postal_code: '48933' }, rejectIncomplete, []],
    ['reject incomplete coverage where it collects', { state: 'TX' }, registered('TX'), ['validation_not_covered']],
    ['accept incomplete coverage where it does not', { state: 'TX' }, registered('MI'), []],
    ['reject an ambiguous ZIP', philadelphia, { ...rejectAmbiguous, releaseFor: () => listedRelease }, [unresolvable]],
    ['accept an unambiguous ZIP', { state: 'PA', postal_code: '19103' }, rejectAmbiguous, []],
  ])('%s', (_, to, options, codes) => {
    expect(listProblems(to, options)).toEqual(codes.map((code) => `${code} /customer/address`));
    expect(refusal({ to })).toEqual([]);
  });

  it('rejects a day that the content does not cover', () => {
    const old = { to: { state: 'MI', postal_code: '48933' }, tax_date: '2021-12-31' };
    const { line_items, warnings } = ask(old);
    expect(line_items[0]?.address_resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'none' });
    expect(warnings.map(({ code }) => code)).toEqual(['not_covered']);
    expect(refusal(old, rejectIncomplete)).toMatchObject([{ code: 'validation_not_covered' }]);
  });
});

describe('the warnings of an address', () => {
  const zips = (low: string, high = low) => ({ zips: [[low, high]] as const });
  const [cheap, dear] = [{ alternatives: [['CHEAP']] }, { alternatives: [['DEAR']] }];
  const release = getRelease({
    of: [
      { code: 'US-MI', type: 'state', rate: '0.04' },
      { code: 'CHEAP', type: 'city', rate: '0.01' },
      { code: 'DEAR', type: 'city', rate: '0.03' },
    ],
    name: 'Michigan',
    coverage: 'partial',
    locations: [
      buildLocation({ ...zips('48933'), ...cheap }),
      buildLocation({ ...zips('489331500', '489331599'), ...dear }),
      buildLocation({ ...zips('489331550', '489331649'), ...cheap }),
      buildLocation({ ...zips('489340001', '489340099'), ...dear }),
      buildLocation({ ...zips('489340100', '489340199'), ...cheap }),
      buildLocation({ cities: ['ST JOHNS'], alternatives: [['CHEAP'], ['DEAR']] }),
      buildLocation({ ...zips('48935'), alternatives: [['CHEAP'], ['DEAR']] }),
      buildLocation({ ...zips('48936'), ...cheap, crosses_borders: true }),
      buildLocation({ ...zips('48937'), ...cheap }),
      buildLocation({ ...zips('48937'), ...dear, within_city: 'HOLT' }),
      buildLocation({ ...zips('48938'), ...cheap, yields_to_city: true }),
      buildLocation({ ...zips('48939'), ...dear, within_city: 'HOLT' }),
    ],
  });
  const options = { releaseFor: () => release };

  it.each<[Address, RegExp, string]>([
    [{ postal_code: '48933' }, /spans jurisdictions/, 'Send a ZIP+4'],
    [{ postal_code: '48934' }, /part of ZIP 48934/, 'Send a ZIP+4'],
    [{ postal_code: '48935' }, /spans jurisdictions/, 'the tax content would need ZIP+4 data.'],
    [{ postal_code: '48935-1234' }, /spans jurisdictions/, 'the tax content would need ZIP+4 data.'],
    [{ postal_code: '48936-1234' }, /ZIP 48936 crosses a border/, 'the tax content would need ZIP+4 data.'],
    [{ postal_code: '48937' }, /HOLT in ZIP 48937, and no city/, 'Send the city.'],
    [{ postal_code: '48937', city: 'Dewitt' }, /HOLT in ZIP 48937; DEWITT/, 'send the city with this spelling.'],
    [{ postal_code: '48938' }, /taxes by city name/, 'Send the city.'],
    [{ postal_code: '48933-1560' }, /several sets/, 'the tax content must be corrected.'],
    [{ state: 'MI', city: 'St. Johns' }, /ST JOHNS only by name/, 'Send the ZIP code.'],
  ])(
    'reports %o as ambiguous: the warning and the error include the reason %s; the advice is "%s"',
    (to, why, advice) => {
      const [message, ...others] = listMessages(to, 'address_ambiguous', options);
      const [problem] = refusal({ to }, { ...options, ...rejectAmbiguous });
      expect([others, problem?.code]).toEqual([[], unresolvable]);
      expect(message).toContain('Assumed: Name of CHEAP. ');
      for (const text of [message, problem?.detail]) {
        expect(text).toMatch(why);
        expect(text).toContain(advice);
      }
    },
  );

  it('reports missing local taxes of a partly covered ZIP, which both policies reject', () => {
    const to = { postal_code: '48934' };
    const { tax_amount, line_items } = ask({ to }, options);
    expect(tax_amount).toBe('5.00');
    expect(line_items[0]?.address_resolution).toEqual({ level: 'zip5', ambiguous: true, coverage: 'partial' });
    const part = expect.stringMatching(/US-MI@2026-11-22\.1 .*part of ZIP 48934/);
    expect(listMessages(to, 'local_rates_missing', options)).toEqual([part]);
    expect(ask({ to }, { ...options, ...dearest }).tax_amount).toBe('7.00');
    const codes = [rejectAmbiguous, rejectIncomplete].flatMap((policy) => listProblems(to, { ...options, ...policy }));
    expect(codes).toEqual([`${unresolvable} /customer/address`, 'validation_not_covered /customer/address']);
  });

  it.each<[Address, string[], string]>([
    [{ state: 'MI' }, [], 'the release has local taxes by ZIP'],
    [{ state: 'MI', city: 'Nowhere' }, [], 'the release does not list the city'],
    [{ state: 'MI', postal_code: '00000' }, ['postal_code_unknown'], 'the ZIP is not in use'],
  ])('reports missing local taxes of %o, with the warnings %o: %s', (to, codes) => {
    const { tax_amount, line_items, warnings } = ask({ to }, options);
    expect(tax_amount).toBe('4.00');
    expect(line_items[0]?.address_resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'partial' });
    expect(warnings.map(({ code }) => code)).toEqual(['local_rates_missing', ...codes, 'taxability_not_established']);
    expect(warnings[0]?.message).toContain('address.postal_code');
  });

  it('reports an unused ZIP, and applies the state rate', () => {
    const outcome = ask({ to: { state: 'MI', postal_code: '00000' } });
    expect([outcome.tax_amount, warningCodes(outcome)]).toEqual(['6.00', ['postal_code_unknown']]);
  });
});
