import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { chooseDestination, locateAll } from '../../shared/calculations/locate-lines.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { sourceSale } from '../../shared/calculations/sourcing.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { mergedRelease } from '../../shared/catalog/merge-releases.ts';
import type { Location, Release, Sourcing } from '../../shared/catalog/release.ts';
import {
  always,
  ask,
  buildLocation,
  buildRequest,
  getRelease,
  refusal,
  rule,
  testNow,
  warningCodes,
} from '../support/builders.ts';

/** Sourcing of a sale with content that is read in parts: each address has a separate view of one release. */

const sourcing = (policy: Sourcing) => ({ sourcing: [{ ...always, policy }] });
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
const listCodes = (locals: Locals) => locals.map(({ code }) => code);
const locationAt = (zip: string, locals: Locals, others: Partial<Location> = {}) =>
  buildLocation({ zips: [[zip, zip]], alternatives: [listCodes(locals)], ...others });
type Options = Parameters<typeof getRelease>[0];
const getView = (policy: Sourcing, zip: string, locals: Locals, others: Options = {}): Release => {
  const content = { of: [state, ...locals] as const, name: 'California', coverage: 'partial' } as const;
  return getRelease({ ...content, locations: [locationAt(zip, locals)], settings: sourcing(policy), ...others });
};

const origin = { state: 'CA', postal_code: '90001' };
const destination = { state: 'CA', postal_code: '94102' };
const getContent = (policy: Sourcing, others: { near?: object; far?: object } = {}) => {
  const views = new Map([
    ['90001', getView(policy, '90001', near, others.near)],
    ['94102', getView(policy, '94102', far, others.far)],
  ]);
  const unlisted = getView(policy, '99999', near, { of: [state], locations: [] });
  const releaseFor: ReleaseFor = ({ state: code, zip5 }) =>
    code === 'CA' && zip5 !== '90210' ? (views.get(zip5 ?? '') ?? unlisted) : undefined;
  return { releaseFor };
};
const rejecting = (name: 'ambiguous_address' | 'incomplete_coverage') => ({ settings: { [name]: 'reject' } as const });
const line_items = [{ unit_price: '1000.00' }];
const sale = (from: object | null, to: object = destination) =>
  ({ to, line_items, ship_from: from && { address: from } }) as const;
const listRows = ({ line_items }: ReturnType<typeof ask>) =>
  (line_items[0]?.taxes ?? []).map((row) => `${row.jurisdiction_code} ${row.sourcing} ${row.tax_amount}`);
const getResolution = ({ line_items }: ReturnType<typeof ask>) => line_items[0]?.address_resolution;
const listPointers = ({ warnings }: ReturnType<typeof ask>, wanted: string) =>
  warnings.flatMap(({ code, pointer }) => (code === wanted ? pointer : []));
const listSources = (problems: ReturnType<typeof refusal>) => problems.map(({ source }) => source);

const atOrigin = ['US-CA origin 60.00', 'N-COUNTY origin 10.00', 'N-CITY origin 2.00', 'N-DISTRICT origin 0.30'];
const atDestination = [
  'US-CA destination 60.00',
  'F-COUNTY destination 20.00',
  'F-CITY destination 4.00',
  'F-DISTRICT destination 0.50',
];
const mixed = [...atOrigin.slice(0, 3), 'F-DISTRICT destination 0.50'];
const policies = ['destination', 'origin', 'mixed'] as const;

const isInterstate = (policy: Sourcing, from: object | null): boolean => {
  const [to, source] = [destination, from ?? {}].map((address) => readAddress(address, ''));
  if (!to?.ok) throw new Error('the destination is read');
  const route = { to: to.value, from: source?.ok ? source.value : null };
  const { place } = sourceSale(route, { ...getContent(policy), day: '2026-09-15', highest: false, product: null });
  expect(place.sourcing).toHaveLength(place.jurisdictions.length);
  return place.isInterstate;
};

