/** Warnings about uncertain content, and about parts of a body that a calculation ignores. */
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { AccountResponse } from '../../shared/accounts/response.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { Calculation } from '../../shared/calculations/response.ts';
import {
  accountResponseFields,
  calculationResponseFields,
  transactionResponseFields,
} from '../../shared/calculations/response-fields.ts';
import { sentWarnings, unknownFieldWarnings } from '../../shared/calculations/sent-warnings.ts';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { Confidence } from '../../shared/catalog/release-values.ts';
import { filingResponseFields } from '../../shared/filings/request.ts';
import { Filing } from '../../shared/filings/response.ts';
import { TransactionRequest } from '../../shared/ledger/request.ts';
import { RetrievedTransaction } from '../../shared/ledger/response.ts';
import { AccountUpdate } from '../../shared/settings/request.ts';
import { createReleaseFor, importFiles, tableFile } from '../fixtures/imports/harness.ts';
import {
  ask,
  buildLocation,
  getRelease,
  listedRelease,
  type Options,
  type NewRequest as Request,
  refusal,
  rule,
} from '../support/builders.ts';

const warned = (request: Request, code: string, options?: Options) =>
  ask(request, options).warnings.flatMap((one) => (one.code === code ? `${one.pointer} ${one.message}` : []));
const unconfirmed = (request: Request, options?: Options) =>
  warned(request, 'content_unconfirmed', options).filter((text) => !text.includes(', rule '));

const evidence = { from: '2000-01-01', to: null, source: 'list' } as const;
const state = { code: 'US-OH', type: 'state', rate: '0.06' } as const;
const counties = [
  { code: 'US-OH-A', type: 'county', rate: '0.01' },
  { code: 'US-OH-B', type: 'county', rate: '0.02' },
] as const;
const general = rule('general', ['GENERAL'], { type: 'taxable' });
const ohio = (others: Parameters<typeof getRelease>[0]) => {
  const release = getRelease({ of: [state, ...counties], name: 'Ohio', rules: [general], ...others });
  return { releaseFor: () => release };
};
const at = (postal_code: string, code = 'OH') => ({ state: code, postal_code });
const says = (what: string, confidence: Confidence, source = 'list') =>
  `${what}: not confirmed by a primary source (confidence ${confidence}, source ${source}).`;
const resale = { type: 'resale' as const };

describe('the deciding location', () => {
  const located = (confidence: Confidence) =>
    ohio({
      locations: [
        buildLocation({ zips: [['44101', '44110']], alternatives: [['US-OH-A']], confidence, source: 'zips' }),
        buildLocation({ zips: [['44111', '44120']], alternatives: [['US-OH-B']] }),
      ],
      sources: { zips: 'A list of ZIPs', test: 'A test' },
    });
  const customer = { address: at('44101') };
  const exempt = { ...customer, exemption: resale };
  const lines = ['44101', '44102', '44111'].map((zip) => ({ customer: { address: at(zip) } }));

  it.each<[string, Request, Confidence, number]>([
    ['low confidence', { customer }, 'low', 1],
    ['medium confidence', { customer }, 'medium', 1],
    ['medium-high confidence', { customer }, 'medium-high', 0],
    ['all ZIPs of its list', { line_items: lines }, 'medium', 1],
    ['other ZIPs', { line_items: lines.slice(2) }, 'medium', 0],
    ['an exempt buyer', { customer: exempt }, 'low', 0],
    ['an exempt line next to a taxed line', { line_items: [{ customer: exempt }, { customer }] }, 'low', 1],
  ])('causes warnings for %s: %o', (_, request, confidence, count) => {
    const found = unconfirmed(request, located(confidence));
    expect(found).toHaveLength(count);
    const text = says('Ohio, the local taxes of an address', confidence, 'zips');
    for (const one of found) expect(one.replace(/^\S* /, '')).toBe(text);
  });

  it('cites the deciding location in the explanation', () => {
    const { explanation } = ask({ customer, explain: true }, located('low'));
    expect(explanation?.find(({ step }) => step === 'jurisdictions')?.citation).toBe('A list of ZIPs');
  });
});

