/** Retail delivery fees: a state's charge on a delivered order, in addition to the tax on its goods. */

import type { Settings } from '../accounts/account.ts';
import { invalidFormat, type Problem } from '../base/result.ts';
import { formatAmount } from '../money/currency.ts';
import { decimal } from '../money/decimal.ts';
import type { Uncertainty } from '../tax/assessment.ts';
import { calculateTax } from '../tax/calculate.ts';
import {
  isStateFee,
  type Place,
  retailDeliveryFee,
  type TaxDocument,
  type TaxedCharge,
  type TaxedDocument,
  type TaxLine,
} from '../tax/document.ts';
import { findProduct, requireProduct } from '../vocabulary/product-tax-code.ts';
import { shippingList, shippingPointer } from './charges.ts';
import type { SentDocument } from './deliveries.ts';
import { writerFor } from './figures.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';
import type { Warning } from './response.ts';

const feeId = 'retail_delivery_fee';

/** A fee that is due on a document, in minor units, and the index of the first line delivered in its state. */
type DueFee = { readonly line: number; readonly amount: bigint; readonly name: string; readonly note: string };

const hasFee = ({ jurisdictions }: Place): boolean => jurisdictions.some(({ tax_type }) => tax_type === 'fee');

/** Finds the first shipped line with tax to collect in each state with a fee, unless a line of the document is that fee. */
export const deliveredIn = ({ lines }: TaxDocument): readonly number[] => {
  const first = new Map<string, number>();
  // Most lines share one place.
  const places = [...new Set(lines.map(({ place }) => place))].filter(hasFee);
  if (places.length === 0) return [];
  for (const [index, { place, isShipped, collectionExemption, deliveries }] of lines.entries())
    if (isShipped && collectionExemption === null && !deliveries && places.includes(place) && !first.has(place.code))
      first.set(place.code, index);
  for (const { product, place } of lines) if (isStateFee(product)) first.delete(place.code);
  return [...first.values()];
};

const feeLine = ({ place }: TaxLine): TaxLine => ({
  product: requireProduct(retailDeliveryFee),
  quantity: decimal('1'),
  amount: 0n,
  discount: 0n,
  thirdPartyDiscount: 0n,
  place,
  use: null,
  collectionExemption: null,
  isShipped: false,
});

/** Converts a document with tax-inclusive prices to net prices. Fees get the price zero. */
const withoutTax = (document: TaxDocument, taxed: TaxedDocument): TaxDocument => {
  const none = { discount: 0n, thirdPartyDiscount: 0n };
  const base = (charge: TaxedCharge | undefined) => (charge ? charge.taxable + charge.exempt : 0n);
  return {
    ...document,
    ...none,
    taxIncluded: false,
    lines: document.lines.map((line, index) => ({
      ...line,
      ...none,
      amount: isStateFee(line.product) ? 0n : base(taxed.lines[index]),
    })),
  };
};

type WithFees = {
  readonly taxed: TaxedDocument;
  readonly fees: readonly DueFee[];
  /** The fees that could be due: the document is in a different currency, so their amounts are not known. */
  readonly unknown: readonly Uncertainty[];
};

/** Returns the uncertainties about fees of a charge whose amounts are unknown in the document's currency. */
const listUnknownFees = ({ treatments, rows }: Pick<TaxedCharge, 'treatments' | 'rows'>): readonly Uncertainty[] =>
  rows.some(({ reason }) => reason === 'not_supported')
    ? treatments.flatMap(({ jurisdiction, uncertainties }) =>
        jurisdiction.tax_type === 'fee' ? uncertainties.filter(({ code }) => code === 'not_covered') : [],
      )
    : [];

/**
 * Calculates the tax of a document, and the fees that are due on it without a line (`deliveredIn`). Each fee is
 * calculated with an added line, which does not change the other lines (C.R.S. 43-4-218, Minn. Stat. 168E).
 */
export const taxWithFees = (document: TaxDocument, delivered: readonly number[]): WithFees => {
  const included = document.taxIncluded ? calculateTax(document) : null;
  const { lines } = document;
  const sold = included ? withoutTax(document, included) : document;
  const feeLines = delivered.map((index) => feeLine(lines[index] as TaxLine));
  const all = calculateTax({ ...sold, lines: [...sold.lines, ...feeLines] });
  const ofFees = all.lines.slice(lines.length);
  const fees = ofFees.flatMap(({ tax, rows: [row] }, position) => {
    if (tax === 0n || !row) return [];
    const line = delivered[position] as number;
    const rule = (lines[line] as TaxLine).place.release?.rules.find(({ id }) => id === row.ruleId);
    return [{ line, amount: tax, name: row.jurisdiction.name, note: rule?.note ?? '' }];
  });
  const unknown = ofFees.flatMap(listUnknownFees);
  return { taxed: included ?? { lines: all.lines.slice(0, lines.length) }, fees, unknown };
};

/** Whether Levy added a line item as a fee. */
const isAddedFee = ({ id, product_tax_code, unit_price }: LineItemRequest): boolean =>
  product_tax_code === retailDeliveryFee && unit_price === '0.00' && id?.startsWith(feeId) === true;

type Input = Pick<CalculationInput, 'line_items' | 'shipping'>;