describe('sales within a state', () => {
  it.each<[Sourcing, string[]]>([
    ['destination', atDestination],
    ['origin', atOrigin],
    ['mixed', mixed],
  ])('taxes a sale with the %s policy as %s', (policy, rows) => {
    const outcome = ask(sale(origin), getContent(policy));
    expect(listRows(outcome)).toEqual(rows);
    expect(getResolution(outcome)).toEqual({ level: 'zip5', ambiguous: false, coverage: 'complete' });
    expect(outcome.content_releases).toEqual({ 'US-CA': 'US-CA@2026-11-22.1' });
    expect(warningCodes(outcome)).toEqual(['taxability_not_established']);
    expect(isInterstate(policy, origin)).toBe(false);
  });

  it('uses both addresses with the mixed policy, even with a full release, and counts a district once', () => {
    const locations = [locationAt('90001', near), locationAt('94102', far)];
    const whole = getRelease({ of: [state, ...near, ...far], locations, settings: sourcing('mixed') });
    expect(listRows(ask(sale(origin), { releaseFor: () => whole }))).toEqual(mixed);
    const within = [...atOrigin.slice(0, 3), 'N-DISTRICT destination 0.30'];
    expect(listRows(ask(sale(origin, origin), getContent('mixed')))).toEqual(within);
    const raised = [state, near[0], near[1], { ...near[2], rate: '0.0007' }] as const;
    const differing = getContent('mixed', { far: { of: raised, locations: [locationAt('94102', near)] } });
    expect(listRows(ask(sale(origin), differing)).at(-1)).toBe('N-DISTRICT destination 0.70');
  });

  it('uses the policy of a product for its lines only', () => {
    const limited = [
      { ...always, policy: 'destination', ptcs: ['SOFTWARE'] },
      { ...always, policy: 'origin' },
    ] as const;
    const content = getContent('origin', {
      near: { settings: { sourcing: limited } },
      far: { settings: { sourcing: limited } },
    });
    const codes = ['GENERAL', 'SOFTWARE.SAAS', 'SOFTWARE.SAAS._BUSINESS_USE', 'GENERAL'];
    const goods = codes.map((product_tax_code, index) => ({
      id: `l${index}`,
      product_tax_code,
      unit_price: '1000.00',
    }));
    const outcome = ask({ ...sale(origin), line_items: goods }, content);
    const sources = outcome.line_items.map(({ taxes }) => [...new Set(taxes.map((row) => row.sourcing))].join());
    expect(sources).toEqual(['origin', 'destination', 'destination', 'origin']);
    for (const product_tax_code of codes) {
      const [line] = ask(
        { ...sale(origin), line_items: [{ product_tax_code, unit_price: '1000.00' }] },
        content,
      ).line_items;
      expect(line?.taxes[0]?.sourcing).toBe(product_tax_code === 'GENERAL' ? 'origin' : 'destination');
    }
  });

  it('uses the policy in force on the tax date', () => {
    const dated = [
      { ...always, to: '2026-06-30', policy: 'origin' },
      { ...always, from: '2026-07-01', policy: 'mixed' },
    ];
    const content = getContent('destination', { far: { settings: { sourcing: dated } } });
    expect(listRows(ask({ ...sale(origin), tax_date: '2026-06-30' }, content))).toEqual(atOrigin);
    expect(listRows(ask({ ...sale(origin), tax_date: '2026-07-01' }, content))).toEqual(mixed);
  });

  it.each<[Sourcing, string, string, string]>([
    ['destination', '0.00', '7.50', 'the destination decides'],
    ['origin', '7.50', '0.00', 'the origin decides'],
    ['mixed', '7.00', '0.50', 'only the district is sourced at the destination'],
  ])('applies ZIP rules with the $0 policy, $1 to the ZIP and $2 from the ZIP: $3', (policy, there, fromThere) => {
    const releaseFor = () =>
      getRelease({
        of: [state, { ...near[0], code: 'COUNTY' }, { ...near[2], code: 'DISTRICT', rate: '0.005' }],
        locations: [buildLocation({ zips: [['90001', '94199']], alternatives: [['COUNTY', 'DISTRICT']] })],
        rules: [
          rule('goods', ['GENERAL'], { type: 'taxable' }),
          rule('there', ['GENERAL'], { type: 'exempt' }, { zips: [['94102', '94102']] }),
        ],
        settings: sourcing(policy),
      });
    const taxOn = (to: object, from: object) => ask({ to, ship_from: { address: from } }, { releaseFor }).tax_amount;
    expect([taxOn(destination, origin), taxOn(origin, destination)]).toEqual([there, fromThere]);
    const ends = { ...destination, postal_code: '94102-1234' };
    expect([taxOn(ends, ends), taxOn({ state: 'CA' }, { state: 'CA' })]).toEqual(['0.00', '6.00']);
    const locate = (zip: string) => ({ customer: { address: { ...destination, postal_code: zip } } });
    const both = ask({ line_items: ['94102', '94103'].map(locate) }, { releaseFor });
    expect(both.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['0.00', '7.50']);
  });
});

