import { defaultSettings, type Settings } from '../../shared/accounts/account.ts';
import type { Problem } from '../../shared/base/result.ts';
import { calculate, type Outcome } from '../../shared/calculations/calculate.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Effect, Location, Release, Rule } from '../../shared/catalog/release.ts';
import type { Jurisdiction, Rounding } from '../../shared/catalog/release-values.ts';
import { newTransaction } from '../../shared/ledger/new-transaction.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { decimal, rescale } from '../../shared/money/decimal.ts';
import { findRates, type RatesQuery } from '../../shared/rates/rates.ts';
import type { Rates } from '../../shared/rates/response.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../../shared/vocabulary/product-tax-code.ts';

/** Builders of content, documents and requests for tests, with defaults for all fields. */

/** The terms of content that is in force on every day of the tests. */
export const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;

export const jurisdiction = (code: string, type: Jurisdiction['type'] = 'state'): Jurisdiction => ({
  code,
  name: `Name of ${code}`,
  type,
  tax_type: 'sales',
});

export const rule = (id: string, ptcs: readonly string[], effect: Effect, others: Partial<Rule> = {}): Rule => ({
  ...always,
  id,
  levels: null,
  ptcs,
  attributes: { any: [], none: [] },
  effect,
  ...others,
});

type NewJurisdiction = Pick<Jurisdiction, 'code' | 'type'> & { readonly rate: string };
type NewRelease = Partial<Omit<Release, 'jurisdictions' | 'settings'>> & {
  /** The jurisdictions; the state comes first. */
  readonly of?: readonly [NewJurisdiction, ...NewJurisdiction[]];
  readonly shipping?: Release['settings']['shipping'][number]['policy'];
  readonly rounding?: Rounding;
  readonly settings?: Partial<Release['settings']>;
};

/** Builds a release of one state, taxed at 6 % by default. Every value is in force from 2000. */
export const getRelease = ({ of, shipping, rounding, settings, ...others }: NewRelease = {}): Release => {
  const [state, ...local] = of ?? [{ code: 'US-XX', type: 'state', rate: '0.06' } as const];
  return {
    id: `${state.code}@2026-11-22.1`,
    state: state.code,
    name: `State ${state.code}`,
    currency: 'USD',
    established_from: '2026-01-01',
    established_to: null,
    coverage: 'complete',
    sources: {},
    jurisdictions: [jurisdiction(state.code), ...local.map(({ code, type }) => jurisdiction(code, type))],
    rates: [state, ...local].map(({ code, rate }) => ({ ...always, jurisdiction: code, rate })),
    locations: [],
    rules: [],
    settings: {
      sourcing: [{ ...always, policy: 'destination' }],
      shipping: [{ ...always, policy: shipping ?? 'follows_goods' }],
      rounding: [{ ...always, policy: rounding ?? { method: 'half_up' } }],
      coupons: [],
      ...settings,
    },
    ...others,
  };
};

export const buildLocation = (others: Partial<Location>): Location => ({
  ...always,
  zips: [],
  cities: [],
  alternatives: [[]],
  ...others,
});

/** Builds a complete release of Pennsylvania that lists the ZIP codes and cities of two counties. */
export const listedRelease = getRelease({
  of: [
    { code: 'US-PA', type: 'state', rate: '0.06' },
    { code: 'US-PA-PHILADELPHIA', type: 'county', rate: '0.02' },
    { code: 'US-PA-ALLEGHENY', type: 'county', rate: '0.01' },
  ],
  locations: [
    buildLocation({ cities: ['PHILADELPHIA'], alternatives: [['US-PA-PHILADELPHIA']] }),
    buildLocation({
      zips: [
        ['19101', '19112'],
        ['19114', '19199'],
      ],
      alternatives: [['US-PA-PHILADELPHIA']],
    }),
    buildLocation({ zips: [['19113', '19113']], alternatives: [[], ['US-PA-PHILADELPHIA']] }),
    buildLocation({ cities: ['PITTSBURGH'], alternatives: [['US-PA-ALLEGHENY']] }),
    buildLocation({ zips: [['15201', '15240']], alternatives: [['US-PA-ALLEGHENY']] }),
  ],
});