/**
 * Returns a request without the fees that Levy added, so that they are calculated again; unchanged unless `setting` is
 * `add`.
 */
export const withoutAddedFees = <Sent extends Input>(input: Sent, setting: Settings['retail_delivery_fee']): Sent =>
  setting === 'add' && input.line_items?.some(isAddedFee)
    ? { ...input, line_items: input.line_items.filter((line) => !isAddedFee(line)) }
    : input;

/** Returns a request with a line item for each fee, at the place of the line that triggers it. */
export const withFees = <Sent extends Input>(input: Sent, fees: readonly DueFee[]): Sent => {
  const lines = input.line_items ?? [];
  const taken = new Set([...lines, ...shippingList(input.shipping)].map(({ id }) => id));
  const added = fees.map(({ line, name }): LineItemRequest => {
    const { customer, ship_from } = lines[line] as LineItemRequest;
    let id = feeId;
    for (let count = 2; taken.has(id); count += 1) id = `${feeId}_${count}`;
    taken.add(id);
    return {
      id,
      description: name,
      product_tax_code: retailDeliveryFee,
      quantity: '1',
      unit_price: '0.00',
      customer,
      ship_from,
    };
  });
  return { ...input, line_items: [...lines, ...added] };
};

const optOut = 'Set retail_delivery_fee to none if you owe no such fee or pay it yourself.';

/** Warns about a fee that could be due in a different currency. */
export const unknownFeeWarning = ({ message }: Uncertainty): Warning => ({
  code: 'retail_delivery_fee_due',
  message: `${message} ${optOut}`,
  pointer: '/line_items',
});

/** Warns about a fee that is due but not charged. */
export const dueFeeWarning = ({ name, amount, note }: DueFee, { taxIncluded, exponent }: TaxDocument): Warning => {
  const line = `send a line item with the product_tax_code ${retailDeliveryFee} and the unit_price ${formatAmount(taxIncluded ? amount : 0n, exponent)}`;
  const advice = taxIncluded
    ? `Prices include tax: ${line}.`
    : `Set the account setting retail_delivery_fee to add, or ${line}.`;
  const message = `${name}: ${formatAmount(amount, exponent)} is due on this delivery and not charged. ${note} ${advice} ${optOut}`;
  return { code: 'retail_delivery_fee_due', message, pointer: '/line_items' };
};

const isFeeCode = (code: string | null | undefined): boolean => {
  const product = code ? findProduct(code) : null;
  return product !== null && isStateFee(product);
};

/**
 * Returns the problems of fees in `shipping`, where their amount would be a delivery charge, and of fees with a price if
 * prices do not include tax: Levy adds the fee as tax, so the price would be charged in addition.
 */
export const feeProblems = ({ line_items, shipping, tax_included }: SentDocument): readonly Problem[] => [
  ...shippingList(shipping).flatMap(({ product_tax_code }, index) => {
    if (!isFeeCode(product_tax_code)) return [];
    const detail = `You sent ${JSON.stringify(product_tax_code)}. Send the fee as a line item with this code, and the delivery charge in shipping without it.`;
    const pointer = `${shippingPointer(shipping, index)}/product_tax_code`;
    return [invalidFormat(pointer, 'Retail delivery fee as shipping', detail)];
  }),
  ...(tax_included ? [] : (line_items ?? [])).flatMap(({ product_tax_code, unit_price }, index) => {
    if (!isFeeCode(product_tax_code) || !/[1-9]/.test(unit_price ?? '')) return [];
    const detail = `You sent ${JSON.stringify(unit_price)}. Send "0.00": Levy adds the fee of the state as tax. With tax_included, send the fee as the price.`;
    return [invalidFormat(`/line_items/${index}/unit_price`, 'Retail delivery fee with a price', detail)];
  }),
];

const sumFees = ({ rows }: TaxedCharge): bigint =>
  rows.reduce((sum, { jurisdiction, tax }) => (jurisdiction.tax_type === 'fee' ? sum + tax : sum), 0n);

/**
 * Warns about a document with tax-inclusive prices if the price of a fee differs from the fee that is due. A lower price
 * is not reported if the seller opted out (`none`).
 */
export const feePriceWarnings = (
  document: TaxDocument,
  taxed: TaxedDocument,
  setting: Settings['retail_delivery_fee'],
): Warning[] => {
  if (!document.lines.some(({ product }) => isStateFee(product))) return [];
  const write = writerFor(document.exponent);
  const due = calculateTax(withoutTax(document, taxed));
  return document.lines.flatMap(({ product }, index) => {
    const charge = taxed.lines[index] as TaxedCharge;
    if (!isStateFee(product) || listUnknownFees(charge).length > 0) return [];
    const fee = sumFees(due.lines[index] as TaxedCharge);
    const excess = charge.taxable + charge.exempt + sumFees(charge) - fee;
    if (excess === 0n || (excess < 0n && setting === 'none')) return [];
    const difference =
      excess > 0n
        ? `exceeds the fee of ${write(fee)} that is due by ${write(excess)}`
        : `is ${write(-excess)} below the fee of ${write(fee)} that is due`;
    const message = `The price of the retail delivery fee ${difference}. Send the fee as the price.`;
    return [{ code: 'retail_delivery_fee_due', message, pointer: `/line_items/${index}` }];
  });
};
