import { getSettings, type Logger } from './levy.ts';
import { estimatedCode, type TaxContext } from './tax.ts';

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

/** The shop's tax rates. Without any, a zero rate marks the estimate. */
const ownRates = (kind: TaxContext['kind'], rates: ItemLine['rates']) => {
  if (kind === 'open') return [];
  if (kind === 'failed' && rates.length === 0) return [{ rate: 0, name: 'No tax rate', code: estimatedCode }];
  return rates.map(({ id, rate, name, code }) => ({
    rate_id: id,
    rate: rate ?? 0,
    name,
    code: kind === 'foreign' ? (code ?? 'shop') : estimatedCode,
  }));
};

/**
 * The Medusa tax provider `tp_levy_levy`. It makes no calls, because the hooks call Levy once for the whole cart or
 * order.
 */
export class LevyTaxProvider {
  static identifier = 'levy';
  readonly #logger: Pick<Logger, 'warn'> | undefined;

  /** Called by Medusa at startup. Throws if a setting is missing or invalid. */
  static validateOptions(): void {
    getSettings();
  }

  constructor({ logger }: { readonly logger?: Pick<Logger, 'warn'> } = {}) {
    this.#logger = logger;
  }

  getIdentifier(): string {
    return LevyTaxProvider.identifier;
  }

  async getTaxLines(items: readonly ItemLine[], shipping: readonly ShippingLine[], context: CalculationContext) {
    const tax = (context.additional_context?.['levy'] as TaxContext | undefined) ?? this.#withoutHook(context);
    const own = (rates: ItemLine['rates']) => ownRates(tax.kind, rates);
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
        (tax.kind === 'levy' ? (tax.shipping[id] ?? []) : own(rates)).map((rate) => ({
          ...rate,
          shipping_line_id: id,
          provider_id,
        })),
      ),
    ];
  }

  /**
   * Handles a calculation without the hook, such as one by another plugin. A cart without a ZIP code is still open: in a
   * region with one country, it has that country from the start.
   */
  #withoutHook({ address }: CalculationContext): TaxContext {
    if (!address.postal_code) return { kind: 'open' };
    this.#logger?.warn("Levy was not called for a tax calculation; charging the shop's tax rate.");
    return { kind: 'failed' };
  }
}
