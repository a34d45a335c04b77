import { isShipped } from '../calculations/deliveries.ts';
import { descriptionMax, lineItemsAdvice, lineItemsMax } from '../calculations/request.ts';
import { isAbroad, sentState } from '../catalog/location/address.ts';
import { allocate, sum } from '../money/allocate.ts';
import { formatAmount } from '../money/currency.ts';
import {
  absolute,
  decimal,
  decimalPattern,
  decimalText,
  digits,
  divideHalfUp,
  multiply,
  powerOfTen,
  rescale,
  signedDecimalPattern,
} from '../money/decimal.ts';
import { equivalentRow } from '../vocabulary/crosswalk.ts';
import { findProduct } from '../vocabulary/product-tax-code.ts';
import { type Json, withoutNoise } from './numbers.ts';
import { addressParts, missing, TaxJarRefusal } from './refusal.ts';

/** Translates the fields that TaxJar's orders, refunds and calculations have in common into a Levy request. */

export type Fields = { readonly [name: string]: Json };

export const requireObject = (value: Json, name = 'The body'): Fields => {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TaxJarRefusal(406, `${name} is not a JSON object. Send an object.`);
  return value as Fields;
};

/** Returns the fields of a change. The typed client for C# sends `null` for each field that does not change. */
export const changedFields = (body: Json): Fields =>
  Object.fromEntries(Object.entries(requireObject(body)).filter(([, value]) => value !== null));

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

/**
 * Returns a string or a number as a string; `null` if it is absent, `null`, empty or `false`, which plugins in PHP send
 * for an empty field.
 */
export const textAt = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  if (value === null || value === '' || value === false) return null;
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
  // Databases of shops return `110.0000`.
  const amount = withoutNoise(text).replace(/(\.\d\d)0+$/, '$1');
  if (amountPattern.test(amount)) return amount;
  throw new TaxJarRefusal(406, `${name} is ${text}. Send an amount in dollars, such as 16.5.`);
};

export const requiredAmount = (fields: Fields, name: string): string => {
  const text = amountAt(fields, name);
  if (text === null) throw missing(name);
  return text;
};

export const isZero = (text: string | null): boolean => text === null || /^-?[0.]*$/.test(text);

/** Refuses negative amounts of an order, which would be recorded as if they were positive. */
export const requirePositive = (fields: Fields): void => {
  for (const name of ['amount', 'shipping', 'sales_tax']) {
    const text = amountAt(fields, name);
    if (!text?.startsWith('-') || isZero(text)) continue;
    throw new TaxJarRefusal(406, `${name} is ${text}. Send zero or more. Money that is returned is a refund.`);
  }
};

/** Removes the sign: clients send amounts of refunds with either sign. */
export const unsigned = (text: string): string => text.replace(/^-/, '');

/**
 * Returns the state of an address in the United States; a territory can be sent as the country (`PR`). `null` in any
 * other country: the state WA of AU is not Washington.
 */
export const stateAt = (fields: Fields, side: '' | 'to_' = ''): string | null => {
  const address = { country: textAt(fields, `${side}country`), state: textAt(fields, `${side}state`) };
  return isAbroad(address) ? null : sentState(address) || requiredAt(fields, `${side}state`);
};

/** Returns the states of a list of regions; `null` if it is absent or empty. Leaves out other countries. */
export const listStates = (fields: Fields, name: string): string[] | null =>
  listAt(fields, name, (region) => stateAt(region))?.filter((state) => state !== null) ?? null;

const toAddress = (fields: Fields, side: 'from' | 'to') => {
  const parts = addressParts.map(([part, name]) => [part, textAt(fields, `${side}_${name}`)] as const);
  // Plugins with incomplete settings send the country of the seller alone, which does not locate an origin.
  const isEmpty = parts.every(([part, text]) => text === null || (part === 'country' && text.toUpperCase() === 'US'));
  return isEmpty ? null : Object.fromEntries(parts);
};

export const exemptionReasons = { wholesale: 'resale', government: 'government', other: 'other' } as const;
export const getExemptionType = (reason: string): string =>
  Object.entries(exemptionReasons).find(([, own]) => own === reason)?.[0] ?? 'other';
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

/**
 * The providers whose orders TaxJar exempts because the marketplace collects their tax: "TaxJar currently supports
 * marketplace exemptions for 'amazon', 'ebay', 'etsy', 'facebook', and 'walmart' transactions" (TaxJar's API reference,
 * "Create an order transaction").
 */
const marketplaces = ['amazon', 'ebay', 'etsy', 'facebook', 'walmart'];
export const isMarketplace = (provider: string | null | undefined): boolean =>
  marketplaces.includes(provider?.toLowerCase() ?? '');

