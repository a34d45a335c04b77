import type { Order, OrderLine, RequestContext, TaxRate } from '@vendure/core';
import { Logger } from '@vendure/core';
import { documentOf } from '../core/document.ts';
import { toMinor } from '../core/money.ts';
import { type Calculation, createQuotes, type NoTaxReason } from '../core/quotes.ts';
import { cartOf, exponentOf } from './cart.ts';
import type { LevyOptions } from './options.ts';

const context = 'LevyPlugin';

/** A tax line of Vendure. It stores the other fields, too; `taxSummaryOf` reads them. */
export type LevyTaxLine = {
  description: string;
  /** The rate in percent that gives exactly the cents of Levy on the charge. */
  taxRate: number;
  /** The nominal rate in percent, and the tax in minor units. */
  readonly nominal?: number;
  readonly amount?: number;
  /** The rate is the shop's own, because Levy had no tax. */
  readonly estimated?: boolean;
};

/** `ok`, `open` while the address or the lines are missing, `foreign` outside of the United States, or `failed`. */
export type Tax =
  | { readonly kind: 'ok'; readonly calculation: Calculation }
  | { readonly kind: 'open' | 'foreign' }
  | { readonly kind: 'failed'; readonly reason: NoTaxReason };

type Taxes = Calculation['line_items'][number]['taxes'];

const taxLinesOf = (taxes: Taxes, net: number, exponent: number): LevyTaxLine[] =>
  taxes.map(({ jurisdiction_name, rate, tax_amount }) => {
    const amount = Number(toMinor(tax_amount, exponent));
    return {
      description: jurisdiction_name,
      taxRate: net === 0 ? 0 : (amount / net) * 100,
      nominal: Number(rate) * 100,
      amount,
    };
  });

/** Create the function that returns the tax of an order. */
export const createTaxOf = ({ levy, timeoutMs, pauseMs, shippingTaxCode = '' }: LevyOptions) => {
  const quote = createQuotes({
    levy,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(pauseMs !== undefined && { pauseMs }),
  });
  // A failure is logged once for each request of a shopper.
  const logged = new WeakSet<object>();

  const log = (ctx: RequestContext, order: Order, detail: string): void => {
    const scope = ctx.req ?? ctx;
    if (logged.has(scope)) return;
    logged.add(scope);
    Logger.warn(`No tax from Levy for the order ${order.code}: ${detail}`, context);
  };

  /** The tax of an order now. `shipping` replaces its shipping charge, in minor units. Never throws for an outage. */
  const taxOf = async (ctx: RequestContext, order: Order, shipping?: number): Promise<Tax> => {
    const cart = cartOf(order, shippingTaxCode || null, shipping);
    const failed = (detail: string, reason: NoTaxReason): Tax => {
      log(ctx, order, detail);
      return { kind: 'failed', reason };
    };
    if (cart === null) return failed('Prices that include tax are not supported.', 'refused');
    const documented = documentOf(cart);
    if (!documented.ok) {
      const { code, detail } = documented.gap;
      if (code === 'incomplete_address') return failed(detail, 'refused');
      return { kind: code === 'foreign_country' ? 'foreign' : 'open' };
    }
    const answer = await quote(documented.document, ctx.req ?? ctx);
    return answer.ok ? { kind: 'ok', calculation: answer.calculation } : failed(answer.detail, answer.reason);
  };

  return taxOf;
};
export type TaxOf = ReturnType<typeof createTaxOf>;

/** The tax lines of one line of an order. */
export const linesFor = (tax: Tax, line: OrderLine, shopRate: TaxRate, currency: string): LevyTaxLine[] => {
  if (tax.kind === 'open') return [];
  const own = shopRate.apply(line.proratedLinePrice);
  if (tax.kind === 'foreign') return [own];
  if (tax.kind !== 'ok') return [{ ...own, estimated: true }];
  const found = tax.calculation.line_items.find(({ id }) => id === String(line.id));
  return found ? taxLinesOf(found.taxes, line.proratedLinePrice, exponentOf(currency)) : [];
};

/** Write a calculation to all lines of an order: Vendure asks for some of them only. */
export const writeLines = (tax: Tax, order: Order): void => {
  if (tax.kind !== 'ok') return;
  for (const line of order.lines) {
    const found = tax.calculation.line_items.find(({ id }) => id === String(line.id));
    if (found) line.taxLines = taxLinesOf(found.taxes, line.proratedLinePrice, exponentOf(order.currencyCode));
  }
};

/** The effective rate of the shipping charge in percent; `null` without a tax of Levy. */
export const shippingRate = (tax: Tax, net: number, currency: string): number | null => {
  if (tax.kind === 'open') return 0;
  if (tax.kind !== 'ok') return null;
  const amount = toMinor(tax.calculation.shipping?.tax_amount ?? '0', exponentOf(currency));
  return net === 0 ? 0 : (Number(amount) / net) * 100;
};

/** Whether a part of an order's tax is the shop's own rate. */
export const isEstimated = (order: Order): boolean =>
  order.lines.some(({ taxLines }) => (taxLines as LevyTaxLine[]).some(({ estimated }) => estimated === true));
