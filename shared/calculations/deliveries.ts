/** Which line items a shipping charge delivers, and which line items a seller's fee is for. */
import { accept, invalidFormat, type Problem, type Result, refuse } from '../base/result.ts';
import { determineFulfillment, isWithin, type ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import {
  assignRoles,
  isFee,
  mayBeCharge,
  type Priced,
  type Role,
  shippingList,
  shippingPointer,
  toPriced,
} from './charges.ts';
import { documentIds } from './echo.ts';
import { deliveriesMax, type LineItemRequest, type lineFulfillments, type ShippingRequest } from './request.ts';

const delivery = 'SHIPPING.DELIVERY';

/** Whether a fee on the order applies to a line: a gift card or a donation is not a sale. */
const isSold = ({ product }: Line): boolean => product !== null && determineFulfillment(product) !== 'none';

/** Which goods the seller's fees are usually for. */
const usualGoods: Readonly<Record<string, (line: Line) => boolean>> = {
  'FEES.GIFT_WRAP': (line) => isShipped(line) || line.fulfillment === 'pickup',
  'FEES.CARD_SURCHARGE': isSold,
  'FEES.ORDER_FEE': isSold,
  'FEES.CONTAINER_DEPOSIT': ({ product }) => isWithin(product?.path ?? '', 'BEVERAGES'),
};

/** The fields of a line item that shipping depends on. */
type Line = {
  readonly id: string;
  readonly product: ProductTaxCode | null;
  readonly role: Role;
  readonly fulfillment: (typeof lineFulfillments)[number] | null;
  readonly isFree: boolean;
  /** The referenced line item. */
  readonly parentId: string | null;
};

/** A shipping charge or a fee: a line item, or a charge in `shipping`. */
export type Charge = {
  readonly id: string;
  readonly pointer: string;
  /** The index among the line items and then the charges in `shipping`. */
  readonly index: number;
  /** The ids of the referenced line items, and the field that contains them. */
  readonly ids: readonly string[] | null;
  readonly named: 'line_item_ids' | 'parent_line_item_id';
  /** Which goods a fee is usually for. Absent for a shipping charge. */
  readonly feeOn?: (line: Line) => boolean;
  readonly isFree: boolean;
};

/** The fields of a document that its charges depend on, as sent. */
export type SentLine = Pick<
  Partial<LineItemRequest>,
  | 'id'
  | 'product_tax_code'
  | 'quantity'
  | 'unit_price'
  | 'discount_amount'
  | 'third_party_discount_amount'
  | 'parent_line_item_id'
  | 'fulfillment'
>;
type SentCharge = Pick<ShippingRequest, 'id' | 'product_tax_code' | 'amount' | 'discount_amount' | 'line_item_ids'>;
export type SentDocument = {
  readonly type?: string | null | undefined;
  readonly tax_included?: boolean | null | undefined;
  readonly line_items?: readonly SentLine[] | null | undefined;
  readonly shipping?: SentCharge | SentCharge[] | null | undefined;
};

const isZero = (amount: string | null | undefined): boolean => !amount || /^-?[0.]*$/.test(amount);

type Charges = {
  readonly lines: readonly Line[];
  /** The indexes of the lines by id. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly charges: readonly Charge[];
};

/** A line item that is a charge. A credit can reference a line of a different document. */
const chargeOfLine = ({ id, product, isFree, parentId }: Line, index: number, isCredit: boolean): Charge => ({
  id,
  pointer: `/line_items/${index}`,
  index,
  ids: parentId && !isCredit ? [parentId] : null,
  named: 'parent_line_item_id',
  isFree,
  ...(product && isFee(product) && { feeOn: usualGoods[product.path] as (line: Line) => boolean }),
});

const noCharges: Charges = { lines: [], indexes: new Map(), charges: [] };

/** Returns the charges of a document: first the line items that are charges, then the charges in `shipping`. */
export const readCharges = (document: SentDocument): Charges => {
  const sent = document.line_items ?? [];
  const inField = shippingList(document.shipping);
  // Most documents without shipping have no charges, so their codes are not parsed.
  if (inField.length === 0 && !sent.some(({ product_tax_code }) => mayBeCharge(product_tax_code))) return noCharges;
  const priced = sent.map(toPriced);
  const roles = assignRoles(priced);
  const ids = documentIds(document);
  const lines = sent.map(
    ({ fulfillment, unit_price, parent_line_item_id }, index): Line => ({
      id: ids.lines[index] as string,
      product: (priced[index] as Priced).product,
      role: roles[index] as Role,
      fulfillment: fulfillment ?? null,
      isFree: isZero(unit_price),
      parentId: parent_line_item_id ?? null,
    }),
  );
  return {
    lines,
    indexes: new Map(lines.map(({ id }, index) => [id, index])),
    charges: [
      ...lines.flatMap((line, index) =>
        line.role === 'charge' ? [chargeOfLine(line, index, document.type === 'credit')] : [],
      ),
      ...inField.map(({ line_item_ids, amount }, index) => ({
        id: ids.shipping[index] as string,
        pointer: shippingPointer(document.shipping, index),
        index: lines.length + index,
        ids: line_item_ids ?? null,
        named: 'line_item_ids' as const,
        isFree: isZero(amount),
      })),
    ],
  };
};

/** Returns the product tax code of a charge in `shipping`. */
export const shippingCode = ({ product_tax_code }: SentCharge): string => product_tax_code ?? delivery;

/**
 * Whether a carrier or the seller delivers a line item to the buyer: by its `fulfillment`, or else by its product tax
 * code.
 */
export const isShipped = ({ product, fulfillment }: Pick<Line, 'product' | 'fulfillment'>): boolean =>
  fulfillment ? fulfillment === 'ship' : product !== null && determineFulfillment(product) === 'shipped';

const notShipped = (pointer: string): Problem => {
  const detail =
    'No line item of the document is shipped. Send fulfillment "ship" on the line items that this charge delivers, or their ids in line_item_ids of `shipping`, or leave the charge out.';
  return invalidFormat(pointer, 'Shipping without a shipped line item', detail);
};

const namedLines = (charge: Charge, ids: readonly string[], { lines, indexes }: Charges): Result<readonly number[]> => {
  const named = new Set<number>();
  for (const [position, id] of ids.entries()) {
    const name = charge.named;
    const pointer = `${charge.pointer}/${name}${name === 'line_item_ids' ? `/${position}` : ''}`;
    const refused = (detail: string) => refuse(invalidFormat(pointer, `Invalid ${name}`, detail));
    const index = indexes.get(id);
    const line = index === undefined ? undefined : lines[index];
    if (index === undefined || !line)
      return refused(`No line item has the id ${JSON.stringify(id)}. Send only ids of line_items.`);
    if (line.role === 'reduction')
      return refused(`Line item ${JSON.stringify(id)} has a negative unit_price. Send only ids of goods.`);
    if (line.role !== 'goods')
      return refused(`Line item ${JSON.stringify(id)} is a shipping charge or a fee. Send only ids of goods.`);
    if (charge.feeOn === undefined && line.fulfillment && line.fulfillment !== 'ship')
      return refused(
        `Line item ${JSON.stringify(id)} has the fulfillment ${line.fulfillment}. Send only ids of shipped line items.`,
      );
    if (named.has(index)) return refused(`Line item ${JSON.stringify(id)} is listed twice. Send each id once.`);
    named.add(index);
  }
  return accept([...named]);
};

/** Returns the goods that a fee is usually for, or all goods if there are none. */
const goodsOfFee = (
  isFor: (line: Line) => boolean,
  goods: readonly number[],
  lines: readonly Line[],
): readonly number[] => {
  const own = goods.filter((index) => isFor(lines[index] as Line));
  return own.length > 0 ? own : goods;
};

/**
 * Returns the indexes of the line items that a charge delivers: the referenced line items, otherwise all that are
 * shipped. A charge of zero delivers all goods if nothing is shipped. A fee is for the goods that it is usually for,
 * unless it references a line item.
 *
 * Refusals: ids that are not goods, and a charge above zero if no line item is shipped.
 */
const deliveredLines = (charge: Charge, document: Charges): Result<readonly number[]> => {
  const { lines } = document;
  if (charge.ids) return namedLines(charge, charge.ids, document);
  const goods = [...lines.keys()].filter((index) => lines[index]?.role === 'goods');
  if (charge.feeOn !== undefined) return accept(goodsOfFee(charge.feeOn, goods, lines));
  const shipped = goods.filter((index) => isShipped(lines[index] as Line));
  if (shipped.length > 0) return accept(shipped);
  if (!charge.isFree) return refuse(notShipped(charge.pointer));
  return accept(goods.length > 0 ? goods : [...lines.keys()]);
};

const tooManyDeliveries = (pointer: string, deliveries: number): Problem => {
  const detail = `The shipping charges and fees up to this one refer to ${deliveries} line items in total; at most ${deliveriesMax} are allowed. Send line_item_ids or parent_line_item_id with each charge, or combine charges.`;
  return invalidFormat(pointer, 'Too many line items of shipping charges and fees', detail);
};

/**
 * Returns the indexes of the line items that each charge of a document delivers.
 *
 * Refusals: see `deliveredLines`; also more than `deliveriesMax` line items, counted once per charge.
 */
export const deliveredLinesOfAll = (document: Charges): Result<readonly (readonly number[])[]> => {
  const problems: Problem[] = [];
  const delivered: (readonly number[])[] = [];
  let deliveries = 0;
  for (const charge of document.charges) {
    const lines = deliveredLines(charge, document);
    if (!lines.ok) problems.push(...lines.problems);
    else deliveries += lines.value.length;
    if (deliveries > deliveriesMax) {
      problems.push(tooManyDeliveries(charge.pointer, deliveries));
      break;
    }
    delivered.push(lines.ok ? lines.value : []);
  }
  const [first, ...others] = problems;
  return first ? refuse(first, ...others) : accept(delivered);
};

/** Returns the problems of the shipping charges of a document, unless one of its codes is invalid. */
export const deliveryProblems = (document: SentDocument): readonly Problem[] => {
  const read = readCharges(document);
  if (read.lines.some(({ product }) => product === null)) return [];
  const delivered = deliveredLinesOfAll(read);
  return delivered.ok ? [] : delivered.problems;
};
