/** What each line item is in its document: goods, a charge on them, a reduction of others, or a fee of a state. */
import { isShippingCharge, isStateFee } from '../tax/document.ts';
import { findProduct, type ProductTaxCode } from '../vocabulary/product-tax-code.ts';

export const generalGoods = 'GENERAL';

/** Fees that are taxed as the goods that they are for. */
const feesOfGoods = ['FEES.GIFT_WRAP', 'FEES.CARD_SURCHARGE', 'FEES.ORDER_FEE', 'FEES.CONTAINER_DEPOSIT'];

/** Whether a product is such a fee. */
export const isFee = ({ path }: Pick<ProductTaxCode, 'path'>): boolean => feesOfGoods.includes(path);

/** Whether a text can be the code of a charge: such a code is a shipping charge or a fee. Cheaper than parsing the code. */
export const mayBeCharge = (code: string | null | undefined): boolean =>
  code != null && /^\s*(SHIPPING|FEES)\b/i.test(code);

/** Whether a line item with this price reduces others (`reductions.ts`). */
export const isReduction = (unitPrice: string | null | undefined): boolean =>
  unitPrice?.startsWith('-') === true && /[1-9]/.test(unitPrice);

/** What a line item is in its document: goods, a charge on them (shipping or a fee), a reduction of others, or a fee of a state. */
export type Role = 'goods' | 'charge' | 'reduction' | 'state_fee';

export type Priced = {
  /** `null` where its code is not valid. */
  readonly product: ProductTaxCode | null;
  readonly isReduction: boolean;
};

/** The roles of line items. Where nothing else is sold, the delivery or the fee is what is sold. */
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

/** What the role of a line item depends on. */
export const toPriced = ({
  product_tax_code,
  unit_price,
}: {
  readonly product_tax_code?: string | null | undefined;
  readonly unit_price?: string | null | undefined;
}): Priced => ({
  product: findProduct(product_tax_code ?? generalGoods),
  isReduction: isReduction(unit_price),
});
