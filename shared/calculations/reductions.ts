/**
 * Line items with a negative price, such as a prorated refund or a down payment on the invoice: each reduces other line
 * items or shipping charges of its document, and is taxed like them.
 */

import { accept, invalidField, invalidFormat, type Problem, type Result, refuse } from '../base/result.ts';
import { allocate, sum } from '../money/allocate.ts';
import { formatAmount } from '../money/currency.ts';
import { isShippingCharge } from '../tax/document.ts';
import { findProduct } from '../vocabulary/product-tax-code.ts';
import { assignRoles, generalGoods, isReduction, lineAmount, parseMinor, shippingList, toPriced } from './charges.ts';
import type { SentDocument, SentLine } from './deliveries.ts';
import { documentIds } from './echo.ts';

/** The reductions of other charges by a line item, in minor units. Charges are the line items, then `shipping`. */
export type Reduction = {
  /** The index of the reducing line item. */
  readonly line: number;
  /** The amount by the index of each reduced charge. The first is always present. */
  readonly parts: ReadonlyMap<number, bigint>;
};

/** A charge that can be reduced: its remaining amount after its own discounts. */
type Charge = {
  readonly id: string;
  readonly code: string | null;
  readonly isShipping: boolean;
  readonly isGoods: boolean;
  left: bigint;
};

const reducibleCharges = (document: SentDocument, exponent: number): (Charge | null)[] => {
  const ids = documentIds(document);
  const sent = document.line_items ?? [];
  const roles = assignRoles(sent.map(toPriced));
  const lines = sent.map((line, index): Charge | null => {
    if (isReduction(line.unit_price)) return null;
    const discounts = [line.discount_amount, line.third_party_discount_amount];
    const product = findProduct(line.product_tax_code ?? generalGoods);
    return {
      id: ids.lines[index] as string,
      code: product?.canonical ?? null,
      isShipping: product !== null && isShippingCharge(product),
      isGoods: roles[index] === 'goods',
      left: discounts.reduce((left, text) => left - parseMinor(text, exponent), lineAmount(line, exponent)),
    };
  });
  const shipping = shippingList(document.shipping).map((charge, index): Charge => {
    const left = parseMinor(charge.amount, exponent) - parseMinor(charge.discount_amount, exponent);
    return { id: ids.shipping[index] as string, code: null, isShipping: true, isGoods: false, left };
  });
  return [...lines, ...shipping];
};

/** Returns the charges that a line item reduces: the referenced charges, the charges with its code, or all goods. */
const listTargets = (
  { parent_line_item_id: named, product_tax_code: code }: SentLine,
  charges: readonly (Charge | null)[],
  pointer: string,
): Result<readonly number[]> => {
  const where = (matches: (charge: Charge) => boolean) =>
    charges.flatMap((charge, index) => (charge && matches(charge) ? [index] : []));
  const product = code ? findProduct(code) : null;
  const found = named
    ? where(({ id }) => id === named)
    : product && isShippingCharge(product)
      ? where(({ isShipping }) => isShipping)
      : product
        ? where((charge) => charge.code === product.canonical)
        : where(({ isGoods }) => isGoods);
  if (found.length > 0) return accept(found);
  const advice =
    'Send the id of the line item or shipping charge that it reduces as parent_line_item_id, or a discount_amount there. Leave out earlier payments, such as a returned deposit.';
  if (named) {
    const detail = `No line item or shipping charge that can be reduced has the id ${JSON.stringify(named)}. ${advice}`;
    return refuse(invalidFormat(`${pointer}/parent_line_item_id`, 'Unknown parent_line_item_id', detail));
  }
  const missing = code ? `other charge with the product_tax_code ${code}` : 'goods';
  const detail = `The document has no ${missing}. ${advice}`;
  return refuse(invalidFormat(`${pointer}/unit_price`, 'Negative unit_price reduces nothing', detail));
};

const reduce = (
  line: number,
  sent: SentLine,
  charges: readonly (Charge | null)[],
  exponent: number,
): Result<Reduction> => {
  const pointer = `/line_items/${line}`;
  const discount = (['discount_amount', 'third_party_discount_amount'] as const).find((name) => sent[name]);
  if (discount) {
    const detail =
      'A line item with a negative unit_price is already a discount. Send the whole discount as its unit_price.';
    return refuse(invalidField(`${pointer}/${discount}`, detail));
  }
  const targets = listTargets(sent, charges, pointer);
  if (!targets.ok) return targets;
  const reduced = targets.value.map((index) => charges[index] as Charge);
  const total = -lineAmount(sent, exponent);
  const whole = sum(reduced.map(({ left }) => left));
  if (total > whole) {
    const detail = `It reduces charges of ${formatAmount(whole, exponent)}, after their discounts, by ${formatAmount(total, exponent)}. Send a smaller discount, or send type credit for a refund.`;
    return refuse(invalidFormat(`${pointer}/unit_price`, 'Discount exceeds the charges that it reduces', detail));
  }
  const parts = allocate(
    total,
    reduced.map(({ left }) => left),
  );
  for (const [position, charge] of reduced.entries()) charge.left -= parts[position] as bigint;
  return accept({ line, parts: new Map(targets.value.map((index, position) => [index, parts[position] as bigint])) });
};

/**
 * Returns the charges that line items with a negative price reduce, sequentially and in proportion to the remaining
 * amount of each charge after its own discounts: the charge with the id in `parent_line_item_id`, or else the charges
 * with its product tax code, or else all goods. `exponent` is the number of decimals of the currency.
 *
 * Refusals: a negative price that reduces nothing, that exceeds the remaining amount, or that has discounts.
 */
export const listReductions = (document: SentDocument, exponent: number): Result<readonly Reduction[]> => {
  const lines = document.line_items ?? [];
  if (!lines.some(({ unit_price }) => isReduction(unit_price))) return accept([]);
  const charges = reducibleCharges(document, exponent);
  const problems: Problem[] = [];
  const reductions = lines.flatMap((line, index) => {
    if (!isReduction(line.unit_price)) return [];
    const reduction = reduce(index, line, charges, exponent);
    if (reduction.ok) return [reduction.value];
    problems.push(...reduction.problems);
    return [];
  });
  const [first, ...others] = problems;
  return first ? refuse(first, ...others) : accept(reductions);
};
