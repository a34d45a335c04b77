import { equivalentRow } from '../vocabulary/crosswalk.ts';
import { type Json, withoutNoise } from './numbers.ts';
import { addressParts, missing, TaxJarRefusal } from './refusal.ts';

/** Translates the fields that orders, refunds and calculations share to a request of Levy. */

export type Fields = { readonly [name: string]: Json };

export const requireObject = (value: Json, name = 'The body'): Fields => {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TaxJarRefusal(406, `${name} is not a JSON object. Send an object.`);
  return value as Fields;
};

/**
 * Reads each object of a list; `null` if the list is absent or empty. An error of a field contains its object:
 * `line_items[0]: …`
 */
export const listAt = <Value>(
  fields: Fields,
  name: string,
  read: (entry: Fields, at: number) => Value,
): Value[] | null => {
  const list = fields[name] ?? null;
  if (list === null || (Array.isArray(list) && list.length === 0)) return null;
  if (!Array.isArray(list)) throw new TaxJarRefusal(406, `${name} is not a list. Send an array.`);
  return list.map((value: Json, at) => {
    const own = requireObject(value, `${name}[${at}]`);
    try {
      return read(own, at);
    } catch (error) {
      if (!(error instanceof TaxJarRefusal)) throw error;
      throw new TaxJarRefusal(error.status, `${name}[${at}]: ${error.message}`);
    }
  });
};

/** Returns a string or a number as a string; `null` if it is absent, `null` or empty. */
export const textAt = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw new TaxJarRefusal(406, `${name} is not a string or a number. Send a string.`);
};

export const requiredAt = (fields: Fields, name: string): string => {
  const text = textAt(fields, name);
  if (text === null) throw missing(name);
  return text;
};

const amountPattern = /^-?\d{1,12}(\.\d{1,10})?$/;

/** Returns an amount as a decimal string; `null` without one. */
export const amountAt = (fields: Fields, name: string): string | null => {
  const text = textAt(fields, name);
  if (text === null) return null;
  const amount = withoutNoise(text);
  if (amountPattern.test(amount)) return amount;
  throw new TaxJarRefusal(406, `${name} is ${text}. Send an amount in dollars, such as 16.5.`);
};

export const requiredAmount = (fields: Fields, name: string): string => {
  const text = amountAt(fields, name);
  if (text === null) throw missing(name);
  return text;
};

export const isZero = (text: string | null): boolean => text === null || /^-?[0.]*$/.test(text);

/** Amounts of refunds are sent with either sign. */
export const unsigned = (text: string): string => text.replace(/^-/, '');

const toAddress = (fields: Fields, side: 'from' | 'to') => {
  const parts = addressParts.map(([part, name]) => [part, textAt(fields, `${side}_${name}`)] as const);
  return parts.some(([, text]) => text !== null) ? Object.fromEntries(parts) : null;
};

export const exemptionReasons = { wholesale: 'resale', government: 'government', other: 'other' } as const;
const exemptionTypes = ['wholesale', 'government', 'marketplace', 'other', 'non_exempt'] as const;

const getExemption = (type: string | null) => {
  if (type === null || type === 'marketplace') return null;
  if (type === 'non_exempt') return 'none' as const;
  return { type: exemptionReasons[type as keyof typeof exemptionReasons] };
};

const exemptionTypeAt = (fields: Fields): string | null => {
  const type = textAt(fields, 'exemption_type');
  if (type === null || exemptionTypes.some((known) => known === type)) return type;
  throw new TaxJarRefusal(406, `exemption_type is ${type}. Send one of ${exemptionTypes.join(', ')}.`);
};

/** TaxJar taxes an item without a product tax code as general goods. */
export const general = 'GENERAL';

/** Returns Levy's code for TaxJar's; a code of Levy as it is; `null` for a code that has no single equivalent. */
const getCode = (code: string | null): string | null => {
  if (code === null || code === general) return general;
  if (/[A-Z]/.test(code) && code.includes('.')) return code;
  return equivalentRow('taxjar', code)?.levyCode ?? null;
};

/** The keys of line metadata with values that a calculation does not need. */
export const keptKeys = {
  product_tax_code: 'taxjar_product_tax_code',
  product_identifier: 'taxjar_product_identifier',
} as const;

const getMetadata = (entries: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null));

/** The ids of an order's line items, each with its product. */
type Sold = readonly (readonly [product: string | undefined, id: string])[];

const toLine = (line: Fields, at: number, sold: Sold | null) => {
  const product = textAt(line, 'product_identifier');
  const code = textAt(line, 'product_tax_code');
  const discount = amountAt(line, 'discount');
  const price = amountAt(line, 'unit_price') ?? '0';
  const quantity = textAt(line, 'quantity') ?? '1';
  return {
    id: textAt(line, 'id') ?? sold?.find(([own]) => own === product)?.[1] ?? String(at + 1),
    quantity: sold ? unsigned(quantity) : quantity,
    unit_price: sold ? unsigned(price) : price,
    ...(!isZero(discount) && discount !== null && { discount_amount: unsigned(discount) }),
    description: textAt(line, 'description'),
    product_tax_code: getCode(code),
    metadata: getMetadata({ [keptKeys.product_tax_code]: code, [keptKeys.product_identifier]: product }),
  };
};

/**
 * Returns the line items that are sent; `null` without any. Those of a refund have positive amounts, and without an id, the
 * id of the line item of the order that has the same product.
 */
export const listLines = (fields: Fields, sold: Sold | null = null) =>
  listAt(fields, 'line_items', (line, at) => toLine(line, at, sold));

/** Returns the codes of line items that have no equivalent, and are taxed as general goods. */
export const unknownCodes = (fields: Fields): string[] => {
  const codes = (listAt(fields, 'line_items', (line) => textAt(line, 'product_tax_code')) ?? []).filter(
    (code) => code !== null,
  );
  return [...new Set(codes.filter((code) => getCode(code) === null))];
};

/** Returns the parties, the shipping and the terms of a document. `to_country` is required, as in TaxJar. */
export const getTerms = (fields: Fields, isCredit = false) => {
  const country = requiredAt(fields, 'to_country');
  if (country.toUpperCase() === 'US') for (const name of ['to_zip', 'to_state']) requiredAt(fields, name);
  const from = toAddress(fields, 'from');
  const exemption = exemptionTypeAt(fields);
  const shipping = amountAt(fields, 'shipping');
  return {
    customer: {
      ...(textAt(fields, 'customer_id') !== null && { id: textAt(fields, 'customer_id') }),
      address: toAddress(fields, 'to'),
      ...(getExemption(exemption) && { exemption: getExemption(exemption) }),
    },
    ...(from && { ship_from: { address: from } }),
    ...(!isZero(shipping) && shipping !== null && { shipping: { amount: isCredit ? unsigned(shipping) : shipping } }),
    ...(exemption === 'marketplace' && { collected_by: 'marketplace' }),
  };
};

/** Returns an order's metadata: the fields that the TaxJar interface returns and a calculation does not need. */
export const orderMetadata = (fields: Fields) =>
  getMetadata({ taxjar_provider: textAt(fields, 'provider'), taxjar_exemption_type: exemptionTypeAt(fields) });

/**
 * Returns a date as YYYY-MM-DD; TaxJar also accepts slashes, and returns a date as its midnight in UTC. Other
 * timestamps remain unchanged.
 */
export const parseDate = (text: string): string =>
  text
    .replace(/^(\d{4}-\d{2}-\d{2})T00:00:00(\.0+)?Z$/, '$1')
    .replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, (_, year, month, day) =>
      [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-'),
    );
