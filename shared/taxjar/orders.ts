import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../base/json.ts';
import type { ShippingResponse } from '../calculations/response.ts';
import type { RetrievedTransaction } from '../ledger/response.ts';
import { allocate, sum } from '../money/allocate.ts';
import { formatAmount, negative, parseAmount } from '../money/currency.ts';
import { absolute, decimalPattern, decimalText, decimal as parseDecimal, rescale } from '../money/decimal.ts';
import {
  amountAt,
  descriptionAt,
  type Fields,
  general,
  getExemptionType,
  getNet,
  getTerms,
  isMarketplace,
  isZero,
  keptKeys,
  listAt,
  listLines,
  listSigns,
  matchSold,
  orderMetadata,
  type Priced,
  parseDate,
  requiredAmount,
  requiredAt,
  requirePositive,
  type SentLine,
  type Sold,
  textAt,
  unsigned,
  withinSold,
} from './document.ts';
import { decimal } from './numbers.ts';
import { addressParts, TaxJarRefusal } from './refusal.ts';

/** Translates orders and refunds to sales and credits of Levy, and back. */

const cents = (name: string, text: string): bigint => {
  if (/\.\d{3,}/.test(text)) throw new TaxJarRefusal(406, `${name} is ${text}. Send at most two decimals.`);
  return parseAmount(unsigned(text), 2);
};

/** The goods of a document without line items: `amount` includes shipping, but no sales tax. */
const sumGoods = (fields: Fields): bigint => {
  const goods =
    cents('amount', requiredAmount(fields, 'amount')) - cents('shipping', amountAt(fields, 'shipping') ?? '0');
  if (goods < 0n)
    throw new TaxJarRefusal(406, 'amount is less than shipping. Send an amount that includes the shipping.');
  return goods;
};

const oneLine = (goods: bigint) => [
  { id: '1', quantity: '1', unit_price: formatAmount(goods, 2), product_tax_code: general },
];

const isPersonal = (name: string): boolean => /^((to|from)_(city|street)|customer_id|description)$/.test(name);

const isEmpty = (value: unknown): boolean => value === null || value === '' || value === false;

/**
 * A digest of a request without personal data and empty fields, to recognize its repetition. Refuses amounts that are
 * missing or invalid.
 */
const fingerprint = (fields: Fields): string => {
  const amounts = ['amount', 'shipping', 'sales_tax'].map((name) => [
    name,
    String(cents(name, requiredAmount(fields, name))),
  ]);
  const content = JSON.stringify({ ...fields, ...Object.fromEntries(amounts) }, (name, value) =>
    isPersonal(name) || isEmpty(value) ? undefined : value,
  );
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(content)))
    .digest('base64url');
};

/**
 * Refuses an amount that is not the sum of the line items and the shipping, as TaxJar does for every client that does not
 * request its first API version. A difference of a cent for each line item is allowed, because shops round.
 */
export const requireSum = (fields: Fields, version: string): void => {
  const lines = version === '2012-01-01' ? null : listLines(fields, true);
  // Levy refuses other quantities.
  if (!lines?.every(({ quantity }) => decimalPattern.test(quantity) && !isZero(quantity))) return;
  const signs = listSigns(fields);
  const goods = absolute(sum(lines.map((line, at) => (signs[at] ? -getNet(line) : getNet(line)))));
  const amount = cents('amount', requiredAmount(fields, 'amount'));
  const total = goods + cents('shipping', requiredAmount(fields, 'shipping'));
  if (absolute(amount - total) <= BigInt(lines.length)) return;
  throw new TaxJarRefusal(
    400,
    `amount is ${formatAmount(amount, 2)}, but the line items and the shipping add up to ${formatAmount(total, 2)}. Send their sum.`,
  );
};

