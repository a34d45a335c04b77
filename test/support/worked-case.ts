import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release, ShippingPolicy } from '../../shared/catalog/release.ts';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { builtIn } from './local-content.ts';
import { shippingCharges } from './sales.ts';

/** A worked example published by a revenue department, a statute or a vendor. */
export type WorkedCase = {
  readonly id: string;
  readonly state: string | null;
  readonly country?: string;
  readonly date: string | null;
  readonly zip?: string;
  /** The rates in the example: the localities of its ZIP code, and the state rate if it differs from today's. */
  readonly rates?: readonly NamedRate[];
  readonly other_zips?: Readonly<Record<string, readonly NamedRate[]>>;
  readonly shipping_policy?: ShippingPolicy;
  readonly from?: { readonly state: string; readonly postal_code: string };
  readonly input: { readonly lines?: readonly CaseLine[] };
  readonly original?: readonly {
    readonly id: string;
    readonly net?: string;
    readonly gross?: string;
    readonly tax: string;
  }[];
  /** The total refund. */
  readonly refund?: string;
  readonly expected: Expected;
  readonly citation: string;
};
type NamedRate = readonly [code: string, type: JurisdictionType, rate: string];
type CaseLine = {
  readonly id: string;
  readonly ptc: string;
  readonly quantity: string;
  readonly unit_price: string;
  readonly discount?: string;
  readonly third_party_discount?: string;
  readonly exempt?: boolean;
  readonly actual_cost?: string;
  readonly adders?: readonly { readonly ptc?: string; readonly kind?: string; readonly amount: string }[];
  readonly included?: readonly { readonly kind: string; readonly amount: string }[];
};
type ExpectedRow = {
  /** `null` means the whole document, `ship` the shipping. */
  readonly line: string | null;
  readonly level: JurisdictionType | 'local' | 'combined' | 'country';
  readonly percent: string;
  readonly base: string;
  readonly tax: string;
};
export type Expected = {
  readonly tax_total?: string;
  readonly local_tax?: string;
  readonly customer_pays?: string;
  readonly grand_total?: string;
  readonly sourced_to?: string;
  readonly rows?: readonly ExpectedRow[];
  readonly by_line?: Readonly<Record<string, { readonly refund_total: string; readonly tax: string }>>;
  readonly by_jurisdiction_tax_displayed?: Readonly<Record<string, string>>;
};

const cents = (text: string): number => Math.round(Number(text) * 100);
const dollars = (amount: number): string => (amount / 100).toFixed(2);
const sum = (amounts: readonly string[]): number => amounts.reduce((total, amount) => total + cents(amount), 0);

const isDelivery = ({ ptc }: { readonly ptc?: string }): boolean => ptc?.startsWith('SHIPPING') === true;

/**
 * Returns the price of a line, including alterations and the manufacturer's liability, excluding the consumer's
 * liability.
 */
const getPrice = ({ unit_price, adders = [], included = [] }: CaseLine): string =>
  dollars(
    cents(unit_price) +
      sum(adders.filter((adder) => !isDelivery(adder)).map(({ amount }) => amount)) -
      sum(included.map(({ amount }) => amount)),
  );

const buildLine = (line: CaseLine) => ({
  id: line.id,
  product_tax_code: line.exempt ? 'NONTAXABLE' : line.ptc,
  // In the cases, exempt goods are shipped.
  ...(line.exempt && { fulfillment: 'ship' as const }),
  quantity: line.quantity,
  unit_price: getPrice(line),
  ...(line.discount ? { discount_amount: line.discount } : {}),
  ...(line.third_party_discount ? { third_party_discount_amount: line.third_party_discount } : {}),
});

// California: the lower of the charge and the carrier's cost is exempt; the rest is a regular charge.
const splitByCost = ({ id, unit_price, actual_cost = '0' }: CaseLine) => {
  const carried = Math.min(cents(unit_price), cents(actual_cost));
  const rest = {
    id,
    product_tax_code: 'SHIPPING.HANDLING',
    quantity: '1',
    unit_price: dollars(cents(unit_price) - carried),
  };
  return {
    shipping: { amount: dollars(carried), product_tax_code: 'SHIPPING.DELIVERY._AT_ACTUAL_COST' },
    lines: cents(unit_price) > carried ? [rest] : [],
  };
};

const getShipping = (lines: readonly CaseLine[]) => {
  const delivery = lines.find((line) => isDelivery(line) && !line.exempt);
  if (delivery?.actual_cost) return splitByCost(delivery);
  const added = lines.flatMap(({ adders = [] }) => adders.filter(isDelivery).map(({ amount }) => amount));
  const amount = dollars(cents(delivery?.unit_price ?? '0') + sum(added));
  return { shipping: amount === '0.00' ? null : { amount }, lines: [] };
};

