import type { Account } from '../accounts/account.ts';
import { inTimeZone } from '../accounts/time-zone.ts';
import { asObject, isSent, type JsonObject } from '../base/json.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { formatAmount, getSum, isZero, minorDigits, negative } from '../money/currency.ts';
import { decimal, rescale } from '../money/decimal.ts';
import { closest } from '../vocabulary/closest.ts';
import { isDecimal, isPrice, lineAmount, shippingList } from './charges.ts';
import { Customer } from './fields.ts';
import { CalculationRequest, LineItemRequest, ShippingRequest } from './request.ts';
import type { Warning } from './response.ts';

// These are other services' names for our fields, in snake case, each with the fields that it can mean.
const aliases: Readonly<Record<string, string>> = {
  address1: 'line1',
  amount: 'unit_price amount',
  date: 'tax_date',
  discount: 'discount_amount',
  items: 'line_items',
  lines: 'line_items',
  name: 'description',
  postcode: 'postal_code',
  price: 'unit_price',
  product_code: 'product_tax_code',
  products: 'line_items',
  province: 'state',
  qty: 'quantity',
  reference: 'reference_id',
  region: 'state',
  ship_to: 'customer',
  street: 'line1',
  tax: 'tax_amount',
  tax_code: 'product_tax_code',
  to: 'customer',
  zip: 'postal_code',
  zip_code: 'postal_code',
};

const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/**
 * Returns the field among `names` that an unknown field probably means: another service's name, or a typo; `null` if
 * there is none.
 */
const suggestedField = (unknown: string, names: readonly string[]): string | null => {
  const name = snakeCase(unknown);
  const known = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  const alias = known?.split(' ').find((field) => names.includes(field));
  const field = alias ?? (names.includes(name) ? name : closest(name, names, Math.floor(name.length / 4)));
  return field === undefined || field === unknown ? null : field;
};

// Fields of other requests, which a camel-case name can mean.
const otherFields =
  'acknowledge_exceptions confirmation_number dry_run period_end reference_id status tax_amount void_reason'.split(' ');

/** Returns a sentence that suggests a field instead of an unknown field at a pointer; empty without a similar field. */
export const suggestField = (pointer: string, names: readonly string[]): string => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (/^\/(shipping_?)?address$/i.test(pointer) && names.includes('customer')) return 'Send `customer.address`.';
  const snake = snakeCase(name);
  const field = suggestedField(name, names) ?? (snake !== name && otherFields.includes(snake) ? snake : null);
  return field === null ? '' : `Did you mean \`${field}\`?`;
};

const unknownFieldsMax = 20;

const fieldNames = (pointer: string): string[] =>
  /^\/shipping\/(\d+\/)?[^/]+$/.test(pointer)
    ? Object.keys(ShippingRequest.shape)
    : [CalculationRequest, LineItemRequest, Customer, PostalAddress].flatMap(({ shape }) => Object.keys(shape));

const unknownFieldWarning = (pointer: string, names: readonly string[] | undefined): Warning => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const suggestion = suggestField(pointer, names ?? fieldNames(pointer));
  const message = `Unknown field \`${name}\`, ignored.${suggestion && ` ${suggestion}`}`;
  return { code: 'unknown_field', message, pointer };
};

/**
 * Warns about each of the first 20 unknown fields, and once about the number of the others. `names` are the fields to
 * suggest; by default, the fields of a calculation.
 */
export const unknownFieldWarnings = (pointers: readonly string[], names?: readonly string[]): Warning[] => {
  const named = pointers.slice(0, unknownFieldsMax).map((pointer) => unknownFieldWarning(pointer, names));
  const others = pointers.length - named.length;
  const message = `${others} more unknown fields, ignored.`;
  return others > 0 ? [...named, { code: 'unknown_field', message, pointer: null }] : named;
};

/**
 * The decimals of the amounts in a body; `null` if the stored transaction or the sale of a credit determines the
 * currency, so the sent decimals are used.
 */
const exponentIn = ({ currency }: JsonObject, isInherited: boolean): number | null =>
  typeof currency === 'string' ? minorDigits(currency) : isInherited ? null : minorDigits('USD');

/**
 * Warns that the `amount` of a line is not its quantity times its price. `amount` is a field of responses: a response
 * that is sent back unchanged causes no warning.
 */