describe('sales from another state or country', () => {
  it.each<[object | null, string]>([
    [null, 'an unknown origin is remote'],
    [{}, 'an empty address is treated as absent'],
    [{ state: 'MI', postal_code: '48933' }, 'the origin is in another state'],
    [{ country: 'CA', state: 'ON' }, 'the country CA is no California'],
  ])('taxes a sale from %o at its destination with every policy: %s', (from) => {
    for (const policy of policies) {
      const outcome = ask(sale(from), getContent(policy));
      expect([listRows(outcome), getResolution(outcome)?.ambiguous]).toEqual([atDestination, false]);
    }
    for (const policy of policies) expect(isInterstate(policy, from)).toBe(true);
  });

  // 42223 is in Kentucky and Tennessee; without a state, Kentucky is assumed. 57717 is in neither.
  it.each<[Sourcing, object, string[]]>([
    ['destination', { postal_code: '42223' }, []],
    ['origin', { postal_code: '42223' }, ['/ship_from/address']],
    ['mixed', { postal_code: '42223' }, ['/ship_from/address']],
    ['origin', { postal_code: '57717' }, []],
    ['mixed', { state: 'KY', postal_code: '42223' }, []],
  ])(
    'reports a sale from $1 as ambiguous with the $0 policy if the origin can be in the same state: $2',
    (policy, from, pointers) => {
      const release = getView(policy, '37201', near);
      const releaseFor: ReleaseFor = (at) => (at.state === 'TN' && at.zip5 === '37201' ? release : undefined);
      const outcome = ask(sale(from, { state: 'TN', postal_code: '37201' }), { releaseFor });
      expect(getResolution(outcome)).toEqual({ level: 'zip5', ambiguous: pointers.length > 0, coverage: 'complete' });
      expect(listPointers(outcome, 'address_ambiguous')).toEqual(pointers);
    },
  );

  it('reports a sale as ambiguous if its destination was guessed to be in the state of its origin', () => {
    const locations = [locationAt('40202', near), locationAt('42223', near)];
    const release = getView('origin', '40202', near, { locations });
    const releaseFor: ReleaseFor = (address) => (address.state === 'KY' ? release : undefined);
    const from = { state: 'KY', postal_code: '40202' };
    const sent = ask(sale(from, { state: 'KY', postal_code: '42223' }), { releaseFor });
    expect([listRows(sent), getResolution(sent)?.ambiguous]).toEqual([atOrigin, false]);
    const guessed = ask(sale(from, { postal_code: '42223' }), { releaseFor });
    expect(getResolution(guessed)).toEqual({ level: 'zip5', ambiguous: true, coverage: 'complete' });
    const message = expect.stringContaining('KY was assumed');
    expect(guessed.warnings[0]).toMatchObject({ code: 'address_ambiguous', pointer: '/customer/address', message });
  });
});