/** TaxJar taxes an item without a product tax code as general goods. */
export const general = 'GENERAL';

/**
 * Returns Levy's code for a code of TaxJar. Returns a code of Levy unchanged, and `null` for a code without a single
 * equivalent.
 */
const getCode = (code: string | null): string | null => {
  if (code === null) return general;
  // A misspelled code of Levy is refused, not taxed as general goods.
  if (findProduct(code) || (/[A-Z]/.test(code) && code.includes('.'))) return code;
  return equivalentRow('taxjar', code)?.levyCode ?? null;
};

/** The keys of line metadata with values that a calculation does not need. */
export const keptKeys = {
  product_tax_code: 'taxjar_product_tax_code',
  product_identifier: 'taxjar_product_identifier',
} as const;

const getMetadata = (entries: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null));

/** Returns the beginning of a description: ERPNext sends the whole text of a product. */
export const descriptionAt = (line: Fields): string | null =>
  textAt(line, 'description')?.slice(0, descriptionMax).toWellFormed() ?? null;

const toLine = (line: Fields, at: number, isRefund: boolean) => {
  const product = textAt(line, 'product_identifier');
  const code = textAt(line, 'product_tax_code');
  const discount = amountAt(line, 'discount');
  const price = amountAt(line, 'unit_price') ?? '0';
  const quantity = textAt(line, 'quantity') ?? '1';
  return {
    id: textAt(line, 'id') ?? (isRefund ? null : String(at + 1)),
    quantity: isRefund ? unsigned(quantity) : quantity,
    unit_price: isRefund ? unsigned(price) : price,
    ...(!isZero(discount) && discount !== null && { discount_amount: unsigned(discount) }),
    description: descriptionAt(line),
    product_tax_code: getCode(code),
    metadata: getMetadata({ [keptKeys.product_tax_code]: code, [keptKeys.product_identifier]: product }),
  };
};

export type Priced = Pick<ReturnType<typeof toLine>, 'quantity' | 'unit_price' | 'discount_amount'>;

const isMinus = (line: Fields, name: string): boolean => textAt(line, name)?.startsWith('-') === true;

/**
 * Returns whether the amount of each line item is negative. In a refund from WooCommerce, items are negative and fees are
 * positive: if line items add up to the amount of a refund only without their signs, all have the same sign.
 */
export const listSigns = (fields: Fields): readonly boolean[] => {
  const signs = listAt(fields, 'line_items', (line) => isMinus(line, 'quantity') !== isMinus(line, 'unit_price')) ?? [];
  const isRefund = textAt(fields, 'transaction_reference_id') !== null;
  if (!isRefund || new Set(signs).size < 2) return signs;
  const lines = listAt(fields, 'line_items', (line, at) => toLine(line, at, true)) ?? [];
  const same = signs.map(() => false);
  return !addUp(fields, lines, signs) && addUp(fields, lines, same) ? same : signs;
};

/** A cent, in units of ten decimals. */
const cent = powerOfTen(digits.fraction - 2);

/** Returns the line item with an amount in cents after its discount. */
const withNet = <Own extends Priced>(line: Own, net: bigint): Own => {
  const quantity = decimal(line.quantity);
  const gross = multiply(quantity, decimal(line.unit_price), 2);
  if (gross >= net) return { ...line, discount_amount: formatAmount(gross - net, 2) };
  const whole = net + rescale(decimal(line.discount_amount ?? '0'), 2);
  const units = divideHalfUp(whole * cent * powerOfTen(quantity.scale), quantity.units);
  return { ...line, unit_price: decimalText({ units, scale: digits.fraction }) };
};

/** Returns the amount of a line item after its discount, in units of ten decimals. */
const getExact = ({ quantity, unit_price, discount_amount = '0' }: Priced): bigint =>
  multiply(decimal(quantity), decimal(unit_price), digits.fraction) -
  rescale(decimal(discount_amount), digits.fraction);

/** Whether the line items add up to the sent amount if each is rounded, as some shops round. */
const addUp = (fields: Fields, lines: readonly Priced[], signs: readonly boolean[]): boolean => {
  const [amount, shipping] = ['amount', 'shipping'].map((name) =>
    rescale(decimal(unsigned(amountAt(fields, name) ?? '0')), 2),
  ) as [bigint, bigint];
  const nets = lines.map((line, at) => (signs[at] ? -1n : 1n) * absolute(getNet(line)));
  // An order or a refund includes shipping in its amount, and a calculation does not.
  return [amount, amount - shipping].includes(absolute(sum(nets)));
};

/**
 * Rounds line items with fractions of a cent so that their sum is the rounded sum, by largest remainder. For example,
 * Magento distributes the fee of a credit memo over its line items: thirds of 5.00 are discounts of 1.67, 1.67 and 1.66.
 */
