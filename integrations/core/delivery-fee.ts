/** Retail delivery fees in shops that support taxes only on items and shipping. */
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

/** A line or a shipping charge. */
type Charge = Pick<Line, 'net_amount' | 'tax_amount' | 'taxes'>;

const isCharged = ({ net_amount }: Charge): boolean => /[1-9]/.test(net_amount);
const getState = ({ jurisdiction_code }: Line['taxes'][number]): string => jurisdiction_code.slice(0, 5);

/** Returns the charge to which a fee is added: the first charge with a price that the fee's state taxes. */
const getCarrier = (fee: Line, charges: readonly Charge[]): Charge | undefined => {
  const states = new Set(fee.taxes.map(getState));
  return charges.find((charge) => isCharged(charge) && charge.taxes.some((row) => states.has(getState(row))));
};

const withFee = <Own extends Charge>(charge: Own, fee: Line): Own => {
  const exponent = getDecimals(fee.tax_amount);
  const tax = toMinor(charge.tax_amount, exponent) + toMinor(fee.tax_amount, exponent);
  return { ...charge, tax_amount: toDecimal(tax, exponent), taxes: [...charge.taxes, ...fee.taxes] };
};

/**
 * Where a shop collects a fee: as a tax of a line, or of a shipping charge if there is one. A shop that multiplies the
 * rate of a line's tax by a new quantity would multiply the fee.
 */
export type FeeCarrier = 'line' | 'shipping';

/**
 * Converts added fees to taxes of the shop's charges, because a shop collects only the taxes of its items and shipping.
 * The totals do not change. A fee remains a line if no charge can include it.
 */
export const withFeesOnCharges = (
  calculation: Schemas['Calculation'],
  preferred: FeeCarrier,
): Schemas['Calculation'] => {
  let lines = calculation.line_items.filter((line) => !isAddedFee(line));
  let shipping = [calculation.shipping ?? []].flat();
  for (const fee of calculation.line_items.filter(isAddedFee)) {
    const carrier = getCarrier(fee, preferred === 'shipping' ? [...shipping, ...lines] : lines);
    const add = <Own extends Charge>(charge: Own): Own => (charge === carrier ? withFee(charge, fee) : charge);
    shipping = shipping.map(add);
    lines = carrier ? lines.map(add) : [...lines, fee];
  }
  const [only = null] = shipping;
  return { ...calculation, line_items: lines, shipping: Array.isArray(calculation.shipping) ? shipping : only };
};