describe('uncertain origins and destinations', () => {
  const away = { state: 'CA', postal_code: '90210' };
  const ambiguous = { near: { locations: [locationAt('90001', near, { alternatives: [[], listCodes(near)] })] } };

  it.each<[Sourcing, string[]]>([
    ['destination', []],
    ['origin', ['/ship_from/address']],
    ['mixed', ['/ship_from/address']],
  ])('causes a warning if the origin is ambiguous, with the %s policy at %o', (policy, pointers) => {
    const content = getContent(policy, ambiguous);
    const outcome = ask(sale(origin), content);
    expect(getResolution(outcome)).toEqual({ level: 'zip5', ambiguous: pointers.length > 0, coverage: 'complete' });
    expect(listPointers(outcome, 'address_ambiguous')).toEqual(pointers);
    const rejected = refusal(sale(origin), { ...content, ...rejecting('ambiguous_address') });
    expect(listSources(rejected)).toEqual(pointers.map((pointer) => ({ pointer })));
  });

  it.each<[Sourcing, object, object, string[]]>([
    ['destination', away, destination, []],
    ['destination', origin, away, ['/customer/address']],
    ['origin', away, destination, ['/ship_from/address']],
    ['mixed', away, destination, ['/ship_from/address']],
    ['mixed', origin, away, ['/customer/address']],
    ['mixed', away, away, ['/customer/address']],
  ])('reports an address that is not covered, with the %s policy from %o to %o: %o', (policy, from, to, pointers) => {
    const outcome = ask(sale(from, to), getContent(policy));
    const isCovered = pointers.length === 0;
    expect(listRows(outcome).filter((row) => !row.endsWith(' 0.00'))).toEqual(isCovered ? atDestination : []);
    expect(getResolution(outcome)?.coverage).toBe(isCovered ? 'complete' : 'none');
    expect(listPointers(outcome, 'not_covered')).toEqual(pointers);
    const rejected = refusal(sale(from, to), { ...getContent(policy), ...rejecting('incomplete_coverage') });
    const expected = pointers.map((pointer) => ({ code: 'validation_not_covered', source: { pointer } }));
    expect(rejected).toMatchObject(expected);
  });

  it('reports the lower coverage of origin and destination for a mixed sale', () => {
    const outcome = (from: object) => getResolution(ask(sale(from), getContent('mixed')));
    expect(outcome({ state: 'CA', postal_code: '90001-1234' })).toMatchObject({ level: 'zip5', coverage: 'complete' });
    expect(outcome({ state: 'CA' })).toEqual({ level: 'state', ambiguous: false, coverage: 'partial' });
  });
});

it("uses the street of the origin, or of the account's origin if none is sent, not of the destination", () => {
  const locations = [{ alternatives: [[]] }, { of_streets: true as const }].map((more) =>
    locationAt('90001', near, more),
  );
  const streets = { sets: [{ from: null, to: null, codes: listCodes(near) }], names: { MAIN: ',ST,|:0B1-99' } };
  const content = getContent('origin', { near: { locations, streets } });
  const to = { ...destination, line1: '5 Main St' };
  const from = (line1: string | null) => ask(sale({ ...origin, line1 }, to), content);
  expect(listRows(from('5 Main St'))).toEqual(atOrigin);
  expect(getResolution(from('5 Main St'))).toEqual({ level: 'street', ambiguous: false, coverage: 'complete' });
  expect(listRows(from('500 Main St'))).toEqual(atOrigin.slice(0, 1));
  expect(getResolution(from('500 Main St'))).toMatchObject({ level: 'zip5', ambiguous: false });
  expect(getResolution(from(null))).toMatchObject({ level: 'zip5', ambiguous: true });
  const settings = { ship_from: { ...origin, line1: '5 Main St' } };
  expect(getResolution(ask(sale(null), { ...content, settings }))).toMatchObject({ level: 'street', ambiguous: false });
});

it('uses the origin of the document if the origin of a line is empty', () => {
  // Texas taxes a sale within the state at its origin: Austin (8.25%), not Loving County (6.75%).
  const mentone = { state: 'TX', postal_code: '79754', county: 'Loving' };
  const ship_from = { address: { state: 'TX', city: 'Austin', postal_code: '78701' } };
  const listOrigins = (own: object | null) => {
    const [line] = ask({ to: mentone, ship_from, line_items: [{ ship_from: own }] }).line_items;
    return [line?.tax_amount, ...new Set(line?.taxes.map(({ sourcing }) => sourcing))];
  };
  for (const own of [null, {}, { address: null }, { address: {} }, { address: { city: '' } }])
    expect(listOrigins(own)).toEqual(['8.25', 'origin']);
});