/** Returns the request that records an order as a finalized sale. */
export const toSale = (fields: Fields) => {
  requirePositive(fields);
  const tax = requiredAmount(fields, 'sales_tax');
  const terms = getTerms(fields);
  return {
    status: 'finalized',
    reference_id: requiredAt(fields, 'transaction_id'),
    tax_date: parseDate(requiredAt(fields, 'transaction_date')),
    ...terms,
    line_items: soldLines(fields) ?? oneLine(sumGoods(fields)),
    // The marketplace collected its tax, which the seller does not owe.
    tax_amount: terms.collected_by === 'marketplace' ? '0' : tax,
    metadata: { ...orderMetadata(fields), taxjar_request: fingerprint(fields) },
  };
};

/** Fields of Levy's API that this interface does not have. */
const documentOnly = ['discount_amount', 'third_party_discount_amount', 'tax_included'] as const;
const lineOnly = [
  'customer',
  'ship_from',
  'fulfillment',
  'third_party_discount_amount',
  'parent_line_item_id',
] as const;
const shippingOnly = ['discount_amount', 'product_tax_code', 'line_item_ids', 'ship_to', 'ship_from'] as const;

export type Recorded = RetrievedTransaction;
type Line = Recorded['line_items'][number];
type Address = NonNullable<Recorded['customer']>['address'];

/** The amounts of an order that remain after its credits. */
export type Left = {
  readonly line_items: readonly Pick<Line, 'id' | 'net_amount'>[];
  readonly shipping: readonly Pick<ShippingResponse, 'id' | 'net_amount' | 'tax_amount'>[];
};

/**
 * A line item of a credit. It has an explicit discount of zero, because it would otherwise inherit a share of the
 * order's discount.
 */
const creditLine = (id: string, goods: bigint) => ({
  id,
  quantity: '1',
  unit_price: formatAmount(goods, 2),
  discount_amount: '0',
  metadata: {},
});

/** Returns TaxJar's codes of a line item of an order, which a refund repeats. */
const keptMetadata = (id: string, order: Recorded) => {
  const metadata = order.line_items.find((line) => line.id === id)?.metadata ?? {};
  return Object.fromEntries(
    Object.values(keptKeys).flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
  );
};

/** Distributes an amount of a refund over the remaining amounts of the charges of its order. */
const distributed = (amount: bigint, charges: readonly { readonly id: string; readonly net_amount: string }[]) => {
  const weights = charges.map(({ net_amount }) => parseAmount(net_amount, 2));
  const shares = weights.some((weight) => weight > 0n) ? allocate(amount, weights) : [amount];
  return charges.map(({ id }, at) => ({ id, share: shares[at] ?? 0n }));
};

/**
 * Returns the shipping of a credit. TaxJar does not distinguish shipping charges, so a refund is distributed over them
 * in proportion. With `isWide`, the credit also takes tax from these charges, even without an amount.
 */
const creditedShipping = (sent: { amount: string } | undefined, order: Recorded, left: Left, isWide: boolean) => {
  if (!sent && !(isWide && left.shipping.length > 0)) return null;
  const { amount } = sent ?? { amount: '0' };
  // Without an explicit discount, the charge would inherit a share of the discount of the order's shipping.
  if (!Array.isArray(order.shipping)) return { amount, discount_amount: '0' };
  const parts = distributed(cents('shipping', amount), left.shipping.length > 0 ? left.shipping : order.shipping);
  return parts
    .filter(({ share }) => isWide || share > 0n)
    .map(({ id, share }) => ({ id, amount: formatAmount(share, 2), discount_amount: '0' }));
};

/** Returns the amount by which each line item exceeds the remaining amount of the line item that it refunds. */
const listExcess = (lines: readonly { readonly id: string; readonly net: bigint }[], sold: readonly Sold[]) => {
  const left = new Map(sold.map(({ id, net }) => [id, net]));
  return lines.map(({ id, net }) => {
    const rest = left.get(id);
    if (rest === undefined) return 0n;
    left.set(id, rest > net ? rest - net : 0n);
    return net > rest ? net - rest : 0n;
  });
};

/**
 * Converts the line items whose amount has the opposite sign, such as a coupon or a restocking fee, to discounts of the
 * others, in proportion. In a sale, these are the negative line items; in a refund, the sign with the smaller sum. A
 * refund first reduces the line items that exceed the remaining amounts of the order, because the sale's coupon can
 * have reduced only some.
 */