describe('the sourcing setting', () => {
  const locations = [
    buildLocation({ zips: [['44101', '44102']], alternatives: [['US-OH-A']] }),
    buildLocation({ zips: [['44111', '44111']], alternatives: [['US-OH-B']] }),
    buildLocation({ zips: [['44112', '44112']], alternatives: [['US-OH-A'], ['US-OH-B']] }),
  ];
  type Policy = Release['settings']['sourcing'][number]['policy'];
  const sourced = (policy: Policy, confidence: Confidence, others: Partial<Release> = {}) =>
    ohio({ settings: { sourcing: [{ ...evidence, policy, confidence }] }, locations, ...others });
  const from = (zip: string, code?: string): Request => ({ to: at('44101'), ship_from: { address: at(zip, code) } });
  const message = `/ship_from/address ${says('Ohio, where sales within the state are taxed', 'medium')}`;

  it.each<[string, Request, string[]]>([
    ['the goods come from another place in the state', from('44111'), [message]],
    ['origin and destination are the same place', from('44101'), []],
    ['both ends have the same taxes', from('44102'), []],
    ['the jurisdictions of the origin are unknown', from('44112'), [message]],
    ['a remote sale is taxed at its destination everywhere', from('48226', 'MI'), []],
    ['a sale of unknown origin is taxed at its destination', { to: at('44101') }, []],
  ])('causes a warning if it decided the tax: %s', (_, request, expected) => {
    for (const policy of ['destination', 'origin', 'mixed'] as const) {
      expect(unconfirmed(request, sourced(policy, 'medium'))).toEqual(expected);
      expect(unconfirmed(request, sourced(policy, 'medium-high'))).toEqual([]);
    }
  });

  it('returns a warning for two places of a state whose local taxes are unknown', () => {
    const options = sourced('origin', 'medium', { locations: [], coverage: 'partial' });
    expect(unconfirmed(from('44102'), options)).toEqual([message]);
    expect(unconfirmed(from('44101'), options)).toEqual([]);
  });
});

describe('the rounding setting', () => {
  const rounding = [{ ...evidence, confidence: 'low' as const, policy: { method: 'half_up' as const } }];
  const rounded = ohio({ of: [state], settings: { rounding } });
  const local = ohio({
    of: [
      { ...state, rate: '0.0625' },
      { ...counties[0], rate: '0.0175' },
    ],
    settings: { rounding },
    locations: [buildLocation({ zips: [['44101', '44101']], alternatives: [['US-OH-A']] })],
  });
  const onInvoice = { ...rounded, settings: { rounding: 'invoice' } } as const;
  const pennsylvania = builtInRelease('PA') as Release;
  const uncertainTables = pennsylvania.settings.rounding.map((one) => ({ ...one, confidence: 'low' as const }));
  const tables = { ...pennsylvania, settings: { ...pennsylvania.settings, rounding: uncertainTables } };
  const prices = (...unit_prices: string[]) => unit_prices.map((unit_price) => ({ unit_price }));
  const withShipping = (amount: string): Request => ({ line_items: prices('1.00'), shipping: { amount } });

  const buy = (...unit_prices: string[]): Request => ({ line_items: prices(...unit_prices) });
  const inCounty = (price: string): Request => ({ to: at('44101'), line_items: prices(price) });
  const inHarrisburg = (...own: string[]): Request => ({ to: at('17101', 'PA'), line_items: prices(...own) });
  const byTables = { releaseFor: () => tables };
  const exempt: Request = { ...buy('0.51'), customer: { address: { state: 'OH' }, exemption: resale } };
  it.each<[string, Request, Options, string | null]>([
    ['the tax is six dollars exactly', buy('100.00'), rounded, null],
    ['the tax is three cents exactly', buy('0.50'), rounded, null],
    ['3.06 cents are not', buy('0.51'), rounded, '/line_items/0'],
    ['several lines cause one warning', buy('1.00', '0.51', '0.52'), rounded, '/line_items/1'],
    ['each line is rounded separately', buy('0.49', '0.51'), rounded, '/line_items/0'],
    ['the tax on the invoice is exact', buy('0.49', '0.51'), onInvoice, null],
    ['the tax on the invoice is not exact', buy('0.49', '0.52'), onInvoice, '/line_items/0'],
    ['the sum over jurisdictions is exact', inCounty('0.50'), local, null],
    ['the sum over jurisdictions is not exact', inCounty('0.51'), local, '/line_items/0'],
    ['shipping is included', withShipping('0.51'), rounded, '/shipping'],
    ['the tax on shipping is exact', withShipping('0.50'), rounded, null],
    ['nothing is taxed', exempt, rounded, null],
    ['the total by a table is exact', inHarrisburg('0.35', '0.65'), byTables, null],
    ['the total by a table is not exact', inHarrisburg('0.35', '0.66'), byTables, '/line_items/0'],
  ])('causes a warning if it decided the tax: %s', (_, request, options, pointer) => {
    const found = unconfirmed(request.customer ? request : { to: { state: 'OH' }, ...request }, options);
    expect(found.flatMap((text) => /^.*(?=, rounding: )/.exec(text) ?? [])).toEqual(
      pointer === null ? [] : [expect.stringMatching(new RegExp(`^${pointer} (Ohio|Pennsylvania)$`))],
    );
  });
});