it("uses the document's buyer address if a line has none, and requires one of them", () => {
  const line = { product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' };
  const missing = { code: 'validation_required_field', source: { pointer: '/customer/address' } };
  for (const customer of [null, {}, { address: null }, { address: {} }, { address: { city: '', state: null } }]) {
    // The rate in Alpine County, California, is 7.25%.
    const to = { state: 'CA', postal_code: '96120' };
    const request = { customer: { address: to }, line_items: [{ ...line, customer }] };
    expect(calculationProblems({ ...request, tax_date: '2026-11-20' }, testNow)).toEqual([]);
    expect(ask({ to, line_items: [{ ...line, customer }] }).tax_amount).toBe('7.25');
    const without = { customer, line_items: [{ ...line, customer }] };
    expect(calculationProblems(without, testNow)).toMatchObject([missing]);
  }
});

describe('lines that share their addresses', () => {
  it('resolves one place for lines in the same ZIP code, and another for a ZIP+4 or an origin', () => {
    const secondStreet = { customer: { address: { ...destination, line1: '2 B St' } } };
    const line_items = [
      { customer: { address: { ...destination, line1: '1 A St' } } },
      secondStreet,
      { customer: { address: { ...destination, postal_code: '94102-0001' } } },
      { ...secondStreet, ship_from: { address: origin } },
      {},
    ];
    const context = { ...getContent('mixed'), settings: defaultSettings('2026-10-08') };
    const request = buildRequest({ to: destination, line_items });
    const destinations = (request.line_items ?? []).map((line, index) =>
      chooseDestination(request, line, index, context.settings),
    );
    const located = locateAll(destinations, context, '2026-09-15');
    const places = located.ok ? located.value.map(({ place }) => place) : [];
    expect(places.map((place) => places.indexOf(place))).toEqual([0, 0, 2, 3, 0]);
    const pointers = [0, 1, 2, 3].map((index) => `/line_items/${index}/customer/address`);
    expect(located.ok && located.value.map(({ pointer }) => pointer)).toEqual([...pointers, '/customer/address']);
  });

  it('returns separate pointers, and one warning about an ambiguous address', () => {
    const content = getContent('mixed', {
      near: { locations: [locationAt('90001', near, { alternatives: [[], listCodes(near)] })] },
    });
    const own = { ship_from: { address: origin } };
    const line_items = [own, { unit_price: '2.00' }, own, { customer: { address: destination }, ...own }];
    const refused = refusal({ to: destination, line_items }, { ...content, ...rejecting('ambiguous_address') });
    expect(listSources(refused)).toEqual(
      [0, 2, 3].map((index) => ({ pointer: `/line_items/${index}/ship_from/address` })),
    );
    const outcome = ask({ to: destination, line_items }, content);
    expect(listPointers(outcome, 'address_ambiguous')).toEqual(['/line_items/0/ship_from/address']);
  });
});

describe('mergedRelease', () => {
  const one = getView('mixed', '90001', near);
  const other = getView('mixed', '94102', far);

  it('returns the jurisdictions, locations and dated rates of both releases, with the state once and first', () => {
    const [first, ...rest] = one.rates as [Release['rates'][number]];
    const dated = { ...one, rates: [{ ...first, to: '2026-06-30' }, { ...first, from: '2026-07-01' }, ...rest] };
    const both = mergedRelease(dated, other);
    expect(both.jurisdictions.map(({ code }) => code)).toEqual(['US-CA', ...listCodes(near), ...listCodes(far)]);
    expect(both.rates).toEqual([...dated.rates, ...other.rates.slice(1)]);
    expect(both.locations).toEqual([...one.locations, ...other.locations]);
  });

  it('returns the release if both sides are equal, and refuses to mix releases', () => {
    expect(mergedRelease(one, one)).toBe(one);
    expect(() => mergedRelease(one, { ...other, id: 'US-CA@2027-01-01.1' })).toThrow('not parts of one release');
  });
});
