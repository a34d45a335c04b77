/** Which line items a shipping charge delivers. */
import { invalidFormat, type Problem } from '../problem.ts';
import { accept, type Result, refuse } from '../result.ts';
import { fulfillmentOf } from '../vocabulary/fulfillment.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { documentIds } from './echo.ts';
import type { lineFulfillments } from './request.ts';
import { shippingList, shippingPointer } from './shipping-list.ts';

export const generalGoods = 'GENERAL';
const delivery = 'SHIPPING.DELIVERY';

/** Whether a product is a shipping charge. */
export const isShippingCharge = ({ path }: Pick<ProductTaxCode, 'path'>): boolean => path.startsWith('SHIPPING.');

/** Whether a line item with this price reduces others (`reductions.ts`). */
export const isReduction = (unitPrice: string | null | undefined): boolean =>
  unitPrice?.startsWith('-') === true && /[1-9]/.test(unitPrice);

/** A line item, as far as shipping depends on it. */
type Line = {
  readonly id: string;
  /** `null` where its code is not valid. */
  readonly product: ProductTaxCode | null;
  readonly fulfillment: (typeof lineFulfillments)[number] | null;
  readonly isFree: boolean;
  /** Whether it has a negative price, and so is neither goods nor a charge. */
  readonly isReduction: boolean;
};

/** A shipping charge: a line item, or a charge in `shipping`. */
export type Charge = {
  readonly pointer: string;
  /** The index of the line item that is the charge; `null` for a charge in `shipping`. */
  readonly line: number | null;
  /** The ids of the line items that it names. */
  readonly ids: readonly string[] | null;
  readonly isFree: boolean;
};

type Sent = {
  readonly id?: string | null | undefined;
  readonly product_tax_code?: string | null | undefined;
};
type SentLine = Sent & {
  readonly [Name in 'quantity' | 'unit_price' | 'discount_amount' | 'third_party_discount_amount']?:
    | string
    | null
    | undefined;
} & {
  readonly parent_line_item_id?: string | null | undefined;
  readonly fulfillment?: Line['fulfillment'] | undefined;
};
type SentCharge = Sent & {
  readonly amount: string;
  readonly discount_amount?: string | null | undefined;
  readonly line_item_ids?: readonly string[] | null | undefined;
};
export type SentDocument = {
  readonly line_items?: readonly SentLine[] | null | undefined;
  readonly shipping?: SentCharge | SentCharge[] | null | undefined;
};

const isZero = (amount: string | null | undefined): boolean => !amount || /^-?[0.]*$/.test(amount);

/** The product of a code; `null` where the code is not valid. */
export const productOf = (text: string): ProductTaxCode | null => {
  const parsed = parseProductTaxCode(text);
  return parsed.ok ? parsed.value : null;
};

const isCharge = ({ product, isReduction }: Line): boolean =>
  !isReduction && product !== null && isShippingCharge(product);
const isGoods = (line: Line): boolean => !line.isReduction && !isCharge(line);

type Charges = {
  readonly lines: readonly Line[];
  /** The indexes of the lines by their ids. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly charges: readonly Charge[];
};

/** The line items and shipping charges of a document: first the line items that are charges, then those in `shipping`. */
export const readCharges = (document: SentDocument): Charges => {
  const ids = documentIds(document);
  const lines = (document.line_items ?? []).map(
    ({ product_tax_code, fulfillment, unit_price }, index): Line => ({
      id: ids.lines[index] as string,
      product: productOf(product_tax_code ?? generalGoods),
      fulfillment: fulfillment ?? null,
      isFree: isZero(unit_price),
      isReduction: isReduction(unit_price),
    }),
  );
  // Where nothing else is sold, the delivery is what is sold.
  const hasGoods = lines.some((line) => line.product && isGoods(line));
  return {
    lines,
    indexes: new Map(lines.map(({ id }, index) => [id, index])),
    charges: [
      ...lines.flatMap((sent, line): Charge[] =>
        isCharge(sent) && hasGoods ? [{ pointer: `/line_items/${line}`, line, ids: null, isFree: sent.isFree }] : [],
      ),
      ...shippingList(document.shipping).map(({ line_item_ids, amount }, index) => ({
        pointer: shippingPointer(document.shipping, index),
        line: null,
        ids: line_item_ids ?? null,
        isFree: isZero(amount),
      })),
    ],
  };
};

/** The product tax code of a charge in `shipping`. */
export const shippingCode = ({ product_tax_code }: Sent): string => product_tax_code ?? delivery;

/** Whether a carrier or the seller brings a line item to the buyer: as its `fulfillment` says, or as such products are. */
export const isShipped = ({ product, fulfillment }: Pick<Line, 'product' | 'fulfillment'>): boolean =>
  fulfillment ? fulfillment === 'ship' : product !== null && fulfillmentOf(product) === 'shipped';

const notShipped = (pointer: string): Problem =>
  invalidFormat(
    pointer,
    'Shipping without a shipped line item',
    'No line item of the document is shipped. Send fulfillment "ship" on the line items that this charge delivers, or their ids in line_item_ids of `shipping`, or leave the charge out.',
  );

const namedLines = (charge: Charge, ids: readonly string[], { lines, indexes }: Charges): Result<readonly number[]> => {
  const named = new Set<number>();
  for (const [position, id] of ids.entries()) {
    const pointer = `${charge.pointer}/line_item_ids/${position}`;
    const refused = (detail: string) => refuse(invalidFormat(pointer, 'Invalid line_item_ids', detail));
    const index = indexes.get(id);
    const line = index === undefined ? undefined : lines[index];
    if (index === undefined || !line)
      return refused(`No line item has the id ${JSON.stringify(id)}. Send ids of line_items.`);
    if (line.isReduction)
      return refused(`Line item ${JSON.stringify(id)} has a negative unit_price. Send ids of goods.`);
    if (isCharge(line))
      return refused(`Line item ${JSON.stringify(id)} is a shipping charge itself. Send ids of goods.`);
    if (line.fulfillment && line.fulfillment !== 'ship')
      return refused(
        `Line item ${JSON.stringify(id)} has the fulfillment ${line.fulfillment}. Send ids of line items that are shipped.`,
      );
    if (named.has(index)) return refused(`Line item ${JSON.stringify(id)} is named twice. Send each id once.`);
    named.add(index);
  }
  return accept([...named]);
};

/**
 * The indexes of the line items that a charge delivers: those that it names, otherwise all that are shipped. A charge of zero
 * delivers all goods where nothing is shipped.
 *
 * Refusals: ids of no goods, and a charge above zero where no line item is shipped.
 */
export const deliveredLines = (charge: Charge, document: Charges): Result<readonly number[]> => {
  const { lines } = document;
  if (charge.ids) return namedLines(charge, charge.ids, document);
  const goods = [...lines.keys()].filter((index) => isGoods(lines[index] as Line));
  const shipped = goods.filter((index) => isShipped(lines[index] as Line));
  if (shipped.length > 0) return accept(shipped);
  if (!charge.isFree) return refuse(notShipped(charge.pointer));
  return accept(goods.length > 0 ? goods : [...lines.keys()]);
};

/** The problems of the shipping charges of a document, unless one of its codes is invalid. */
export const deliveryProblems = (document: SentDocument): readonly Problem[] => {
  const read = readCharges(document);
  if (read.lines.some(({ product }) => product === null)) return [];
  return read.charges.flatMap((charge) => {
    const delivered = deliveredLines(charge, read);
    return delivered.ok ? [] : delivered.problems;
  });
};