const withoutOpposite = <Own extends Priced & { readonly id: string }>(
  lines: readonly Own[],
  fields: Fields,
  { isSale = false, sold = [] }: { readonly isSale?: boolean; readonly sold?: readonly Sold[] } = {},
): readonly Own[] => {
  const signs = listSigns(fields);
  // Levy refuses other quantities.
  if (new Set(signs).size < 2 || !lines.every(({ quantity }) => decimalPattern.test(quantity))) return lines;
  const nets = lines.map(getNet);
  // Levy refuses a discount above the price.
  if (nets.some((net) => net < 0n)) return lines;
  const sumSide = (isNegative: boolean) => sum(nets.filter((_, at) => signs[at] === isNegative));
  const isMainNegative = sumSide(true) > sumSide(false);
  // Levy refuses a sale with a negative amount.
  if (isSale && isMainNegative) return lines;
  const main = [...lines.keys()].filter((at) => nets[at] === 0n || signs[at] === isMainNegative);
  const off = sumSide(!isMainNegative);
  const found = main.map((at) => ({ ...(lines[at] as Own), net: nets[at] as bigint }));
  const excess = listExcess(found, sold);
  const first = sum(excess) <= off ? excess : found.map(() => 0n);
  const shares = allocate(
    off - sum(first),
    found.map(({ net }, at) => net - (first[at] as bigint)),
  );
  return found.map(({ net: _, discount_amount = '0', ...line }, at) => {
    const discount = rescale(parseDecimal(discount_amount), 2) + (first[at] as bigint) + (shares[at] as bigint);
    return { ...line, discount_amount: formatAmount(discount, 2) } as unknown as Own;
  });
};

/**
 * Returns the line items of an order; `null` without any. Levy subtracts a coupon without a product tax code from the
 * general goods. If there are none, the coupon becomes discounts of all line items.
 */
export const soldLines = (fields: Fields) => {
  const lines = listLines(fields);
  const generals = lines?.filter(({ product_tax_code }) => product_tax_code === general) ?? [];
  if (generals.length === 0 || generals.some(({ unit_price }) => !unit_price.startsWith('-'))) return lines;
  const unsignedLines = (listLines(fields, true) ?? []).map((line, at) => ({ ...line, id: line.id ?? String(at + 1) }));
  const rest = withoutOpposite(unsignedLines, fields, { isSale: true });
  return rest === unsignedLines ? lines : rest;
};

/** Returns the line items of an order, with the amounts that are known to remain. */
export const listSold = (order: readonly Line[], known: Left['line_items']): Sold[] =>
  order.map(({ id, unit_price, metadata }) => ({
    id,
    unit_price,
    // An imported order has no product identifiers, but its line item ids can be product identifiers.
    product: metadata[keptKeys.product_identifier] ?? id,
    net: parseAmount(known.find((one) => one.id === id)?.net_amount ?? '0.00', 2),
  }));

/**
 * Whether line items of a refund exceed the line items of the order, although the refund has the order's whole amount.
 */
const isWholeOrder = (fields: Fields, lines: readonly SentLine[], order: readonly Line[]): boolean => {
  const sold = listSold(order, order);
  const credited = matchSold(lines, sold).map((line) => ({ id: line.id, net: getNet(line) }));
  return (
    listExcess(credited, sold).some((excess) => excess > 0n) && sumGoods(fields) === sum(sold.map(({ net }) => net))
  );
};

/**
 * Returns the line items of a credit. A request without line items, or for the whole order, credits the line items of
 * the order: ERPNext adds a returned fee to the prices of the other line items.
 */
