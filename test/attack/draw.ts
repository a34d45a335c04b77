import type { Settings as AccountSettings, Registration } from '../../shared/accounts/account.ts';
import type { Schema } from '../support/http.ts';
import { firstDayOf, lastDayOf } from '../support/local-days.ts';
import { seeded } from '../support/seeded.ts';

/** Random choices, reproducible by seed. */
export type Draw = {
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  readonly below: (end: number) => number;
  readonly of: <Value>(values: readonly Value[]) => Value;
  /** Returns true with this probability in percent. */
  readonly chance: (percent: number) => boolean;
  /** Returns one of the names, in proportion to their weights. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
  /** Creates an independent series, which does not depend on later draws of this one. */
  readonly fork: () => Draw;
};

export const drawFrom = (seed: number): Draw => {
  const random = seeded(seed);
  const below = (end: number) => Math.floor(random() * end);
  return {
    below,
    of: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (percent) => below(100) < percent,
    weighted: (weights) => {
      const names = Object.keys(weights) as (keyof typeof weights)[];
      let left = below(names.reduce((sum, name) => sum + weights[name], 0));
      return names.find((name) => {
        left -= weights[name];
        return left < 0;
      }) as (typeof names)[number];
    },
    fork: () => drawFrom(below(2 ** 31)),
  };
};

/** Random settings of an account. */

export type Settings = {
  readonly time_zone: string;
  readonly registrations: AccountSettings['registrations'];
  readonly rounding: 'line' | 'invoice';
  readonly review_days: number;
  readonly draft_ttl_hours: number;
  readonly books_open_from: string;
};

const zones = [
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'Pacific/Honolulu',
  'Asia/Tokyo',
  'Pacific/Kiritimati',
];

/** The states of the attack's sales. */
export const states = ['MI', 'IN', 'NY', 'TX', 'CA', 'WA', 'OR', 'HI', 'AK', 'NJ'];

/** The number of months from the opening of the books to the first month. */
export const monthsOfBooks = 4;

/** One to three registrations of a state, consecutive or with a gap, even mid-month. */
const registrationsOf = (draw: Draw, state: string, month: number): Registration[] => {
  const entries: Registration[] = [];
  let from = month - draw.of([24, 13, 8, 3, 2, 1, 0]);
  for (let left = 1 + draw.below(3); left > 0; left -= 1) {
    const to = left === 1 && draw.chance(70) ? null : from + 1 + draw.below(5);
    const start = draw.chance(70) ? firstDayOf(from) : `${firstDayOf(from).slice(0, 7)}-${10 + draw.below(18)}`;
    entries.push({
      state,
      from: start,
      to: to === null ? null : lastDayOf(to),
      frequency: draw.of<Registration['frequency']>(['month', 'month', 'quarter', 'year']),
    });
    if (to === null) break;
    from = to + 1 + draw.of([0, 0, 1, 3]);
  }
  return entries;
};

/** Settings for a world whose first month is this one. */
export const settingsFrom = (draw: Draw, month: number): Settings => {
  const kind = draw.weighted({ list: 75, all: 15, none: 10 });
  const registered = states.filter(() => draw.chance(60)).flatMap((state) => registrationsOf(draw, state, month));
  return {
    time_zone: draw.of(zones),
    registrations: kind === 'list' ? registered : kind === 'all' ? 'all' : null,
    rounding: draw.of(['line', 'line', 'invoice']),
    review_days: draw.below(6),
    draft_ttl_hours: draw.of([24, 24, 72, 2000]),
    books_open_from: firstDayOf(month - monthsOfBooks),
  };
};

/** The settings as arguments of `npm run accounts -- create`. */
export const assignmentsOf = ({ registrations, ...settings }: Settings): string[] => [
  'rate_limit=30000',
  ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ...(registrations === null
    ? []
    : [`registrations=${registrations === 'all' ? 'all' : JSON.stringify(registrations)}`]),
];

/** Random request bodies. */

export type Transaction = Schema<'Transaction'>;
/** A requested line, for the comparison with the recorded line. */
export type SentLine = {
  readonly id: string;
  readonly quantity: string;
  readonly unit_price: string;
  readonly product_tax_code?: string;
  readonly discount_amount?: string;
  readonly customer?: object;
  readonly parent_line_item_id?: string;
};
export type Sent = {
  readonly currency: Currency;
  readonly tax_date: string;
  readonly line_items: readonly SentLine[];
  readonly status: 'draft' | 'finalized';
  readonly metadata: Readonly<Record<string, string>>;
  readonly reference_id?: string;
  readonly tax_amount?: string;
  readonly discount_amount?: string;
  readonly collected_by?: string;
  readonly shipping?: object;
  readonly customer: { readonly id?: string };
};

