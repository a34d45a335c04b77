import { decimal, decimalPattern, multiply, rescale, signedDecimalPattern } from '../money/decimal.ts';
import { isShippingCharge, isStateFee } from '../tax/document.ts';
import { findProduct, type ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';
import type { LineItemRequest } from './request.ts';

/** The role of each line item in its document: goods, a charge for goods, a reduction of other charges, or a state fee. */

export const generalGoods = 'GENERAL';

/** Fees that are taxed like the goods that they are for. */
const feesOfGoods = ['FEES.GIFT_WRAP', 'FEES.CARD_SURCHARGE', 'FEES.ORDER_FEE', 'FEES.CONTAINER_DEPOSIT'];

/** Whether a product is a fee that is taxed like its goods. */
export const isFee = ({ path }: Pick<ProductTaxCode, 'path'>): boolean => feesOfGoods.includes(path);

/** Whether a string can be the code of a charge (shipping or a fee). Faster than parsing the code. */
export const mayBeCharge = (code: string | null | undefined): boolean => {
  if (code == null) return false;
  const end = code.indexOf('._');
  const path = vocabulary().pathByName.get(end < 0 ? code : code.slice(0, end));
  return path !== undefined && (isShippingCharge({ path }) || isFee({ path }));
};

/** Whether a line item with this price reduces other charges (`reductions.ts`). */
export const isReduction = (unitPrice: string | null | undefined): boolean =>
  unitPrice?.startsWith('-') === true && /[1-9]/.test(unitPrice);

/**
 * The role of a line item in its document: goods, a charge for goods (shipping or a fee), a reduction of other charges,
 * or a state fee.
 */
export type Role = 'goods' | 'charge' | 'reduction' | 'state_fee';

export type Priced = {
  /** `null` if the line's code is invalid. */
  readonly product: ProductTaxCode | null;
  readonly isReduction: boolean;
};

/** Returns the roles of line items. If nothing else is sold, the delivery or the fee counts as goods. */
export const assignRoles = (lines: readonly Priced[]): readonly Role[] => {
  const kinds = lines.map(({ product, isReduction }) => {
    if (isReduction) return 'reduction';
    if (!product) return 'goods';
    if (isStateFee(product)) return 'state_fee';
    return isShippingCharge(product) ? 'shipping' : isFee(product) ? 'fee' : 'goods';
  });
  const hasGoods = kinds.includes('goods');
  return kinds.map((kind) => {
    if (kind === 'fee') return hasGoods ? 'charge' : 'goods';
    if (kind === 'shipping') return hasGoods || kinds.includes('fee') ? 'charge' : 'goods';
    return kind;
  });
};

/** Returns the fields that determine the role of a line item. */
export const toPriced = ({
  product_tax_code,
  unit_price,
}: Partial<Pick<LineItemRequest, 'product_tax_code' | 'unit_price'>>): Priced => ({
  product: findProduct(product_tax_code ?? generalGoods),
  isReduction: isReduction(unit_price),
});

/** Conversion of request decimals to minor units. `exponent` is the number of decimals of the currency. */

type Text = string | null | undefined;

/** Whether a value of an unvalidated body is a decimal in the schema's format. */
export const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimalPattern.test(value);

/** Returns whether a value is a price: a decimal, which can be negative. */
export const isPrice = (value: unknown): value is string =>
  typeof value === 'string' && signedDecimalPattern.test(value);

/** Returns an amount; zero if none was sent. */
export const parseMinor = (text: Text, exponent: number): bigint => (text ? rescale(decimal(text), exponent) : 0n);

/** Returns quantity times unit price of a line item, before discounts. */
export const lineAmount = (
  { quantity, unit_price }: { readonly quantity?: Text; readonly unit_price?: Text },
  exponent: number,
): bigint => multiply(decimal(quantity ?? '1'), decimal(unit_price ?? '0'), exponent);

/** The `shipping` field of a request or a response: null, one charge as an object, or a list of charges. */
type OneOrMany<Charge> = Charge | Charge[] | null | undefined;

const isList = <Charge>(shipping: OneOrMany<Charge>): shipping is Charge[] => Array.isArray(shipping);

/** Returns the charges as a list. */
export const shippingList = <Charge>(shipping: OneOrMany<Charge>): readonly Charge[] =>
  isList(shipping) ? shipping : shipping ? [shipping] : [];

/** Maps the shipping charges: a list to a list, a single charge to a single value. */
export const mapShipping = <From, To>(
  shipping: OneOrMany<From>,
  replace: (charge: From, index: number) => To,
): To | To[] | null => (isList(shipping) ? shipping.map(replace) : shipping ? replace(shipping, 0) : null);

/** Returns the JSON Pointer of a charge in the document. */
export const shippingPointer = (shipping: OneOrMany<unknown>, index: number): string =>
  isList(shipping) ? `/shipping/${index}` : '/shipping';
