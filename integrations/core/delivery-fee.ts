/** A retail delivery fee, in shops that have taxes only on their items. */
import type { Schemas } from '../../shared/client/client.ts';
import { decimalsOf, toDecimal, toMinor } from './money.ts';

const feeCode = 'FEES.RETAIL_DELIVERY_FEE';
const addedId = 'retail_delivery_fee';

type Line = Schemas['Calculation']['line_items'][number];

/** Whether Levy added a line, because the account has the setting `retail_delivery_fee=add`. */
export const isAddedFee = ({
  id,
  product_tax_code,
  unit_price,
}: Pick<Schemas['LineItemRequest'], 'id' | 'product_tax_code' | 'unit_price'>): boolean =>
  product_tax_code === feeCode && unit_price === '0.00' && id?.startsWith(addedId) === true;

const isCharged = ({ net_amount }: Line): boolean => /[1-9]/.test(net_amount);
const stateOf = ({ jurisdiction_code }: Line['taxes'][number]): string => jurisdiction_code.slice(0, 5);

/** The line that carries a fee: the first one with a price that the state of the fee taxes. */
const carrierOf = (fee: Line, lines: readonly Line[]): Line | undefined => {
  const states = new Set(fee.taxes.map(stateOf));
  return lines.find((line) => isCharged(line) && line.taxes.some((row) => states.has(stateOf(row))));
};

/**
 * The calculation with its added fees as taxes of lines of the shop: a shop collects what its items have as taxes. The totals
 * stay. Where no line can carry a fee, the fee stays a line.
 */
export const withFeesOnLines = (calculation: Schemas['Calculation']): Schemas['Calculation'] => {
  const lines = new Map(calculation.line_items.map((line) => [line.id, line]));
  for (const fee of calculation.line_items.filter(isAddedFee)) {
    lines.delete(fee.id);
    const carrier = carrierOf(fee, [...lines.values()]);
    if (!carrier) {
      lines.set(fee.id, fee);
      continue;
    }
    const exponent = decimalsOf(fee.tax_amount);
    const tax = toMinor(carrier.tax_amount, exponent) + toMinor(fee.tax_amount, exponent);
    const taxes = [...carrier.taxes, ...fee.taxes];
    lines.set(carrier.id, { ...carrier, tax_amount: toDecimal(tax, exponent), taxes });
  }
  return { ...calculation, line_items: [...lines.values()] };
};