/** The decimals of the currencies that the attack uses (ISO 4217). */
export const currencies = { USD: 2, CAD: 2, EUR: 2, JPY: 0, KWD: 3 } as const;
export type Currency = keyof typeof currencies;

const place = (city: string, state: string, postal_code: string) => ({ city, state, postal_code, country: 'US' });
const places = [
  place('Lansing', 'MI', '48933'),
  place('Indianapolis', 'IN', '46204'),
  place('New York', 'NY', '10001'),
  place('Houston', 'TX', '77002'),
  place('Los Angeles', 'CA', '90012'),
  place('Seattle', 'WA', '98101'),
  place('Portland', 'OR', '97201'),
  place('Honolulu', 'HI', '96813'),
  place('Juneau', 'AK', '99801'),
  place('Trenton', 'NJ', '08608'),
];
const codes = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY', 'SOFTWARE.SAAS', 'DIGITAL.EBOOKS'];

/** Returns a random amount of at most `units` units of a currency. */
export const amountUpTo = (draw: Draw, currency: Currency, units: number): string => {
  const decimals = currencies[currency];
  const fraction = Array.from({ length: decimals }, () => draw.below(10)).join('');
  return `${draw.below(units)}${decimals > 0 ? `.${fraction}` : ''}`;
};

const certificate = (draw: Draw) => ({
  type: draw.of(['resale', 'government', 'nonprofit']),
  certificate_id: `CERT-${draw.below(100)}`,
  regions: null,
});

const customerFrom = (draw: Draw) => ({
  address: draw.of(places),
  ...(draw.chance(12) && { exemption: certificate(draw) }),
});

export const linesFrom = (draw: Draw, currency: Currency): SentLine[] =>
  Array.from({ length: 1 + draw.below(4) }, (_, at) => ({
    id: `line-${at}`,
    // Shipping requires a shipped line.
    product_tax_code: at === 0 ? 'GENERAL' : draw.of(codes),
    quantity: String(1 + draw.below(5)),
    // Above any discount.
    unit_price: `${1 + draw.below(9)}${amountUpTo(draw, currency, 10)}`,
    ...(draw.chance(30) && { customer: customerFrom(draw) }),
    ...(draw.chance(10) && { discount_amount: amountUpTo(draw, currency, 1) }),
  }));

/** A day or timestamp in the month, in one of the three previous months, or in the first days of the next month. */
export const taxDateFrom = (draw: Draw, month: number): string => {
  const of = month + draw.of([0, 0, 0, 0, -1, -1, -2, -3, 1]);
  const day = of > month ? 1 + draw.below(8) : 1 + draw.below(28);
  const text = `${firstDayOf(of).slice(0, 7)}-${String(day).padStart(2, '0')}`;
  if (draw.chance(40)) return text;
  const hour = draw.of([0, 1, 4, 9, 12, 20, 23]);
  return `${text}T${String(hour).padStart(2, '0')}:${draw.of(['00', '30', '59'])}:00${draw.of(['Z', 'Z', '.500Z', '-05:00'])}`;
};

/** Builds a sale in a month. `name` identifies its request in the metadata. */
export const saleFrom = (draw: Draw, name: string, month: number, customers: readonly string[]): Sent => {
  const currency = draw.of<Currency>(['USD', 'USD', 'USD', 'CAD', 'EUR', 'JPY', 'KWD']);
  return {
    currency,
    tax_date: taxDateFrom(draw, month),
    status: draw.chance(70) ? 'finalized' : 'draft',
    line_items: linesFrom(draw, currency),
    metadata: { op: name },
    customer: { ...customerFrom(draw), ...(draw.chance(50) && { id: draw.of(customers) }) },
    ...(draw.chance(20) && { tax_amount: amountUpTo(draw, currency, 40) }),
    ...(draw.chance(15) && { discount_amount: amountUpTo(draw, currency, 3) }),
    ...(draw.chance(30) && { shipping: { amount: amountUpTo(draw, currency, 20) } }),
    ...(draw.chance(6) && { collected_by: 'marketplace' }),
  };
};