const amountWarning = (line: JsonObject, exponent: number | null, pointer: string): Warning[] => {
  const { amount, quantity, unit_price } = line;
  if (!isSent(amount) || !isDecimal(quantity) || !isPrice(unit_price)) return [];
  const sent = isPrice(amount) ? decimal(amount) : null;
  const places = exponent ?? sent?.scale ?? minorDigits('USD');
  const product = lineAmount({ quantity, unit_price }, places);
  if (sent && sent.scale <= places && rescale(sent, places) === product) return [];
  const message = `The amount sent, ${JSON.stringify(amount).slice(0, 60)}, differs from the quantity times the unit price, ${formatAmount(product, places)}, which Levy taxed. Correct unit_price, or omit amount.`;
  return [{ code: 'line_amount_differs', message, pointer: `${pointer}/amount` }];
};

const amountWarnings = (body: JsonObject, isInherited: boolean): Warning[] => {
  const exponent = exponentIn(body, isInherited);
  const lines = Array.isArray(body['line_items']) ? body['line_items'] : [];
  return lines.flatMap((line, index) => amountWarning(asObject(line) ?? {}, exponent, `/line_items/${index}`));
};

// Programs write UTC as `Z` or with this offset regardless of the local day of the sale, so the account's time zone
// determines the day.
const utcOffset = /[+-]00:00$/;

/** Warns that the offset of the tax date gives a different day than the account's time zone, which takes precedence. */
const taxDayWarnings = ({ tax_date: sent }: JsonObject, { settings: { time_zone } }: Account): Warning[] => {
  if (typeof sent !== 'string' || !/[+-]\d\d:\d\d$/.test(sent) || utcOffset.test(sent)) return [];
  const [own, day] = [sent.slice(0, 10), inTimeZone(sent, time_zone).slice(0, 10)];
  if (own === day) return [];
  const message = `The tax date is ${own} in its offset, but ${day} in the account's time_zone ${time_zone}, which applies. To use ${own}, send that date.`;
  return [{ code: 'tax_day_differs', message, pointer: '/tax_date' }];
};

type Taxed = { readonly tax_amount: string };

/** Returns the tax that a body has for each charge, with the recorded tax of the charge. */
const pairTaxes = (sent: readonly unknown[], recorded: readonly Taxed[]) =>
  sent.flatMap((charge, index) => {
    const tax = asObject(charge)?.['tax_amount'];
    const text = typeof tax === 'number' ? String(tax) : tax;
    return isPrice(text) ? [[text, recorded[index]?.tax_amount ?? '0'] as const] : [];
  });

/**
 * Warns that the `tax_amount` of line items and shipping, a field of responses, is not the recorded tax. A calculation
 * that is sent back unchanged causes no warning, and neither does a body with the tax of the document.
 */
export const lineTaxWarnings = (
  sent: unknown,
  recorded: { readonly line_items: readonly Taxed[]; readonly shipping: Parameters<typeof shippingList<Taxed>>[0] },
): Warning[] => {
  const { tax_amount, line_items, shipping } = asObject(sent) ?? {};
  if (isSent(tax_amount)) return [];
  const taxes = [
    ...pairTaxes(Array.isArray(line_items) ? line_items : [], recorded.line_items),
    ...pairTaxes(shippingList<unknown>(shipping), shippingList(recorded.shipping)),
  ];
  const [sentTax, ownTax] = [getSum(taxes.map(([text]) => text)), getSum(taxes.map(([, own]) => own))];
  if (isZero(getSum([sentTax, negative(ownTax)]))) return [];
  const message = `The tax_amount of line items and shipping, ${sentTax} in total, is ignored: Levy recorded ${ownTax} on them. Send the collected tax of the whole document as \`tax_amount\`.`;
  return [{ code: 'line_tax_ignored', message, pointer: '/line_items' }];
};

/**
 * Warns about parts of a valid body that the calculation ignores: unknown fields, a line amount that contradicts its
 * price, and a tax date whose day depends on the time zone. `isUpdate` is true for a stored transaction, whose currency
 * applies unless the body has one.
 */
export const sentWarnings = (
  sent: unknown,
  unknownFields: readonly string[],
  account: Account,
  isUpdate = false,
): Warning[] => {
  const body = asObject(sent) ?? {};
  const isOfSale = body['type'] === 'credit' && isSent(body['parent_transaction_id']);
  return [
    ...unknownFieldWarnings(unknownFields),
    ...taxDayWarnings(body, account),
    ...amountWarnings(body, isUpdate || isOfSale),
  ];
};
