import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { chooseDestination, locateAll } from '../../shared/calculations/locate-lines.ts';
import { sourceSale } from '../../shared/calculations/sourcing.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { mergedRelease } from '../../shared/catalog/merge-releases.ts';
import type { Release, Sourcing } from '../../shared/catalog/release.ts';
import { ask, locationOf, refusal, releaseOf, requestOf, warningCodes } from '../support/builders.ts';

/** Where a sale is taxed, on content that is read in parts: of each address its own view of one release. */

const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;
const state = { code: 'US-CA', type: 'state', rate: '0.06' } as const;
const near = [
  { code: 'N-COUNTY', type: 'county', rate: '0.01' },
  { code: 'N-CITY', type: 'city', rate: '0.002' },
  { code: 'N-DISTRICT', type: 'district', rate: '0.0003' },
] as const;
const far = [
  { code: 'F-COUNTY', type: 'county', rate: '0.02' },
  { code: 'F-CITY', type: 'city', rate: '0.004' },
  { code: 'F-DISTRICT', type: 'district', rate: '0.0005' },
] as const;

type Locals = typeof near | typeof far;
const codesOf = (locals: Locals) => locals.map(({ code }) => code);
const viewOf = (policy: Sourcing, zip: string, locals: Locals, others: Parameters<typeof releaseOf>[0] = {}): Release =>
  releaseOf({
    of: [state, ...locals],
    name: 'California',
    coverage: 'partial',
    locations: [locationOf({ zips: [[zip, zip]], alternatives: [codesOf(locals)] })],
    settings: { sourcing: [{ ...always, policy }] },
    ...others,
  });

const origin = { state: 'CA', postal_code: '90001' };
const destination = { state: 'CA', postal_code: '94102' };
const contentOf = (policy: Sourcing, others: { near?: object; far?: object; policies?: object } = {}) => {
  const views = new Map([
    ['90001', viewOf(policy, '90001', near, others.near)],
    ['94102', viewOf(policy, '94102', far, others.far)],
  ]);
  const unlisted = viewOf(policy, '99999', near, { of: [state], locations: [] });
  const releaseFor: ReleaseFor = ({ state: code, zip5 }) =>
    code === 'CA' && zip5 !== '90210' ? (views.get(zip5 ?? '') ?? unlisted) : undefined;
  return { releaseFor, settings: others.policies ?? {} };
};
const sale = (from: object | null, to: object = destination) => ({
  to,
  ship_from: from && { address: from },
  line_items: [{ unit_price: '1000.00' }],
});
const rowsOf = ({ line_items }: ReturnType<typeof ask>) =>
  (line_items[0]?.taxes ?? []).map((row) => `${row.jurisdiction_code} ${row.sourcing} ${row.tax_amount}`);
const resolutionOf = ({ line_items }: ReturnType<typeof ask>) => line_items[0]?.address_resolution;

const atOrigin = ['US-CA origin 60.00', 'N-COUNTY origin 10.00', 'N-CITY origin 2.00', 'N-DISTRICT origin 0.30'];
const atDestination = [
  'US-CA destination 60.00',
  'F-COUNTY destination 20.00',
  'F-CITY destination 4.00',
  'F-DISTRICT destination 0.50',
];
const mixed = ['US-CA origin 60.00', 'N-COUNTY origin 10.00', 'N-CITY origin 2.00', 'F-DISTRICT destination 0.50'];

describe('a sale within a state', () => {
  it.each<{ policy: Sourcing; rows: string[] }>([
    { policy: 'destination', rows: atDestination },
    { policy: 'origin', rows: atOrigin },
    { policy: 'mixed', rows: mixed },
  ])('a sale within a state by the policy $policy is taxed as $rows', ({ policy, rows }) => {
    const outcome = ask(sale(origin), contentOf(policy));
    expect(rowsOf(outcome)).toEqual(rows);
    expect(resolutionOf(outcome)).toEqual({ level: 'zip5', ambiguous: false, coverage: 'complete' });
    expect(outcome.content_releases).toEqual({ 'US-CA': 'US-CA@2026-11-22.1' });
    expect(warningCodes(outcome).filter((code) => code !== 'taxability_not_established')).toEqual([]);
  });

  it('the mixed policy uses the address of each end, even with a whole release', () => {
    const whole = releaseOf({
      of: [state, ...near, ...far],
      locations: [
        locationOf({ zips: [['90001', '90001']], alternatives: [codesOf(near)] }),
        locationOf({ zips: [['94102', '94102']], alternatives: [codesOf(far)] }),
      ],
      settings: { sourcing: [{ ...always, policy: 'mixed' }] },
    });
    expect(rowsOf(ask(sale(origin), { releaseFor: () => whole }))).toEqual(mixed);
  });

  it('the mixed policy within one place has its districts once', () => {
    expect(rowsOf(ask(sale(origin, origin), contentOf('mixed')))).toEqual([
      ...atOrigin.slice(0, 3),
      'N-DISTRICT destination 0.30',
    ]);
  });

  it('is as of the tax day: a policy that has ended does not apply', () => {
    const settings = {
      sourcing: [
        { ...always, to: '2026-06-30', policy: 'origin' },
        { ...always, from: '2026-07-01', policy: 'mixed' },
      ],
    };
    const content = contentOf('destination', { far: { settings } });
    expect(rowsOf(ask({ ...sale(origin), tax_date: '2026-06-30' }, content))).toEqual(atOrigin);
    expect(rowsOf(ask({ ...sale(origin), tax_date: '2026-07-01' }, content))).toEqual(mixed);
  });
});

