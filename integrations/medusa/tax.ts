import { getDecimals, toDecimal, toMinor } from '../core/money.ts';
import { type Calculation, type CartTax, createNewTexts, warningText } from '../core/quotes.ts';
import { getShipping } from '../core/shipping.ts';
import { type Document, type ShippingMethod, toCart } from './cart.ts';
import { type Logger, readTax } from './levy.ts';

export type Rate = { readonly name: string; readonly code: string; readonly rate: number };

/** The hook's result for the provider: percentage rates by item and shipping method. */
export type TaxContext =
  | {
      readonly kind: 'levy';
      readonly items: Readonly<Record<string, readonly Rate[]>>;
      readonly shipping: Readonly<Record<string, readonly Rate[]>>;
    }
  | { readonly kind: 'open' | 'foreign' | 'failed' };

type Taxes = Calculation['line_items'][number]['taxes'];

/**
 * Returns rates that reproduce Levy's tax to the cent, because Medusa stores rates and multiplies them by the net
 * amount.
 */
const listRates = (taxes: Taxes, net: string): Rate[] => {
  const exponent = net.split('.')[1]?.length ?? 0;
  const base = Number(toMinor(net, exponent));
  return taxes.map(({ jurisdiction_name, jurisdiction_code, tax_amount }) => ({
    name: jurisdiction_name,
    code: jurisdiction_code,
    rate: base === 0 ? 0 : (Number(toMinor(tax_amount, exponent)) / base) * 100,
  }));
};

/** Returns the statutory rates, for lines with unknown quantities. A fee gets the rate that reproduces its amount. */
export const listNominalRates = (taxes: Taxes, net: string): Rate[] =>
  listRates(taxes, net).map((row, at) => {
    const { rate, taxable_amount } = taxes[at] as Taxes[number];
    const nominal = Number(net) === 0 ? 0 : (Number(rate) * Number(taxable_amount) * 100) / Number(net);
    // A difference of one cent is rounding.
    return Math.abs(nominal - row.rate) * Number(net) <= 1 ? { ...row, rate: nominal } : row;
  });

type Charged = Pick<Calculation['line_items'][number], 'amount' | 'discount_amount'>;

/** Returns the amount that Medusa multiplies by a rate: without the reduction by lines with a negative price. */
const getBase = ({ amount, discount_amount }: Charged): string => {
  const exponent = getDecimals(amount);
  return toDecimal(toMinor(amount, exponent) - toMinor(discount_amount ?? '0', exponent), exponent);
};

export const contextFrom = (tax: CartTax, methods: readonly Pick<ShippingMethod, 'id'>[]): TaxContext => {
  if (!tax.ok) return { kind: tax.reason === 'open' || tax.reason === 'foreign' ? tax.reason : 'failed' };
  const { calculation } = tax;
  const rates = (charge: (Charged & { readonly taxes: Taxes }) | undefined) =>
    charge ? listRates(charge.taxes, getBase(charge)) : [];
  return {
    kind: 'levy',
    items: Object.fromEntries(calculation.line_items.map((line) => [line.id, rates(line)])),
    shipping: Object.fromEntries(methods.map((method) => [method.id, rates(getShipping(calculation, method))])),
  };
};

// Carts are calculated many times.
const isNewText = createNewTexts();

/** Returns Levy's tax of a cart or an order. Logs Levy's warnings, and a warning if the shop's rate applies. */
export const readLoggedTax = async (
  document: Document,
  kind: 'cart' | 'order',
  logger: Pick<Logger, 'warn'>,
): Promise<CartTax> => {
  const tax = await readTax(toCart(document));
  if (!tax.ok && tax.reason !== 'open' && tax.reason !== 'foreign')
    logger.warn(`Levy returned no tax for ${kind} ${document.id}; charging the shop's tax rate: ${tax.detail}`);
  const text = tax.ok && tax.warnings.length > 0 && warningText(`${kind} ${document.id}`, tax.warnings);
  if (text && isNewText(text)) logger.warn(text);
  return tax;
};

/** Converts the taxes of a cart for the provider. */
export const readTaxContext = async (cart: Document, logger: Pick<Logger, 'warn'>): Promise<TaxContext> =>
  contextFrom(await readLoggedTax(cart, 'cart', logger), cart.shipping_methods ?? []);

/** The code of tax lines with the shop's rate. */
export const estimatedCode = 'levy-estimated';

/** Returns whether the tax of a cart or an order is the shop's. */
export const isEstimated = (
  lines: readonly { readonly tax_lines?: readonly { readonly code: string }[] | null }[],
): boolean => lines.some(({ tax_lines }) => (tax_lines ?? []).some(({ code }) => code === estimatedCode));