const creditedLines = (fields: Fields, order: readonly Line[], left: Left, tax: bigint, isWide: boolean) => {
  const sent = listLines(fields, true);
  const sold = listSold(order, left.line_items.length > 0 ? left.line_items : order);
  if (sent && !(isWide && isWholeOrder(fields, sent, order))) {
    const matched = matchSold(sent, sold).map((line) => withinSold(line, sold));
    return withoutOpposite(matched, fields, { sold }).map(
      ({ description, product_tax_code, fulfillment, discount_amount = '0', ...line }) => ({
        ...line,
        discount_amount,
        // A line item of the order keeps its description and its product tax code.
        ...(!sold.some(({ id }) => id === line.id) && { description, product_tax_code, fulfillment }),
      }),
    );
  }
  const goods = sumGoods(fields);
  if (goods > 0n)
    return distributed(goods, left.line_items).flatMap(({ id, share }) => (share > 0n ? [creditLine(id, share)] : []));
  const shippingTax = left.shipping.reduce((sum, { tax_amount }) => sum + parseAmount(tax_amount, 2), 0n);
  // A line item that is not in the order takes no share of the tax on shipping.
  return tax <= shippingTax ? [creditLine('shipping', 0n)] : [];
};

/** Returns the line items with unique ids. A repeated id of the order credits the same line item of the order. */
const withUniqueIds = <Own extends { readonly id: string }>(lines: readonly Own[], order: Recorded | null) => {
  const taken = new Set<string>();
  return lines.map((line) => {
    let { id } = line;
    for (let count = 2; taken.has(id); count += 1) id = `${line.id}_${count}`;
    taken.add(id);
    const isSold = id !== line.id && order?.line_items.some((sold) => sold.id === line.id);
    return { ...line, id, ...(isSold && { parent_line_item_id: line.id }) };
  });
};

/**
 * Returns the request that records a refund as a credit of its order, or as a standalone credit if the order is not recorded.
 *
 * `isWide`: the tax is taken from all charges of the order, because it exceeds the remaining tax of the refunded charges.
 */
export const buildCreditRequest = (fields: Fields, order: Recorded | null, left: Left, isWide: boolean) => {
  const { shipping, customer, ship_from, collected_by } = getTerms(fields);
  // A refund can lack the exemption_type of its order.
  const isOfMarketplace = (order?.collected_by ?? collected_by) === 'marketplace';
  const tax = isOfMarketplace ? '0' : unsigned(requiredAmount(fields, 'sales_tax'));
  const base = {
    type: 'credit',
    status: 'finalized',
    reference_id: requiredAt(fields, 'transaction_id'),
    tax_date: parseDate(requiredAt(fields, 'transaction_date')),
    metadata: {
      ...orderMetadata(fields),
      taxjar_request: fingerprint(fields),
      taxjar_reference: requiredAt(fields, 'transaction_reference_id'),
    },
    tax_amount: tax,
  };
  const sent = order ? null : listLines(fields, true);
  if (!order)
    return {
      ...base,
      ...(shipping && { shipping }),
      customer,
      ...(ship_from && { ship_from }),
      ...(collected_by && { collected_by }),
      line_items: sent
        ? withUniqueIds(withoutOpposite(matchSold(sent, []), fields), order)
        : [{ ...creditLine('1', sumGoods(fields)), product_tax_code: general }],
    };
  const lines = creditedLines(fields, order.line_items, left, cents('sales_tax', tax), isWide);
  const isEmpty = lines.length === 0;
  const others = left.line_items.filter(({ id }) => !lines.some((line) => line.id === id));
  const credited = creditedShipping(shipping || undefined, order, left, isWide);
  const all = isWide || isEmpty ? [...lines, ...others.map(({ id }) => creditLine(id, 0n))] : lines;
  return {
    ...base,
    ...(credited && { shipping: credited }),
    parent_transaction_id: order.id,
    line_items: withUniqueIds(
      all.map((line) => ({ ...line, metadata: { ...line.metadata, ...keptMetadata(line.id, order) } })),
      order,
    ),
  };
};

const addressFields = (address: Address | null | undefined, side: 'from' | 'to') =>
  Object.fromEntries(addressParts.map(([part, name]) => [`${side}_${name}`, address?.[part] ?? null]));

/** Returns the id of an order or refund. Transactions from Levy's own API may lack a `reference_id`. */
export const getTransactionId = ({ reference_id, id, metadata }: Recorded): string =>
  metadata['taxjar_transaction_id'] ?? reference_id ?? id;