describe('a sale from elsewhere', () => {
  it.each<{ from: object | null; because: string }>([
    { from: null, because: 'an unknown origin is remote' },
    { from: {}, because: 'an empty address is none' },
    { from: { state: 'MI', postal_code: '48933' }, because: 'the origin is in another state' },
    { from: { country: 'CA', state: 'ON' }, because: 'the country CA is no California' },
  ])('a sale from $from is taxed at its destination by every policy: $because', ({ from }) => {
    for (const policy of ['destination', 'origin', 'mixed'] as const) {
      const outcome = ask(sale(from), contentOf(policy));
      expect(rowsOf(outcome)).toEqual(atDestination);
      expect(resolutionOf(outcome)?.ambiguous).toBe(false);
    }
  });

  it('a sale from a ZIP that may be in the same state is ambiguous, where that matters', () => {
    // 42223 is in Kentucky and Tennessee: without a state it is taken for the first.
    const views = (policy: Sourcing): ReleaseFor => {
      const release = viewOf(policy, '37201', near);
      return ({ state: code, zip5 }) => (code === 'TN' && zip5 === '37201' ? release : undefined);
    };
    const to = { state: 'TN', postal_code: '37201' };
    const from = { postal_code: '42223' };
    const ambiguityFor = (policy: Sourcing, of: object) => {
      const outcome = ask(sale(of, to), { releaseFor: views(policy) });
      return [resolutionOf(outcome), outcome.warnings.filter(({ code }) => code === 'address_ambiguous')];
    };
    expect(ambiguityFor('destination', from)).toEqual([{ level: 'zip5', ambiguous: false, coverage: 'complete' }, []]);
    for (const policy of ['origin', 'mixed'] as const) {
      expect(ambiguityFor(policy, from)).toMatchObject([
        { level: 'zip5', ambiguous: true, coverage: 'complete' },
        [{ pointer: '/ship_from/address', message: expect.stringContaining('Send the state.') }],
      ]);
      // 57717 is in three states, but in none of these.
      expect(ambiguityFor(policy, { postal_code: '57717' })).toMatchObject([{ ambiguous: false }, []]);
      expect(ambiguityFor(policy, { state: 'KY', postal_code: '42223' })).toMatchObject([{ ambiguous: false }, []]);
    }
  });
});

it('a sale whose destination was guessed to be in the state of its origin is ambiguous', () => {
  const both = locationOf({
    zips: [
      ['40202', '40202'],
      ['42223', '42223'],
    ],
    alternatives: [codesOf(near)],
  });
  const release = viewOf('origin', '40202', near, { locations: [both] });
  const releaseFor: ReleaseFor = (address) => (address.state === 'KY' ? release : undefined);
  const from = { state: 'KY', postal_code: '40202' };
  const outcome = (to: object) => ask(sale(from, to), { releaseFor });
  expect(rowsOf(outcome({ state: 'KY', postal_code: '42223' }))).toEqual(atOrigin);
  expect(resolutionOf(outcome({ state: 'KY', postal_code: '42223' }))?.ambiguous).toBe(false);
  const guessed = outcome({ postal_code: '42223' });
  expect(resolutionOf(guessed)).toEqual({ level: 'zip5', ambiguous: true, coverage: 'complete' });
  expect(guessed.warnings.filter(({ code }) => code !== 'taxability_not_established')).toMatchObject([
    { code: 'address_ambiguous', pointer: '/customer/address', message: expect.stringContaining('KY was assumed') },
  ]);
});