/** Builds a place in all jurisdictions of a release. */
export const buildPlace = (
  release: Release,
  jurisdictions = release.jurisdictions as readonly Jurisdiction[],
): Place => ({
  code: release.state,
  name: release.name,
  release,
  jurisdictions,
  sourcing: jurisdictions.map(() => ({ at: 'destination', zip5: null, county: null })),
  isInterstate: true,
});

/**
 * Builds a place taxed at these rates by the state `US-XX` (6 % by default) and by counties `US-XX-1`, `US-XX-2` and so
 * on.
 */
export const placeAt = ([state = '0.06', ...counties]: readonly string[] = [], others: NewRelease = {}): Place => {
  const local = counties.map((rate, index) => ({ code: `US-XX-${index + 1}`, type: 'county' as const, rate }));
  return buildPlace(getRelease({ of: [{ code: 'US-XX', type: 'state', rate: state }, ...local], ...others }));
};

const products = new Map<string, ProductTaxCode>();

/** One object per code, as in the service: lines with the same product share its treatments. */
export const getProduct = (text: string): ProductTaxCode => {
  const known = products.get(text);
  if (known) return known;
  const parsed = parseProductTaxCode(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problems[0].detail}`);
  products.set(text, parsed.value);
  return parsed.value;
};

/** Converts dollars to cents for the tax core. */
export const cents = (dollars: string): bigint => rescale(decimal(dollars), 2);

type NewLine = Partial<Omit<TaxLine, 'product' | 'quantity' | 'amount' | 'discount' | 'thirdPartyDiscount'>> & {
  readonly ptc?: string;
  readonly quantity?: string;
  /** The total price of all units. */
  readonly amount?: string;
  readonly discount?: string;
  readonly thirdPartyDiscount?: string;
};

export const getLine = (
  place: Place,
  { ptc, quantity, amount, discount, thirdPartyDiscount, ...others }: NewLine = {},
) =>
  ({
    product: getProduct(ptc ?? 'GENERAL'),
    quantity: decimal(quantity ?? '1'),
    amount: cents(amount ?? '100.00'),
    discount: cents(discount ?? '0'),
    thirdPartyDiscount: cents(thirdPartyDiscount ?? '0'),
    place,
    use: null,
    collectionExemption: null,
    isShipped: !ptc?.startsWith('FEES.'),
    ...others,
  }) satisfies TaxLine;

/** A shipping charge for all lines except fees, each delivered to its place. */
export const getShipping = (lines: readonly TaxLine[], charge: Pick<TaxLine, 'amount' | 'product'>) => {
  const deliveries = lines.map(({ place, collectionExemption }, line) => ({ line, place, collectionExemption }));
  const goods = deliveries.filter(({ line }) => !lines[line]?.product.path.startsWith('FEES.'));
  return {
    ...getLine((lines[0] as TaxLine).place, { isShipped: false }),
    ...charge,
    deliveries: goods.length > 0 ? goods : deliveries,
  };
};

const shippingFor = (lines: readonly TaxLine[], shipping: NonNullable<NewDocument['shipping']>) =>
  'amount' in shipping ? [getShipping(lines, shipping)] : shipping;

type NewDocument = Partial<TaxDocument> & {
  /** A single charge for all lines, or a list of charges. */
  readonly shipping?: Pick<TaxLine, 'amount' | 'product'> | readonly TaxLine[] | null;
};

export const buildDocument = (lines: readonly TaxLine[], { shipping, ...others }: NewDocument = {}): TaxDocument => ({
  day: '2026-10-08',
  currency: 'USD',
  exponent: 2,
  rounding: 'line',
  taxIncluded: false,
  passOnGeneralExcise: false,
  discount: 0n,
  thirdPartyDiscount: 0n,
  discountsShipping: false,
  lines: [...lines, ...shippingFor(lines, shipping ?? [])],
  lineItems: lines.length,
  ...others,
});

/** Taxes a single line with the tax core. */
export const taxLine = (line: TaxLine, others: NewDocument = {}): TaxedDocument['lines'][number] =>
  calculateTax(buildDocument([line], others)).lines[0] as TaxedDocument['lines'][number];

/** The current time in the tests: before the content's last day, and within the API's 31-day limit. */
export const testNow = Date.parse('2026-11-20T12:00:00Z');

export type NewRequest = Partial<Omit<CalculationInput, 'line_items' | 'customer'>> & {
  readonly customer?: CalculationInput['customer'];
  readonly line_items?: readonly Partial<NonNullable<CalculationInput['line_items']>[number]>[];
  /** The address of the document's customer. */
  readonly to?: NonNullable<NonNullable<CalculationInput['customer']>['address']>;
};
export type Options = {
  readonly settings?: Partial<Settings>;
  readonly releaseFor?: ReleaseFor;
  /** The service's current day. */
  readonly today?: string;
};

/** Builds a request: by default one line of general goods at 100.00 on 2026-09-15. */
export const buildRequest = ({ to, customer, line_items, ...others }: NewRequest = {}): CalculationInput => ({
  tax_date: '2026-09-15',
  customer: customer ?? (to ? { address: to } : null),
  line_items: (line_items ?? [{}]).map((line) => ({
    product_tax_code: 'GENERAL',
    quantity: '1',
    unit_price: '100.00',
    ...line,
  })),
  ...others,
});

const response = (request: NewRequest, { settings = {}, releaseFor = builtInReleaseFor, today }: Options) =>
  calculate(
    buildRequest(request),
    {
      // Most tests are not about delivery fees.
      settings: { ...defaultSettings('2026-10-08'), retail_delivery_fee: 'none', ...settings },
      releaseFor,
      now: today === undefined ? testNow : Date.parse(`${today}T12:00:00Z`),
    },
    [],
  );

/** Calculates, by default with the built-in content. */
export const ask = (request: NewRequest, options: Options = {}): Outcome => {
  const result = response(request, options);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

/** Returns the problems of a refused calculation. */
export const refusal = (request: NewRequest, options: Options = {}): readonly Problem[] => {
  const result = response(request, options);
  return result.ok ? [] : result.problems;
};

/** Returns the rates of an address, or the problems of a refused query. */
const responseRates = (
  query: RatesQuery,
  { settings = {}, releaseFor = builtInReleaseFor, today = '2026-11-22' }: Options,
) =>
  findRates(
    { ...query, date: query.date ?? today },
    { ...defaultSettings('2026-10-08'), ...settings },
    { loadContent: async () => releaseFor, now: () => Date.parse(`${today}T12:00:00Z`) },
  );

/** Returns the rates of an address, by default with the built-in content. */
export const askRates = async (query: RatesQuery, options: Options = {}): Promise<Rates> => {
  const result = await responseRates(query, options);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

/** Returns the problems of a refused query of rates. */
export const ratesRefusal = async (query: RatesQuery, options: Options = {}): Promise<readonly Problem[]> => {
  const result = await responseRates(query, options);
  return result.ok ? [] : result.problems;
};

/** Builds a finalized transaction as it is stored, recorded at the current time of the tests. */
export const storeOutcome = (
  recorded: Outcome,
  settings: Partial<Settings> = {},
  { calculated = recorded, creditOf = null }: { calculated?: Outcome; creditOf?: { readonly id: string } | null } = {},
): StoredTransaction => ({
  ...newTransaction(
    { type: creditOf ? 'credit' : 'sale', status: 'finalized', parent_transaction_id: creditOf?.id ?? null },
    { calculated, recorded },
    {
      creditOf: creditOf ? 'lines' : null,
      settingsSnapshot: snapshotSettings({ ...defaultSettings('2026-10-08'), ...settings }),
    },
    24,
    { newId: () => `txn_${++stored}`, now: () => testNow },
  ),
  auditHash: '',
});
let stored = 0;

export const warningCodes = ({ warnings }: Outcome): string[] => [...new Set(warnings.map(({ code }) => code))].sort();