/** The default day of a case, which all content covers. */
const anyDay = '2026-10-08';

/** Builds a client's request for a case. */
export const buildRequest = ({ state, country = 'US', zip, date, from, input: { lines = [] } }: WorkedCase) => {
  const goods = lines.filter((line) => line.exempt || !isDelivery(line));
  const { shipping, lines: rest } = getShipping(lines);
  return {
    tax_date: date ?? anyDay,
    customer: { address: { state, country, postal_code: zip ?? null } },
    ...(from ? { ship_from: { address: { ...from, country: 'US' } } } : {}),
    line_items: [...goods.map(buildLine), ...rest],
    ...(shipping ? { shipping } : {}),
  };
};

const always = { from: '2000-01-01', to: null, source: 'rates', confidence: 'high' } as const;

/** Returns the content of a case: the built-in release of its state, with the rates and shipping policy of the case. */
export const getContent = ({ state, zip, rates = [], shipping_policy, other_zips = {} }: WorkedCase): ReleaseFor => {
  if (!state || !zip || (rates.length === 0 && !shipping_policy)) return builtInReleaseFor;
  const { local: _, ...base } = builtIn(state);
  const places = Object.entries({ [zip]: rates, ...other_zips });
  const named = places.flatMap(([, of]) => of);
  const isLocal = ([, type]: NamedRate) => type !== 'state';
  const everywhere = base.jurisdictions.slice(1).filter(({ type }) => type === 'state');
  const shipping = [{ ...always, policy: shipping_policy as ShippingPolicy }];
  const release: Release = {
    ...base,
    coverage: 'complete',
    jurisdictions: [
      base.jurisdictions[0],
      ...everywhere,
      ...named.filter(isLocal).map(([code, type]) => ({ code, name: code, type, tax_type: 'sales' as const })),
    ],
    rates: [
      ...base.rates.filter(({ jurisdiction }) => !named.some(([code]) => code === jurisdiction)),
      ...named.map(([jurisdiction, , rate]) => ({ ...always, jurisdiction, rate })),
    ],
    locations: places.map(([place, of]) => ({
      ...always,
      zips: [[`${place}0000`, `${place}9999`]],
      cities: [],
      alternatives: [[...everywhere.map(({ code }) => code), ...of.filter(isLocal).map(([code]) => code)]],
    })),
    settings: { ...base.settings, ...(shipping_policy && { shipping }) },
  };
  return (key) => (key.state === state ? release : builtInReleaseFor(key));
};

type Row = { jurisdiction_type: string; rate: string; taxable_amount: string; tax_amount: string };
type Charge = { id?: string; taxable_amount: string; tax_amount: string; taxes: readonly Row[] };
type ApiResponse = {
  line_items: readonly Charge[];
  shipping: Charge | readonly Charge[] | null;
  taxable_amount: string;
  tax_amount: string;
};

// Rates are compared as integers in millionths of a percent.
const isAt = ({ rate }: Row, percent: string): boolean =>
  Math.round(Number(rate) * 1e8) === Math.round(Number(percent) * 1e6);

const isRelevant = ({ jurisdiction_type }: Row, level: ExpectedRow['level']): boolean =>
  level === 'local' ? jurisdiction_type !== 'state' : jurisdiction_type === level;

/** Returns the base and the tax in a response for an expected row. */
export const getFound = (
  { line_items, shipping }: ApiResponse,
  { line, level, percent }: ExpectedRow,
  { input: { lines = [] } }: WorkedCase,
): { base: string; tax: string } => {
  const hasDelivery = lines.some(({ id, adders = [] }) => id === line && adders.some(isDelivery));
  const delivered = shippingCharges(shipping);
  const charges =
    line === null
      ? [...line_items, ...delivered]
      : line === 'ship'
        ? delivered
        : [...line_items.filter(({ id }) => id === line), ...(hasDelivery ? delivered : [])];
  const found: readonly Pick<Row, 'taxable_amount' | 'tax_amount'>[] =
    level === 'combined'
      ? charges
      : charges.flatMap(({ taxes }) => taxes.filter((row) => isRelevant(row, level) && isAt(row, percent)));
  return {
    base: dollars(sum(found.map(({ taxable_amount }) => taxable_amount))),
    tax: dollars(sum(found.map(({ tax_amount }) => tax_amount))),
  };
};