/** Returns the exemption of a transaction that was recorded without TaxJar's exemption type. */
const recordedExemption = ({ collected_by, customer, metadata }: Recorded): string | null => {
  if (collected_by === 'marketplace') return isMarketplace(metadata['taxjar_provider']) ? null : 'marketplace';
  const exemption = customer?.exemption ?? null;
  if (exemption === null) return null;
  const reason = typeof exemption === 'string' ? exemption : exemption.type;
  return reason === 'none' ? 'non_exempt' : getExemptionType(reason);
};

const goodsAndShipping = ({ total_amount, tax_amount }: Recorded): bigint =>
  parseAmount(total_amount, 2) - parseAmount(tax_amount, 2);

type Units = Pick<Recorded['line_items'][number], 'quantity' | 'unit_price' | 'amount'>;

/** Returns the recorded quantity and price of a line item. */
export const exactUnits = ({ quantity, unit_price }: Units) => ({
  quantity: decimal(decimalText(parseDecimal(quantity))),
  unit_price,
});

/**
 * Returns the quantity and the price of a line item in a response. TaxJar's typed clients require an integer: for a
 * quantity with a fraction, its client for Python throws after the order is recorded. Such a line item is returned as
 * one unit at its amount. A whole quantity can have decimals: ERPNext sends 1.0.
 */
const wholeUnits = (line: Units) =>
  decimalText(parseDecimal(line.quantity)).includes('.')
    ? { quantity: decimal('1'), unit_price: line.amount }
    : exactUnits(line);

/**
 * Converts a transaction to TaxJar's format. Amounts are strings, which TaxJar's client for Go requires. Amounts of
 * refunds are negative. `readUnits` returns the quantity and price of a line item.
 */
export const toOrder = (transaction: Recorded, readUnits = wholeUnits) => {
  const signed = (text: string) => (transaction.type === 'credit' ? negative(text) : text);
  const { metadata, tax_date, customer, ship_from, shipping_amount, tax_amount } = transaction;
  return {
    transaction_id: getTransactionId(transaction),
    ...(transaction.type === 'credit' && { transaction_reference_id: metadata['taxjar_reference'] ?? null }),
    transaction_date: tax_date,
    provider: metadata['taxjar_provider'] ?? 'api',
    exemption_type: metadata['taxjar_exemption_type'] ?? recordedExemption(transaction),
    ...(customer?.id !== undefined && { customer_id: customer.id }),
    ...addressFields(ship_from?.address, 'from'),
    ...addressFields(customer?.address, 'to'),
    amount: signed(formatAmount(goodsAndShipping(transaction), 2)),
    shipping: signed(shipping_amount),
    sales_tax: signed(tax_amount),
    line_items: transaction.line_items.map((line) => ({
      // Several line items of a refund can refund one line item.
      id: (transaction.type === 'credit' && line.parent_line_item_id) || line.id,
      quantity: readUnits(line).quantity,
      product_identifier: line.metadata[keptKeys.product_identifier] ?? null,
      product_tax_code:
        line.metadata[keptKeys.product_tax_code] ?? (line.product_tax_code === general ? null : line.product_tax_code),
      description: line.description,
      unit_price: signed(readUnits(line).unit_price),
      discount: signed(line.discount_amount ?? '0'),
      sales_tax: signed(line.tax_amount),
    })),
  };
};

/** Returns the codes of warnings about amounts of a request that differ from the recorded amounts. */
export const differences = (sent: Fields, recorded: Recorded): string[] => {
  const differs = (name: string, amount: bigint): boolean => {
    const text = amountAt(sent, name);
    return text !== null && cents(name, text) !== amount;
  };
  return [
    ...(differs('amount', goodsAndShipping(recorded)) ? ['line_amount_differs'] : []),
    ...(differs('sales_tax', parseAmount(recorded.tax_amount, 2)) ? ['tax_amount_differs'] : []),
  ];
};

const isGiven = (value: unknown): boolean => (typeof value === 'string' ? !isZero(value) : Boolean(value));