const roundTogether = <Own extends Priced>(lines: readonly Own[], signs: readonly boolean[]): Own[] => {
  const rounded = [...lines];
  for (const isNegative of [false, true]) {
    const own = lines.flatMap((line, at) => {
      const { quantity, unit_price } = line;
      // Levy refuses other quantities. A negative price of a sale is a coupon in cents.
      if (signs[at] !== isNegative || !decimalPattern.test(quantity) || !decimalPattern.test(unit_price)) return [];
      const exact = getExact(line);
      return exact > 0n ? [{ line, at, exact, net: getNet(line) }] : [];
    });
    const total = divideHalfUp(sum(own.map(({ exact }) => exact)), cent);
    const excess = total - sum(own.map(({ net }) => net));
    if (excess === 0n) continue;
    const parts = own.filter(({ exact, net }) => exact !== net * cent);
    const shares = allocate(
      excess + sum(parts.map(({ net }) => net)),
      parts.map(({ exact }) => exact),
    );
    for (const [index, { line, at }] of parts.entries()) rounded[at] = withNet(line, shares[index] as bigint);
  }
  return rounded;
};

/**
 * Adds a discount to the price if their signs differ. WooCommerce sends such a discount if a price was raised in the
 * order. Other shops send discounts with either sign, so this applies only if the result adds up to the sent amount.
 */
const withSurcharges = <Own extends Priced>(fields: Fields, lines: readonly Own[], signs: readonly boolean[]) => {
  const surcharged = listAt(fields, 'line_items', (line, at) => isMinus(line, 'discount') !== signs[at]) ?? [];
  return lines.map((line, at) => {
    const { discount_amount: surcharge, ...rest } = line;
    const isRaised = surcharge !== undefined && surcharged[at] === true;
    if (!isRaised || !decimalPattern.test(line.quantity) || !decimalPattern.test(line.unit_price)) return line;
    return withNet(rest as Own, getNet(rest) + rescale(decimal(surcharge), 2));
  });
};

/** Whether goods with a code are usually shipped. */
const isGoods = ({ product_tax_code }: { readonly product_tax_code: string | null }): boolean =>
  isShipped({ product: findProduct(product_tax_code ?? general), fulfillment: null });

/**
 * Returns the line items that are sent; `null` without any. Amounts of a refund become positive. If no line item is
 * usually shipped (gift cards, for example) but there is a shipping charge, all of them count as shipped.
 */
export const listLines = (fields: Fields, isRefund = false) => {
  const sent = listAt(fields, 'line_items', (line, at) => toLine(line, at, isRefund));
  // The limit of Levy, checked here because matching the line items of a refund takes quadratic time.
  if (sent !== null && sent.length > lineItemsMax) throw new TaxJarRefusal(406, `line_items: ${lineItemsAdvice}`);
  const signs = listSigns(fields);
  const lines =
    sent &&
    ([sent, withSurcharges(fields, sent, signs)].find((read) => addUp(fields, read, signs)) ??
      roundTogether(sent, signs));
  const isUnusual = lines !== null && !isZero(amountAt(fields, 'shipping')) && !lines.some(isGoods);
  return lines?.map((line) => ({ ...line, fulfillment: isUnusual ? ('ship' as const) : null })) ?? null;
};
export type SentLine = NonNullable<ReturnType<typeof listLines>>[number];

/** Returns a price in its smallest units; `null` for a text that Levy refuses as a price. */
const exactPrice = (text: string): bigint | null =>
  signedDecimalPattern.test(text) ? rescale(decimal(text), digits.fraction) : null;

/** A line item of an order, with its amount in cents that remains after other refunds. */
export type Sold = { readonly id: string; readonly product: string; readonly unit_price: string; readonly net: bigint };

/** Returns the amount of a line item after its discount, in cents; zero for a quantity that Levy refuses. */
export const getNet = ({ quantity, unit_price, discount_amount = '0' }: Priced): bigint =>
  decimalPattern.test(quantity)
    ? multiply(decimal(quantity), decimal(unit_price), 2) - rescale(decimal(discount_amount), 2)
    : 0n;

/**
 * Returns a line item of a refund with at most the amount that was sold: a fraction of a cent can be rounded up in the
 * refund, although the sale rounded it down together with the fractions of other line items.
 */
export const withinSold = (line: SentLine & { readonly id: string }, sold: readonly Sold[]) => {
  const found = sold.find(({ id }) => id === line.id);
  const net = getNet(line);
  const isRoundedUp = found !== undefined && net === found.net + 1n && getExact(line) < net * cent;
  return isRoundedUp ? withNet(line, found.net) : line;
};

