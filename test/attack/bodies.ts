/** Random request bodies. */
import type { Schema } from '../support/http.ts';
import type { Draw } from './draw.ts';
import { type Currency, currencies } from './oracle/amounts.ts';
import { firstDay } from './oracle/days.ts';

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
  const text = `${firstDay(of).slice(0, 7)}-${String(day).padStart(2, '0')}`;
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
