import { allocate } from '../money/allocate.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import {
  amountAt,
  dateOf,
  type Fields,
  keptKeys,
  linesOf,
  orderMetadata,
  requiredAmount,
  requiredAt,
  termsOf,
  textAt,
  unsigned,
} from './document.ts';
import { decimal } from './numbers.ts';
import { TaxJarRefusal } from './refusal.ts';

/** Translates orders and refunds to sales and credits of Levy, and back. */

const cents = (name: string, text: string): bigint => {
  if (/\.\d{3,}/.test(text)) throw new TaxJarRefusal(406, `${name} is ${text}. Send at most two decimals.`);
  return parseAmount(unsigned(text), 2);
};

/** The goods of a document without line items: `amount` includes shipping, but no sales tax. */
const goodsOf = (fields: Fields): bigint => {
  const goods =
    cents('amount', requiredAmount(fields, 'amount')) - cents('shipping', amountAt(fields, 'shipping') ?? '0');
  if (goods < 0n) throw new TaxJarRefusal(406, 'amount is less than shipping, which it includes.');
  return goods;
};

const oneLine = (goods: bigint) => [{ id: '1', quantity: '1', unit_price: formatAmount(goods, 2) }];

/** The amounts of a request, to recognize its repetition. */
const amountsOf = (fields: Fields): string =>
  ['amount', 'shipping', 'sales_tax'].map((name) => String(cents(name, requiredAmount(fields, name)))).join(' ');

/** Returns the request that records an order as a finalized sale. */
export const saleOf = (fields: Fields) => {
  return {
    status: 'finalized',
    reference_id: requiredAt(fields, 'transaction_id'),
    tax_date: dateOf(requiredAt(fields, 'transaction_date')),
    ...termsOf(fields),
    line_items: linesOf(fields) ?? oneLine(goodsOf(fields)),
    tax_amount: requiredAmount(fields, 'sales_tax'),
    metadata: { ...orderMetadata(fields), taxjar_amounts: amountsOf(fields) },
  };
};

type Line = {
  readonly id: string;
  readonly quantity: string;
  readonly unit_price: string;
  readonly discount_amount: string | null;
  readonly applied_discount_amount: string;
  readonly net_amount: string;
  readonly description: string | null;
  readonly product_tax_code: string | null;
  readonly tax_amount: string;
  readonly metadata: Readonly<Record<string, string>>;
};
type Address = Readonly<Record<'line1' | 'city' | 'state' | 'postal_code' | 'country', string | null>>;

/** The fields of a transaction that the translation needs. */
export type Recorded = {
  readonly id: string;
  readonly type: 'sale' | 'credit';
  readonly status: string;
  readonly version: number;
  readonly void_reason: string | null;
  readonly reference_id: string | null;
  readonly tax_date: string;
  readonly customer: { readonly id?: string; readonly address?: Address | null } | null;
  readonly ship_from: { readonly address?: Address | null } | null;
  readonly shipping: { readonly amount: string } | readonly { readonly amount: string }[] | null;
  readonly shipping_amount: string;
  readonly tax_amount: string;
  readonly total_amount: string;
  readonly line_items: readonly Line[];
  readonly metadata: Readonly<Record<string, string>>;
};

/**
 * Returns the request that records a refund as a credit of its order, which takes back parts of the recorded tax. A refund
 * without line items is distributed over the line items of the order in proportion to their net amounts.
 */
export const creditOf = (fields: Fields, order: Recorded | null) => {
  const lines = linesOf(fields, true);
  const goods = lines ? 0n : goodsOf(fields);
  const { shipping, customer, ship_from } = termsOf(fields, true);
  const base = {
    type: 'credit',
    status: 'finalized',
    reference_id: requiredAt(fields, 'transaction_id'),
    tax_date: dateOf(requiredAt(fields, 'transaction_date')),
    metadata: {
      ...orderMetadata(fields),
      taxjar_amounts: amountsOf(fields),
      taxjar_reference: requiredAt(fields, 'transaction_reference_id'),
    },
    ...(shipping && { shipping }),
  };
  if (!order)
    return {
      ...base,
      ...{ customer, ...(ship_from && { ship_from }) },
      line_items: lines ?? oneLine(goods),
      tax_amount: unsigned(requiredAmount(fields, 'sales_tax')),
    };
  const sold = order.line_items;
  const shares = lines
    ? []
    : allocate(
        goods,
        sold.map(({ net_amount }) => parseAmount(net_amount, 2)),
      );
  const credited =
    lines?.map(({ id, quantity, unit_price }) => ({ id, quantity, unit_price })) ??
    sold.flatMap(({ id }, at) =>
      shares[at] ? [{ id, quantity: '1', unit_price: formatAmount(shares[at] as bigint, 2) }] : [],
    );
  return { ...base, parent_transaction_id: order.id, line_items: credited };
};