describe('places that the content lists only by name', () => {
  const rows = ['Culver City,Los Angeles,0.1025,1/1/2026', 'Davis,Yolo,0.0725,1/1/2026'];
  const california = async () => createReleaseFor(await importFiles('cdtfa', 'CA', [tableFile('cdtfa', ...rows)]));

  it('reports a place listed only by name as ambiguous: its taxes are assumed', async () => {
    const releaseFor = await california();
    for (const postal_code of [null, '90230', '90230-0001']) {
      const request = { to: { state: 'CA', city: 'Culver City', postal_code }, tax_date: '2026-11-20' };
      const outcome = ask(request, { releaseFor });
      expect(outcome.tax_amount).toBe('10.25');
      const resolution = { level: 'city', ambiguous: true, coverage: 'complete' };
      expect(outcome.line_items[0]?.address_resolution).toEqual(resolution);
      const text = expect.stringMatching(/^\/customer\/address .*CULVER CITY only by name/);
      expect(warned(request, 'address_ambiguous', { releaseFor })).toEqual([text]);
      const rejected = refusal(request, { releaseFor, settings: { ambiguous_address: 'reject' } });
      expect(rejected).toMatchObject([{ code: 'validation_address_unresolvable' }]);
      // The local rates are covered, so no warning reports them as missing.
      for (const settings of [{ ambiguous_address: 'highest_rate' }, { incomplete_coverage: 'reject' }] as const)
        expect(ask(request, { releaseFor, settings }).tax_amount).toBe('10.25');
    }
  });

  const lists = { releaseFor: () => listedRelease };
  it.each([
    ['Philadelphia', '17101', '6.00', '8.00', true],
    ['Pittsburgh', '19103-0001', '8.00', '8.00', true],
    ['Pittsburgh', '17101', '6.00', '7.00', true],
    ['Philadelphia', '15222', '7.00', '8.00', true],
    ['Philadelphia', '19103', '8.00', '8.00', false],
    ['Camp Hill', '15222', '7.00', '7.00', false],
  ])('does not override the taxes of a listed ZIP: %s, %s has %s, or %s with highest_rate', (city, zip, ...of) => {
    const [tax, highest, contradicts] = of;
    const request = { to: { state: 'PA', city, postal_code: zip } };
    const outcome = ask(request, lists);
    const level = zip.length > 5 ? 'zip9' : 'zip5';
    const resolution = { level, ambiguous: contradicts, coverage: 'complete' };
    expect([outcome.tax_amount, outcome.line_items[0]?.address_resolution]).toEqual([tax, resolution]);
    expect(ask(request, { ...lists, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe(highest);
    const text = expect.stringContaining(`ZIP ${zip.slice(0, 5)} is not a ZIP in which`);
    expect(warned(request, 'address_ambiguous', lists)).toEqual(contradicts ? [text] : []);
    const detail = expect.stringContaining('Correct the city');
    const rejected = refusal(request, { ...lists, settings: { ambiguous_address: 'reject' } });
    expect(rejected).toMatchObject(contradicts ? [{ code: 'validation_address_unresolvable', detail }] : []);
  });
});

describe('prices that include tax', () => {
  const gross = (code: string, unit_price: string, postal_code: string | null = null, ptc = 'CLOTHING.APPAREL') => ({
    to: { state: code, postal_code },
    tax_included: true,
    line_items: [{ unit_price, product_tax_code: ptc }],
  });

  it.each([
    // The tax on 1000.00 is 63.50; 1000.01 is taxed at the rate on luxury goods.
    [gross('CT', '1070.00'), ['1070.00', '1000.01', '77.50', '69.99']],
    [gross('NY', '115.00', '10001'), null],
    // The tax on 1.50 is 0.09 plus 0.02 for Allegheny County; the tax on 1.51 is 0.10 plus 0.02.
    [gross('PA', '1.61', '15222', 'GENERAL'), null],
    [gross('MI', '0.09'), ['0.09', '0.09', '0.01', '0.00']],
    [gross('MI', '106.00'), []],
  ])('returns a warning with $1 if no net adds up to the gross of $0', (request, figures) => {
    const outcome = ask(request);
    const found = warned(request, 'tax_included_not_exact');
    // The net plus its tax is not the gross.
    const line_items = [{ ...request.line_items[0], unit_price: outcome.taxable_amount }];
    const again = ask({ ...request, tax_included: false, line_items });
    expect(found).toHaveLength(again.total_amount === outcome.total_amount ? 0 : 1);
    if (figures?.length) expect(found[0]).toMatch(new RegExp(`^/line_items/0 .*${figures.join('\\D+')}\\.$`));
  });

  it('returns one warning per invoice, at its first charge', () => {
    const request = { ...gross('MI', '0.03'), line_items: new Array(3).fill({ unit_price: '0.03' }) };
    // The tax on 0.08 is 0.00, and the tax on 0.09 is 0.01.
    expect(warned(request, 'tax_included_not_exact', { settings: { rounding: 'invoice' } })).toEqual([
      expect.stringMatching(/^\/line_items\/0 .*gross amount of 0\.09 of 3 charges .*net amount of 0\.09 .* 0\.01/),
    ]);
    expect(warned(request, 'tax_included_not_exact')).toEqual([]);
  });
});

const accountIn = (time_zone: string) => {
  const account = newAccount({ name: 'Test', serviceVersion: currentVersion, createdMs: 0 });
  return { ...account, settings: { ...account.settings, time_zone } };
};
const utc = accountIn('UTC');
const newYork = accountIn('America/New_York');
const found = (body: unknown, account = utc, isUpdate = false) =>
  sentWarnings(body, [], account, isUpdate).map(({ code, pointer }) => `${code} ${pointer}`);

describe('supplied line amounts', () => {
  const line = { quantity: '2', unit_price: '10.00' };
  const fraction = { quantity: '2', unit_price: '3.333' };
  it.each<[unknown, object, boolean]>([
    ['20.00', line, false],
    ['20', line, false],
    [null, line, false],
    ['25.00', line, true],
    ['20.01', line, true],
    ['20.001', line, true],
    ['10.00', line, true],
    [25, line, true],
    ['6.666', fraction, true],
    ['6.67', fraction, false],
    // The price is taken from the sale.
    ['5.00', { id: 'a', quantity: '1' }, false],
  ])('returns a warning for $0 with $1: $2', (amount, others, warns) => {
    const expected = warns ? ['line_amount_differs /line_items/0/amount'] : [];
    expect(found({ line_items: [{ ...others, amount }] })).toEqual(expected);
  });

  it('returns a warning with both amounts on its line', () => {
    const message = expect.stringMatching(/"25\.00".* 20\.00\b/);
    const expected = [{ code: 'line_amount_differs', message, pointer: '/line_items/1/amount' }];
    expect(sentWarnings({ line_items: [line, { ...line, amount: '25.00' }] }, [], utc)).toEqual(expected);
  });

  it.each(['USD', 'JPY', 'KWD'])('returns no warning if a response in %s is sent back', (currency) => {
    const prices = ['3.333', '0.005', '19.99', '0', '1234567.8949'];
    const line_items = ['1', '0.3', '7', '1.5'].flatMap((quantity) =>
      prices.map((unit_price) => ({ quantity, unit_price })),
    );
    const response = ask({ to: { state: 'MI', postal_code: '48933' }, currency, line_items });
    // An update, or a credit of a sale, can omit the currency.
    const { currency: _, ...others } = response;
    expect(found(response)).toEqual([]);
    expect(found(others, utc, true)).toEqual([]);
    expect(found({ ...others, type: 'credit', parent_transaction_id: 'txn_1' })).toEqual([]);
  });
});

describe('tax dates with an offset', () => {
  it.each<[string | null, typeof utc, boolean, string]>([
    ['2026-10-31T23:30:00-04:00', utc, true, 'it is 1 November in UTC'],
    ['2026-10-31T19:30:00-04:00', utc, false, 'it is the same day in UTC'],
    ['2026-11-01T00:30:00+02:00', utc, true, 'it is 31 October in UTC'],
    ['2026-10-31T23:30:00-04:00', newYork, false, 'the offset matches the time zone'],
    ['2026-10-31T22:30:00-07:00', newYork, true, 'New York is ahead'],
    ['2026-11-01T02:30:00Z', newYork, false, 'Z leaves the day to the account'],
    ['2026-11-01T02:30:00+00:00', newYork, false, 'UTC may be written so'],
    ['2026-10-31', newYork, false, 'it is a date'],
    [null, newYork, false, 'no tax date was sent'],
  ])('returns a warning for %s in $settings.time_zone: %s, because %s', (tax_date, account, warns) => {
    expect(found({ tax_date }, account)).toEqual(warns ? ['tax_day_differs /tax_date'] : []);
  });

  it('returns a warning with both days and the time zone', () => {
    const [warning] = sentWarnings({ tax_date: '2026-10-31T23:30:00-04:00' }, [], utc);
    expect(warning?.message).toMatch(/2026-10-31.*2026-11-01.*UTC/);
  });
});

describe('unknown fields', () => {
  it.each<[string, string[]]>([
    ['/customer/address/zip', ['zip', 'postal_code']],
    ['/line_items/0/qty', ['qty', 'quantity']],
    ['/line_items/0/unitprice', ['unitprice', 'unit_price']],
    ['/customer/adress', ['adress', 'address']],
    ['/curency', ['curency', 'currency']],
    ...['sku', 'email', 'constructor', 'rate'].map((name) => [`/line_items/0/${name}`, [name]] as [string, string[]]),
  ])('returns a warning that names $1 for $0', (pointer, names) => {
    const [warning] = unknownFieldWarnings([pointer]);
    expect([...(warning?.message ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(names);
  });

  it('lists the first 20 unknown fields, and counts the rest', () => {
    const warnings = unknownFieldWarnings(Array.from({ length: 27 }, (_, index) => `/field_${index}`));
    expect([warnings.length, warnings.at(19)?.pointer]).toEqual([21, '/field_19']);
    expect(warnings.at(-1)).toMatchObject({ pointer: null, message: expect.stringMatching(/^7 /) });
  });
});

type Definition = {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
};
type Schema = { readonly _zod: { readonly def: Definition } };
type Fields = { readonly [name: string]: true | Fields };

const getDefinition = (schema: Schema): Definition => {
  const { def } = schema._zod;
  if (def.innerType) return getDefinition(def.innerType);
  // An object or a list of objects.
  if (def.options?.[0]) return getDefinition(def.options[0]);
  return def.type === 'array' ? getDefinition(def.element as Schema) : def;
};

/** Returns the fields of the response schema that the request schema does not have. */
const beside = (request: Schema, response: Schema): Fields => {
  const [sent, answered] = [getDefinition(request).shape, getDefinition(response).shape];
  if (!sent || !answered) return {};
  const entries = Object.entries(answered).map(([name, schema]): [string, true | Fields] => [
    name,
    name in sent ? beside(sent[name] as Schema, schema) : true,
  ]);
  return Object.fromEntries(entries.filter(([, below]) => below === true || Object.keys(below).length > 0));
};

it.each([
  ['a calculation', CalculationRequest, Calculation, calculationResponseFields],
  ['an account', AccountUpdate, AccountResponse, accountResponseFields],
  ['a transaction', TransactionRequest, RetrievedTransaction, transactionResponseFields],
])('lists every response field of %s that is not in its request', (_name, request, response, fields) => {
  expect(fields).toEqual(beside(request, response));
});

it('lists every response field of a filing, which two requests return', () => {
  expect(Object.keys(filingResponseFields)).toEqual(Object.keys(Filing.shape));
});