/** Returns a field of an order that a request of this interface cannot repeat; `null` without one. */
export const unrepeatable = (order: Recorded): string | null => {
  const charges = [order.shipping ?? []].flat();
  const { taxjar_exemption_type, taxjar_provider } = order.metadata;
  const isMarked = taxjar_exemption_type !== undefined || isMarketplace(taxjar_provider);
  // A request of the TaxJar-compatible API derives the fulfillment again.
  const isOwn = order.metadata['taxjar_request'] !== undefined;
  return (
    documentOnly.find((name) => isGiven(order[name])) ??
    order.line_items.flatMap(
      (line) => lineOnly.find((name) => isGiven(line[name]) && !(isOwn && name === 'fulfillment')) ?? [],
    )[0] ??
    charges.flatMap((charge) => shippingOnly.find((name) => isGiven(charge[name])) ?? [])[0] ??
    (charges.length > 1 ? 'several shipping charges' : null) ??
    (!isMarked && order.collected_by === 'marketplace' ? 'collected_by' : null) ??
    (!isMarked && isGiven(order.customer?.exemption) ? 'customer.exemption' : null)
  );
};

/** Returns the goods of a recorded order or refund, in cents. */
const sumLines = ({ line_items }: Recorded): bigint =>
  sum(line_items.map(({ net_amount }) => parseAmount(net_amount, 2)));

/** Whether the line items can come from a request without line items. */
const isWithoutItems = ({ line_items: [line, ...others] }: Recorded): boolean =>
  others.length === 0 &&
  line?.id === '1' &&
  line.quantity === '1' &&
  line.product_tax_code === general &&
  !isGiven(line.discount_amount) &&
  !isGiven(line.description) &&
  Object.keys(line.metadata).length === 0;

/**
 * Returns the recorded fields with the changes. Without `line_items`, the recorded line items remain, and `amount`
 * follows a changed `shipping`. A different `amount` replaces the goods of an order without line items, and is
 * distributed again over the order of a refund. Refuses the amount if neither is possible.
 */
export const mergeChange = (known: Fields, change: Fields, recorded: Recorded): Fields => {
  if (listLines(change)) return { ...known, ...change };
  const fields = { ...known, ...change, line_items: known['line_items'] ?? null };
  const goods = sumLines(recorded);
  const amount = amountAt(change, 'amount');
  if (amount === null)
    return { ...fields, amount: formatAmount(goods + cents('shipping', requiredAmount(fields, 'shipping')), 2) };
  if (sumGoods(fields) === goods) return fields;
  if (recorded.parent_transaction_id !== null || isWithoutItems(recorded)) return { ...fields, line_items: null };
  throw new TaxJarRefusal(
    406,
    `amount is ${amount}, but the recorded line items are ${formatAmount(goods, 2)} without shipping. Send the changed line_items.`,
  );
};

/** Whether a request repeats the request that recorded an order or refund. */
export const isSameOrder = (fields: Fields, { metadata }: Recorded): boolean =>
  metadata['taxjar_request'] === fingerprint(fields);

/** Returns the personal fields of a request. A refund has the personal fields of its order. */
const listPersonal = (fields: Fields): (string | null)[] => [
  ...['to_city', 'to_street', 'from_city', 'from_street', 'customer_id'].map((name) => textAt(fields, name)),
  ...(listAt(fields, 'line_items', descriptionAt) ?? []),
];

/**
 * Whether a change repeats the recorded order or refund. Plugins send the whole order again after each event in the shop,
 * even if it has refunds or its period is closed.
 */
export const isUnchanged = (known: Fields, change: Fields, recorded: Recorded): boolean => {
  const merged = { ...known, ...change };
  const isWhole = ['amount', 'shipping', 'sales_tax'].every((name) => textAt(change, name) !== null);
  // The digest of a POST lacks the fields that the order has by default.
  const isRepeated = isSameOrder(merged, recorded) || (isWhole && isSameOrder(change, recorded));
  return isRepeated && (recorded.type === 'credit' || isDeepStrictEqual(listPersonal(merged), listPersonal(known)));
};
