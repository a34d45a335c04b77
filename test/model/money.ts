import { faultText, sumFaults } from '../../shared/ledger/invariants.ts';
import { listCharges, onlyShipping } from '../support/sales.ts';
import { type Body, type Figures, type Line, must, type Requested, same } from './book.ts';

/** The model's arithmetic with minor units as BigInt. It shares no code with the service, so both must be right. */

const decimals: Readonly<Record<string, number>> = { USD: 2, EUR: 2, JPY: 0, KWD: 3 };

export const getDecimals = (currency: string): number => {
  const known = decimals[currency];
  if (known === undefined) throw new Error(`The model does not know ${currency}.`);
  return known;
};

/** Divides two non-negative integers, rounded half up. */
export const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

const listParts = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: BigInt(fraction.length) };
};

/** Multiplies decimals and rounds half up to minor units of a currency; a single decimal is only converted. */
export const minor = (currency: string, ...factors: readonly string[]): bigint => {
  const parts = factors.map(listParts);
  const product = parts.reduce((all, { digits }) => all * digits, 1n);
  const scale = parts.reduce((all, part) => all + part.scale, 0n);
  return halfUp(product * 10n ** BigInt(getDecimals(currency)), 10n ** scale);
};

/** Formats minor units as responses do. */
export const written = (currency: string, amount: bigint): string => {
  const places = getDecimals(currency);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const sign = amount < 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);
export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * Whether a part is its share of a whole. With largest-remainder rounding, each row of the part differs from its exact
 * share by less than a minor unit.
 */
export const isShare = (part: bigint, whole: bigint, weight: bigint, weights: bigint, rows = 1): boolean => {
  if (weights === 0n) return part === 0n;
  const difference = part * weights - whole * weight;
  return (difference < 0n ? -difference : difference) < weights * BigInt(rows);
};

/**
 * Returns the local time of a timestamp, such as `2026-10-31T20:30:00.000-04:00`. A date and a time in UTC are
 * unchanged.
 */
export const inZone = (text: string, timeZone: string): string => {
  if (text.length === 10 || timeZone === 'UTC') return text;
  const ms = Date.parse(text);
  // The Swedish locale formats times like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const local = `${format.format(ms).replace(' ', 'T')}.${String(ms % 1000).padStart(3, '0')}`;
  const minutes = (Date.parse(`${local}Z`) - ms) / 60_000;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${local}${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};

/** The milliseconds of a local time, as lists sort it: as if it were UTC. */
export const wallMs = (text: string): number => Date.parse(text.replace(/[+-]\d\d:\d\d$/, 'Z'));

/** The sum of a field over charges, in minor units. */
export const getSum = <Field extends string>(
  currency: string,
  charges: readonly { readonly [Name in Field]: string }[],
  field: Field,
): bigint => sum(charges.map((charge) => minor(currency, charge[field])));

/** Rates in whole percent, for goods without a special rule. Neither state has local taxes. */
const rates: Readonly<Record<string, bigint>> = { MI: 6n, IN: 7n };

export const getState = (line: Pick<Line, 'customer'>, document: Body): string =>
  (line.customer ?? document.customer)?.address?.state ?? '';

/** The tax of a line, rounded separately. */
export const getRate = (net: bigint, line: Pick<Line, 'customer'>, document: Body): bigint =>
  halfUp(net * (rates[getState(line, document)] as bigint), 100n);

/** Checks that every amount of a transaction is the sum of its parts. */
export const mustAddUp = (body: Figures): void => {
  const { currency } = body;
  const read = (text: string) => minor(currency, text);
  for (const line of body.line_items) {
    const [net, discount] = [read(line.net_amount), read(line.applied_discount_amount)];
    same(
      [read(line.amount), net],
      [minor(currency, line.quantity, line.unit_price), read(line.amount) - discount],
      'A line',
    );
    must(net >= 0n && discount >= 0n, 'A discount exceeds its line.');
  }
  for (const charge of listCharges(body)) {
    const parts = read(charge.taxable_amount) + read(charge.exempt_amount);
    same(parts, read(charge.net_amount), 'What is taxable and what is not');
  }
  same(sumFaults(body).map(faultText), [], 'The sums');
};

const lineFields = ['id', 'description', 'product_tax_code', 'quantity', 'unit_price', 'customer'] as const;

/** Checks that a calculated document echoes the request, and is taxed at the rates of its states. */
export const mustBeCalculated = (body: Body, request: Requested, supplied: string | null): void => {
  const { currency, line_items: lines } = body;
  const echoes = (line: Line) => lineFields.map((field) => [field, line[field] ?? null]);
  const { line_items: sent = [] } = request;
  same(lines.map(echoes), sent.map(echoes), 'The lines as sent');
  mustAddUp(body);
  const discounts = [...sent, request].map((line) => minor(currency, line.discount_amount ?? '0'));
  same(getSum(currency, lines, 'applied_discount_amount'), sum(discounts), 'The discounts');
  same(onlyShipping(body.shipping)?.amount, request.shipping?.amount, 'The shipping');
  const taxes: bigint[] = lines.map((line) => getRate(minor(currency, line.net_amount), line, body));
  const calculated = minor(currency, body.calculated_tax_amount);
  const ofShipping = calculated - sum(taxes);
  must(body.shipping ? ofShipping >= 0n : ofShipping === 0n, 'The calculated tax is not the sum of the lines.');
  const weights = [...taxes, ...(body.shipping ? [ofShipping] : [])];
  const charges = listCharges(body);
  const recorded = charges.map(({ tax_amount }) => minor(currency, tax_amount));
  const tax = supplied === null ? calculated : minor(currency, supplied);
  same(sum(recorded), tax, 'The tax');
  if (tax === calculated) same(recorded, weights, 'The taxes of the lines');
  else if (calculated > 0n)
    recorded.forEach((part, index) => {
      const rows = charges[index]?.taxes.length;
      const isInProportion = isShare(part, tax, weights[index] as bigint, calculated, rows);
      must(isInProportion, 'A supplied tax is not spread in proportion.');
    });
};
