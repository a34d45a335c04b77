import { toMinor } from '../core/money.ts';
import type { Calculation } from '../core/quotes.ts';
import { cartOf, type Document } from './cart.ts';
import type { Logger } from './container.ts';
import { type CartTax, taxOf } from './levy.ts';

export type Rate = { readonly name: string; readonly code: string; readonly rate: number };

/** What the hook hands to the provider: rates in percent by item, and of each shipping method. */
export type TaxContext =
  | {
      readonly kind: 'levy';
      readonly items: Readonly<Record<string, readonly Rate[]>>;
      readonly shipping: readonly Rate[];
    }
  | { readonly kind: 'open' | 'foreign' | 'failed' };

type Taxes = Calculation['line_items'][number]['taxes'];

/** The rates that give exactly the cents of Levy: Medusa stores rates, and multiplies them with the net amount. */
const ratesOf = (taxes: Taxes, net: string): Rate[] => {
  const exponent = net.split('.')[1]?.length ?? 0;
  const base = Number(toMinor(net, exponent));
  return taxes.map(({ jurisdiction_name, jurisdiction_code, tax_amount }) => ({
    name: jurisdiction_name,
    code: jurisdiction_code,
    rate: base === 0 ? 0 : (Number(toMinor(tax_amount, exponent)) / base) * 100,
  }));
};

export const contextFrom = (tax: CartTax): TaxContext => {
  if (!tax.ok) return { kind: tax.reason === 'open' || tax.reason === 'foreign' ? tax.reason : 'failed' };
  const { line_items, shipping } = tax.calculation;
  return {
    kind: 'levy',
    items: Object.fromEntries(line_items.map(({ id, taxes, net_amount }) => [id, ratesOf(taxes, net_amount)])),
    shipping: shipping ? ratesOf(shipping.taxes, shipping.amount) : [],
  };
};

/** Levy's tax of a cart or an order. Logs a warning where the shop's own rate applies. */
export const loggedTaxOf = async (document: Document, kind: 'cart' | 'order', logger: Logger): Promise<CartTax> => {
  const tax = await taxOf(cartOf(document));
  if (!tax.ok && (tax.reason === 'refused' || tax.reason === 'unavailable'))
    logger.warn(`Levy returned no tax for ${kind} ${document.id}; charging the shop's tax rate: ${tax.detail}`);
  return tax;
};

/** The taxes of a cart for the provider. */
export const taxContextOf = async (cart: Document, logger: Logger): Promise<TaxContext> =>
  contextFrom(await loggedTaxOf(cart, 'cart', logger));

type ItemLine = {
  readonly line_item: { readonly id: string };
  readonly rates: readonly {
    readonly id: string;
    readonly rate: number | null;
    readonly code: string | null;
    readonly name: string;
  }[];
};
type ShippingLine = { readonly shipping_line: { readonly id: string }; readonly rates: ItemLine['rates'] };
type CalculationContext = {
  readonly address: { readonly postal_code?: string | null };
  readonly additional_context?: Record<string, unknown>;
};

/** The code of tax lines that have the shop's own rate. */
export const estimatedCode = 'levy-estimated';

/** Medusa's tax provider `tp_levy_levy`. It makes no calls: the hooks call Levy once for the whole cart or order. */
export class LevyTaxProvider {
  static identifier = 'levy';
  readonly #logger: Logger | undefined;

  constructor({ logger }: { readonly logger?: Logger } = {}) {
    this.#logger = logger;
  }

  getIdentifier(): string {
    return LevyTaxProvider.identifier;
  }

  async getTaxLines(items: readonly ItemLine[], shipping: readonly ShippingLine[], context: CalculationContext) {
    const tax = (context.additional_context?.['levy'] as TaxContext | undefined) ?? this.#withoutHook(context);
    const own = (rates: ItemLine['rates']) =>
      tax.kind === 'open'
        ? []
        : rates.map(({ id, rate, name, code }) => ({
            rate_id: id,
            rate: rate ?? 0,
            name,
            code: tax.kind === 'foreign' ? (code ?? 'shop') : estimatedCode,
          }));
    const provider_id = 'levy';
    return [
      ...items.flatMap(({ line_item: { id }, rates }) =>
        (tax.kind === 'levy' ? (tax.items[id] ?? []) : own(rates)).map((rate) => ({
          ...rate,
          line_item_id: id,
          provider_id,
        })),
      ),
      ...shipping.flatMap(({ shipping_line: { id }, rates }) =>
        (tax.kind === 'levy' ? tax.shipping : own(rates)).map((rate) => ({
          ...rate,
          shipping_line_id: id,
          provider_id,
        })),
      ),
    ];
  }

  /** Another plugin calculates tax. A region of one country gives each cart that country before its address. */
  #withoutHook({ address }: CalculationContext): TaxContext {
    if (!address.postal_code) return { kind: 'open' };
    this.#logger?.warn("Levy was not called for a tax calculation; charging the shop's tax rate.");
    return { kind: 'failed' };
  }
}

/** Whether the tax of a cart or an order is the shop's own. */
export const isEstimated = (
  lines: readonly { readonly tax_lines?: readonly { readonly code: string }[] | null }[],
): boolean => lines.some(({ tax_lines }) => (tax_lines ?? []).some(({ code }) => code === estimatedCode));