const getProduct = ({ metadata }: SentLine): string | null => metadata[keptKeys.product_identifier] ?? null;

/**
 * Whether a refund's line item and an order's line item with the same id are the same. ERPNext numbers the line items
 * of each document, so an id in a refund can belong to another product in the order.
 */
export const isSameLine = (line: SentLine, sold: readonly Pick<Sold, 'id' | 'product'>[]): boolean => {
  const product = getProduct(line);
  const found = sold.find(({ id }) => id === line.id);
  return found !== undefined && (found.product === product || !sold.some((one) => one.product === product));
};

/**
 * Returns the line items of a refund with the ids of the order's line items. A line item without an id of the order,
 * such as WooCommerce's own id of a refunded item, refunds a line item with the same product, preferably one with a
 * sufficient remaining amount, then one with the same price.
 */
export const matchSold = (lines: readonly SentLine[], sold: readonly Sold[]) => {
  const left = new Map<string | null, bigint>(sold.map(({ id, net }) => [id, net]));
  const take = (id: string | null, line: SentLine) => left.set(id, (left.get(id) ?? 0n) - getNet(line));
  const ofOrder = new Set(lines.filter((line) => isSameLine(line, sold)));
  for (const line of ofOrder) take(line.id, line);
  const priced = sold.map((one) => ({ ...one, price: exactPrice(one.unit_price) }));
  return lines.map((line, at) => {
    const [net, price] = [getNet(line), exactPrice(line.unit_price)];
    const rank = (one: (typeof priced)[number]) =>
      ((left.get(one.id) ?? 0n) >= net ? 2 : 0) + (one.price === price ? 1 : 0);
    const product = getProduct(line);
    const all = ofOrder.has(line) ? [] : priced.filter((one) => one.product === product);
    const [found] = all.toSorted((a, b) => rank(b) - rank(a));
    if (found) take(found.id, line);
    return { ...line, id: found?.id ?? line.id ?? String(at + 1) };
  });
};

/** Returns the codes of line items that have no equivalent, and are taxed as general goods. */
export const unknownCodes = (fields: Fields): string[] => {
  const codes = (listAt(fields, 'line_items', (line) => textAt(line, 'product_tax_code')) ?? []).filter(
    (code) => code !== null,
  );
  return [...new Set(codes.filter((code) => getCode(code) === null))];
};

/**
 * Returns the parties, the shipping and the terms of a document. `to_country` is required, as in TaxJar. The shipping of
 * a refund can have either sign.
 */
export const getTerms = (fields: Fields) => {
  const country = requiredAt(fields, 'to_country');
  if (country.toUpperCase() === 'US') for (const name of ['to_zip', 'to_state']) requiredAt(fields, name);
  const from = toAddress(fields, 'from');
  const exemption = exemptionTypeAt(fields) ?? (isMarketplace(textAt(fields, 'provider')) ? 'marketplace' : null);
  const shipping = amountAt(fields, 'shipping');
  return {
    customer: {
      ...(textAt(fields, 'customer_id') !== null && { id: textAt(fields, 'customer_id') }),
      address: toAddress(fields, 'to'),
      ...(getExemption(exemption) && { exemption: getExemption(exemption) }),
    },
    ...(from && { ship_from: { address: from } }),
    ...(!isZero(shipping) && shipping !== null && { shipping: { amount: unsigned(shipping) } }),
    ...(exemption === 'marketplace' && { collected_by: 'marketplace' }),
  };
};

/** Returns an order's metadata: the fields that the TaxJar-compatible API returns and a calculation does not need. */
export const orderMetadata = (fields: Fields) =>
  getMetadata({ taxjar_provider: textAt(fields, 'provider'), taxjar_exemption_type: exemptionTypeAt(fields) });

const timestamp = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)? ?(?:Z|UTC|([+-]\d{2}):?(\d{2}))?$/;

/**
 * Returns a date as YYYY-MM-DD, and a timestamp in the form of Levy's API. TaxJar also accepts slashes, and returns a
 * date as its midnight in UTC. Plugins in PHP and Ruby send `2026-10-14T12:30:00+0000`, or `2026-10-14 12:30:00` in UTC.
 * Other text remains unchanged.
 */
export const parseDate = (text: string): string =>
  text
    .replace(timestamp, (_, day, time, fraction = '', hours = '+00', minutes = '00') => {
      const isUtc = /^[+-]00$/.test(hours) && minutes === '00';
      if (isUtc && /^[0:.]*$/.test(time + fraction)) return day;
      return `${day}T${time}${fraction}${isUtc ? 'Z' : `${hours}:${minutes}`}`;
    })
    .replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, (_, year, month, day) =>
      [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-'),
    );
