import type { Order, RequestContext } from '@vendure/core';
import { Logger } from '@vendure/core';
import { documentOf } from '../core/document.ts';
import { type Calculation, createQuotes, type NoTaxReason, warningText } from '../core/quotes.ts';
import { cartOf, isForeign } from './cart.ts';
import type { Customers } from './customer.ts';
import type { LevyOptions } from './options.ts';

const context = 'LevyPlugin';
const maxLogged = 10_000;

/** `ok`, `open` while the address or the lines are missing, `foreign` outside of the United States, or `failed`. */
export type Tax =
  | { readonly kind: 'ok'; readonly calculation: Calculation; readonly isCovered: boolean }
  | { readonly kind: 'open' | 'foreign' }
  | { readonly kind: 'failed'; readonly reason: NoTaxReason };

/** Why the option `block` stops a checkout, or `null` if it goes on. */
export const blockedBy = (tax: Tax): NoTaxReason | null => {
  if (tax.kind === 'failed') return tax.reason;
  if (tax.kind === 'foreign') return null;
  return tax.kind === 'ok' && tax.isCovered ? null : 'refused';
};

const createLog = (fallback: LevyOptions['fallback']) => {
  const consequence = fallback === 'block' ? 'checkout is blocked' : "charging the shop's tax rate";
  // A failure is logged once for each request of a shopper, and warnings once for each order.
  const requests = new WeakSet<object>();
  const warned = new Set<string>();
  return {
    failure: (scope: object, { code }: Order, detail: string): void => {
      if (requests.has(scope)) return;
      requests.add(scope);
      Logger.warn(`Levy returned no tax for order ${code}; ${consequence}: ${detail}`, context);
    },
    warnings: ({ code }: Order, messages: readonly string[]): void => {
      const text = warningText(code, messages);
      if (messages.length === 0 || warned.has(text)) return;
      if (warned.size >= maxLogged) warned.clear();
      warned.add(text);
      Logger.warn(text, context);
    },
  };
};

/** Create the function that returns the tax of an order. */
export const createTaxOf = (options: LevyOptions, { customerIdOf }: Pick<Customers, 'customerIdOf'>) => {
  const { levy, timeoutMs, pauseMs, shippingTaxCode = null, fallback } = options;
  const quote = createQuotes({
    levy,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(pauseMs !== undefined && { pauseMs }),
  });
  const log = createLog(fallback);

  /** The tax of an order now. `shipping` replaces its shipping charge, in minor units. Never throws for an outage. */
  const taxOf = async (ctx: RequestContext, order: Order, shipping?: number): Promise<Tax> => {
    if (isForeign(order)) return { kind: 'foreign' };
    if (!order.shippingAddress?.countryCode) return { kind: 'open' };
    const scope = ctx.req ?? ctx;
    const failed = (detail: string, reason: NoTaxReason): Tax => {
      log.failure(scope, order, detail);
      return { kind: 'failed', reason };
    };
    const customerId = await customerIdOf(ctx, order);
    const built = cartOf(order, { customerId, shippingTaxCode, shipping });
    if (!built.ok) return failed(built.unsupported.detail, 'refused');
    const documented = documentOf(built.cart);
    if (!documented.ok) {
      const { code, detail } = documented.gap;
      return code === 'incomplete_address' ? failed(detail, 'refused') : { kind: 'open' };
    }
    const answer = await quote(documented.document, scope);
    if (!answer.ok) return failed(answer.detail, answer.reason);
    log.warnings(order, answer.warnings);
    return { kind: 'ok', calculation: answer.calculation, isCovered: answer.isCovered };
  };

  return taxOf;
};
export type TaxOf = ReturnType<typeof createTaxOf>;