const signedBy = (transaction: Recorded) => (text: string) => {
  const isNegative = transaction.type === 'credit' && /[1-9]/.test(text);
  return decimal(isNegative ? (text.startsWith('-') ? text.slice(1) : `-${text}`) : text);
};

const addressFields = (address: Address | null | undefined, side: 'from' | 'to') => ({
  [`${side}_country`]: address?.country ?? null,
  [`${side}_zip`]: address?.postal_code ?? null,
  [`${side}_state`]: address?.state ?? null,
  [`${side}_city`]: address?.city ?? null,
  [`${side}_street`]: address?.line1 ?? null,
});

/** Returns a transaction as TaxJar's interface has it. Amounts of refunds are negative. */
export const orderOf = (transaction: Recorded) => {
  const signed = signedBy(transaction);
  const { metadata, reference_id, tax_date, customer, ship_from, shipping_amount, tax_amount } = transaction;
  const amount = parseAmount(transaction.total_amount, 2) - parseAmount(tax_amount, 2);
  return {
    transaction_id: reference_id,
    ...(transaction.type === 'credit' && { transaction_reference_id: metadata['taxjar_reference'] ?? null }),
    transaction_date: tax_date,
    provider: metadata['taxjar_provider'] ?? 'api',
    exemption_type: metadata['taxjar_exemption_type'] ?? null,
    ...(customer?.id !== undefined && { customer_id: customer.id }),
    ...addressFields(ship_from?.address, 'from'),
    ...addressFields(customer?.address, 'to'),
    amount: signed(formatAmount(amount, 2)),
    shipping: signed(shipping_amount),
    sales_tax: signed(tax_amount),
    line_items: transaction.line_items.map((line) => ({
      id: line.id,
      quantity: decimal(line.quantity),
      product_identifier: line.metadata[keptKeys.product_identifier] ?? null,
      product_tax_code: line.metadata[keptKeys.product_tax_code] ?? line.product_tax_code,
      description: line.description,
      unit_price: signed(line.unit_price),
      discount: signed(line.applied_discount_amount),
      sales_tax: signed(line.tax_amount),
    })),
  };
};

const goodsAndShipping = ({ total_amount, tax_amount }: Recorded): bigint =>
  parseAmount(total_amount, 2) - parseAmount(tax_amount, 2);

/** Returns the codes of warnings about amounts of a request that differ from the recorded ones. */
export const differences = (fields: Fields, recorded: Recorded): string[] => [
  ...(cents('amount', amountAt(fields, 'amount') ?? '0') === goodsAndShipping(recorded) ? [] : ['line_amount_differs']),
  ...(cents('sales_tax', amountAt(fields, 'sales_tax') ?? '0') === parseAmount(recorded.tax_amount, 2)
    ? []
    : ['tax_amount_differs']),
];

/** Whether the goods of a request without line items are those of the recorded line items. */
export const linesAddUp = (fields: Fields, { line_items }: Recorded): boolean =>
  goodsOf(fields) === line_items.reduce((sum, { net_amount }) => sum + parseAmount(net_amount, 2), 0n);

/** Whether a request repeats a recorded order or refund: the amounts and the day that it was sent with. */
export const isSameOrder = (fields: Fields, { metadata, tax_date }: Recorded): boolean =>
  metadata['taxjar_amounts'] === amountsOf(fields) &&
  dateOf(textAt(fields, 'transaction_date') ?? '').slice(0, 10) === tax_date.slice(0, 10);
