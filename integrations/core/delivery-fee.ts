/** Retail delivery fees in shops that support taxes only on items. */
import type { Schemas } from '../../shared/client/client.ts';
import { getDecimals, toDecimal, toMinor } from './money.ts';

const feeCode = 'FEES.RETAIL_DELIVERY_FEE';
const addedId = 'retail_delivery_fee';

type Line = Schemas['Calculation']['line_items'][number];

/** Returns whether Levy added a line because of the account setting `retail_delivery_fee=add`. */
export const isAddedFee = ({
  id,
  product_tax_code,
  unit_price,
}: Pick<Schemas['LineItemRequest'], 'id' | 'product_tax_code' | 'unit_price'>): boolean =>
  product_tax_code === feeCode && unit_price === '0.00' && id?.startsWith(addedId) === true;

const isCharged = ({ net_amount }: Line): boolean => /[1-9]/.test(net_amount);
const getState = ({ jurisdiction_code }: Line['taxes'][number]): string => jurisdiction_code.slice(0, 5);

/** Returns the line to which a fee is added: the first line with a price that the fee's state taxes. */
const getCarrier = (fee: Line, lines: readonly Line[]): Line | undefined => {
  const states = new Set(fee.taxes.map(getState));
  return lines.find((line) => isCharged(line) && line.taxes.some((row) => states.has(getState(row))));
};

/**
 * Converts added fees to taxes of the shop's lines, because a shop collects only the taxes of its items. The totals do
 * not change. A fee remains a line if no line can include it.
 */
export const withFeesOnLines = (calculation: Schemas['Calculation']): Schemas['Calculation'] => {
  const lines = new Map(calculation.line_items.map((line) => [line.id, line]));
  for (const fee of calculation.line_items.filter(isAddedFee)) {
    lines.delete(fee.id);
    const carrier = getCarrier(fee, [...lines.values()]);
    if (!carrier) {
      lines.set(fee.id, fee);
      continue;
    }
    const exponent = getDecimals(fee.tax_amount);
    const tax = toMinor(carrier.tax_amount, exponent) + toMinor(fee.tax_amount, exponent);
    const taxes = [...carrier.taxes, ...fee.taxes];
    lines.set(carrier.id, { ...carrier, tax_amount: toDecimal(tax, exponent), taxes });
  }
  return { ...calculation, line_items: [...lines.values()] };
};