describe('goods from another state', () => {
  const taxAddress = (code: string | null, zip5: string) => ({
    country: code === null ? 'CA' : 'US',
    state: code,
    zip5,
    plus4: null,
    city: null,
    county: null,
    isZipKnown: true,
    isStateGuessed: false,
  });
  it.each([
    { from: taxAddress('CA', '90001'), isInterstate: false, because: 'it is the same state' },
    { from: taxAddress('MI', '48933'), isInterstate: true, because: 'it is another one' },
    { from: taxAddress(null, '90001'), isInterstate: true, because: 'it is abroad' },
    { from: null, isInterstate: true, because: 'the origin is unknown' },
  ])('is $isInterstate by every policy: $because', ({ from, isInterstate }) => {
    for (const policy of ['destination', 'origin', 'mixed'] as const) {
      const options = { ...contentOf(policy), day: '2026-09-15', highest: false };
      const { place } = sourceSale({ to: taxAddress('CA', '94102'), from }, options);
      expect(place.isInterstate).toBe(isInterstate);
      expect(place.sourcing).toHaveLength(place.jurisdictions.length);
    }
  });
});

describe('unknown facts about the deciding address', () => {
  const alternatives = { locations: [locationOf({ zips: [['90001', '90001']], alternatives: [[], codesOf(near)] })] };
  const away = { state: 'CA', postal_code: '90210' };

  it.each<{ policy: Sourcing; ambiguous: boolean }>([
    { policy: 'destination', ambiguous: false },
    { policy: 'origin', ambiguous: true },
    { policy: 'mixed', ambiguous: true },
  ])(
    'an ambiguous origin has a warning with its pointer by the policy $policy: $ambiguous',
    ({ policy, ambiguous }) => {
      const content = contentOf(policy, { near: alternatives });
      const outcome = ask(sale(origin), content);
      expect(resolutionOf(outcome)).toEqual({ level: 'zip5', ambiguous, coverage: 'complete' });
      const found = outcome.warnings.filter(({ code }) => code === 'address_ambiguous').map(({ pointer }) => pointer);
      expect(found).toEqual(ambiguous ? ['/ship_from/address'] : []);
      const rejected = refusal(sale(origin), { ...content, settings: { ambiguous_address: 'reject' } });
      expect(rejected.map(({ source }) => source)).toEqual(ambiguous ? [{ pointer: '/ship_from/address' }] : []);
    },
  );

  it.each<{ policy: Sourcing; from: object; to: object; pointers: string[]; rows: string[] }>([
    { policy: 'destination', from: away, to: destination, pointers: [], rows: atDestination },
    { policy: 'destination', from: origin, to: away, pointers: ['/customer/address'], rows: [] },
    { policy: 'origin', from: away, to: destination, pointers: ['/ship_from/address'], rows: [] },
    { policy: 'mixed', from: away, to: destination, pointers: ['/ship_from/address'], rows: [] },
    { policy: 'mixed', from: origin, to: away, pointers: ['/customer/address'], rows: [] },
    { policy: 'mixed', from: away, to: away, pointers: ['/customer/address'], rows: [] },
  ])('an end that is not covered by the policy $policy from $from to $to', ({ policy, from, to, pointers, rows }) => {
    const outcome = ask(sale(from, to), contentOf(policy));
    const isCovered = rows.length > 0;
    expect(rowsOf(outcome).filter((row) => !row.endsWith(' 0.00'))).toEqual(rows);
    expect(resolutionOf(outcome)?.coverage).toBe(isCovered ? 'complete' : 'none');
    const found = outcome.warnings.filter(({ code }) => code === 'not_covered');
    expect(found.map(({ pointer }) => pointer)).toEqual(pointers);
    const rejected = refusal(sale(from, to), { ...contentOf(policy), settings: { incomplete_coverage: 'reject' } });
    expect(rejected.map(({ code, source }) => [code, source])).toEqual(
      pointers.map((pointer) => ['validation_not_covered', { pointer }]),
    );
  });

  it('a mixed sale has the lower coverage of its two ends', () => {
    const outcome = (from: object) => resolutionOf(ask(sale(from), contentOf('mixed')));
    expect(outcome({ state: 'CA', postal_code: '90001-1234' })).toMatchObject({ level: 'zip5', coverage: 'complete' });
    expect(outcome({ state: 'CA' })).toEqual({ level: 'state', ambiguous: false, coverage: 'partial' });
  });
});

describe('a street address of the origin', () => {
  const whole = [['90001', '90001']] as const;
  const streets = {
    sets: [{ from: null, to: null, codes: codesOf(near) }],
    names: { MAIN: ',ST,|:0B1-99' },
  };
  const locations = [
    locationOf({ zips: whole, alternatives: [[]] }),
    locationOf({ zips: whole, of_streets: true, alternatives: [codesOf(near)] }),
  ];
  const content = contentOf('origin', { near: { locations, streets } });

  it("decides a sale that is taxed there, not the destination's street", () => {
    const from = (line1: string | null) =>
      ask(sale({ ...origin, line1 }, { ...destination, line1: '5 Main St' }), content);
    expect(rowsOf(from('5 Main St'))).toEqual(atOrigin);
    expect(resolutionOf(from('5 Main St'))).toEqual({ level: 'street', ambiguous: false, coverage: 'complete' });
    expect(rowsOf(from('500 Main St'))).toEqual(atOrigin.slice(0, 1));
    expect(resolutionOf(from('500 Main St'))).toMatchObject({ level: 'zip5', ambiguous: false });
    expect(resolutionOf(from(null))).toMatchObject({ level: 'zip5', ambiguous: true });
  });

  it('the street address of the account decides where the request has none', () => {
    const policies = { ship_from: { ...origin, line1: '5 Main St' } };
    const outcome = ask(sale(null), { ...content, settings: policies });
    expect(resolutionOf(outcome)).toMatchObject({ level: 'street', ambiguous: false });
  });
});

