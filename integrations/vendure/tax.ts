import { Logger, type Order, type RequestContext, type ShippingMethod } from '@vendure/core';
import {
  type Calculation,
  createNewTexts,
  createQuotes,
  type NoTaxReason,
  taxOfCart,
  warningText,
} from '../core/quotes.ts';
import { type ShippingNet, toCart } from './cart.ts';
import type { Inputs } from './cart-input.ts';
import type { LevyOptions } from './options.ts';

const context = 'LevyPlugin';

/** `ok`, `open` if the address or the lines are missing, `foreign` outside of the United States, or `failed`. */
export type Tax =
  | { readonly kind: 'ok'; readonly calculation: Calculation; readonly isCovered: boolean }
  | { readonly kind: 'open' | 'foreign' }
  | { readonly kind: 'failed'; readonly reason: NoTaxReason };

/** Why the option `block` stops a checkout, or `null` if it does not. */
export const blockedBy = (tax: Tax): NoTaxReason | null => {
  if (tax.kind === 'failed') return tax.reason;
  if (tax.kind === 'foreign') return null;
  return tax.kind === 'ok' && tax.isCovered ? null : 'address';
};

const createLog = (fallback: LevyOptions['fallback']) => {
  const consequence = fallback === 'block' ? 'checkout is blocked' : "charging the shop's tax rate";
  // Logs a failure once per shopper request, and warnings once per order.
  const requests = new WeakSet<object>();
  const isNewText = createNewTexts();
  return {
    failure: (scope: object, { code }: Order, detail: string): void => {
      if (requests.has(scope)) return;
      requests.add(scope);
      Logger.warn(`Levy returned no tax for order ${code}; ${consequence}: ${detail}`, context);
    },
    warnings: ({ code }: Order, messages: readonly string[]): void => {
      const text = warningText(code, messages);
      if (messages.length > 0 && isNewText(text)) Logger.warn(text, context);
    },
  };
};

/** The parts of an order that a calculated shipping method replaces. */
type Replacing = {
  readonly shipping: readonly ShippingNet[];
  /** The method, if the order does not have it. */
  readonly method: ShippingMethod | null;
};

/** Creates the function that returns the tax of an order. */
export const createTaxReader = (options: LevyOptions, { readInput }: Pick<Inputs, 'readInput'>) => {
  const { levy, timeoutMs, pauseMs, fallback } = options;
  const quote = createQuotes({
    levy,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(pauseMs !== undefined && { pauseMs }),
  });
  const log = createLog(fallback);

  /** Returns the current tax of an order. Never throws for an outage. */
  const readTax = async (ctx: RequestContext, order: Order, replacing?: Replacing): Promise<Tax> => {
    const scope = ctx.req ?? ctx;
    const failed = (detail: string, reason: NoTaxReason): Tax => {
      log.failure(scope, order, detail);
      return { kind: 'failed', reason };
    };
    const input = await readInput(ctx, order, replacing?.method);
    const built = toCart(order, { ...input, shipping: replacing?.shipping });
    if (!built.ok)
      return order.shippingAddress?.countryCode ? failed(built.unsupported.detail, 'refused') : { kind: 'open' };
    const found = await taxOfCart(quote, built.cart, scope);
    if (!found.ok)
      return found.reason === 'open' || found.reason === 'foreign'
        ? { kind: found.reason }
        : failed(found.detail, found.reason);
    // Does not log warnings of a method that the shopper may never choose.
    if (!replacing?.method) log.warnings(order, found.warnings);
    return { kind: 'ok', calculation: found.calculation, isCovered: found.isCovered };
  };

  return readTax;
};
export type ReadTax = ReturnType<typeof createTaxReader>;