describe('lines that share their addresses', () => {
  it('share their place in all of its streets, and others do not', () => {
    const line_items = [
      { customer: { address: { ...destination, line1: '1 A St' } } },
      { customer: { address: { ...destination, line1: '2 B St' } } },
      { customer: { address: { ...destination, postal_code: '94102-0001' } } },
      { customer: { address: { ...destination, line1: '2 B St' } }, ship_from: { address: origin } },
      {},
    ];
    const context = { ...contentOf('mixed'), settings: defaultSettings('2026-10-08') };
    const request = requestOf({ to: destination, line_items });
    const destinations = (request.line_items ?? []).map((line, index) =>
      chooseDestination(request, line, index, context.settings),
    );
    const located = locateAll(destinations, context, '2026-09-15');
    const places = located.ok ? located.value.map(({ place }) => place) : [];
    expect(places.map((place) => places.indexOf(place))).toEqual([0, 0, 2, 3, 0]);
    expect(located.ok && located.value.map(({ pointer }) => pointer)).toEqual([
      '/line_items/0/customer/address',
      '/line_items/1/customer/address',
      '/line_items/2/customer/address',
      '/line_items/3/customer/address',
      '/customer/address',
    ]);
  });

  it('have the pointers of their own', () => {
    const alternatives = { locations: [locationOf({ zips: [['90001', '90001']], alternatives: [[], codesOf(near)] })] };
    const content = contentOf('mixed', { near: alternatives });
    const own = { ship_from: { address: origin } };
    const refused = refusal(
      {
        to: destination,
        line_items: [own, { unit_price: '2.00' }, own, { customer: { address: destination }, ...own }],
      },
      { ...content, settings: { ambiguous_address: 'reject' } },
    );
    expect(refused.map(({ source }) => source)).toEqual([
      { pointer: '/line_items/0/ship_from/address' },
      { pointer: '/line_items/2/ship_from/address' },
      { pointer: '/line_items/3/ship_from/address' },
    ]);
  });

  it('have one warning about an ambiguous address', () => {
    const content = contentOf('destination', {
      far: { locations: [locationOf({ zips: [['94102', '94102']], alternatives: [[], codesOf(far)] })] },
    });
    const lines = Array.from({ length: 5 }, (_, index) => (index % 2 ? {} : { customer: { address: destination } }));
    const { warnings } = ask({ to: destination, line_items: lines }, content);
    const found = warnings.filter(({ code }) => code === 'address_ambiguous');
    expect(found).toMatchObject([{ pointer: '/line_items/0/customer/address' }]);
  });
});

describe('mergedRelease', () => {
  const one = viewOf('mixed', '90001', near);
  const other = viewOf('mixed', '94102', far);

  it('has the jurisdictions and rates of both, the state once and first', () => {
    const both = mergedRelease(one, other);
    expect(both.jurisdictions.map(({ code }) => code).toSorted()).toEqual(
      ['US-CA', ...codesOf(near), ...codesOf(far)].toSorted(),
    );
    expect(both.jurisdictions[0].code).toBe('US-CA');
    expect(both.rates.map(({ jurisdiction }) => jurisdiction).toSorted()).toEqual(
      ['US-CA', ...codesOf(near), ...codesOf(far)].toSorted(),
    );
    expect(both.locations).toEqual(expect.arrayContaining([...one.locations, ...other.locations]));
  });

  it('keeps every dated rate of a jurisdiction', () => {
    const [first, ...rest] = one.rates as [Release['rates'][number]];
    const dated = { ...one, rates: [{ ...first, to: '2026-06-30' }, { ...first, from: '2026-07-01' }, ...rest] };
    expect(mergedRelease(dated, other).rates).toEqual([...dated.rates, ...other.rates.slice(1)]);
  });

  it('returns the release when both sides are equal', () => {
    expect(mergedRelease(one, one)).toBe(one);
  });

  it('refuses to mix releases', () => {
    expect(() => mergedRelease(one, { ...other, id: 'US-CA@2027-01-01.1' })).toThrow('not parts of one release');
  });
});
