import {
  type Injector,
  LanguageCode,
  type Order,
  type RequestContext,
  ShippingCalculator,
  Surcharge,
  TransactionalConnection,
} from '@vendure/core';
import type { Guard } from './order-process.ts';
import type { ReadTax, Tax } from './tax.ts';
import { linesForSurcharge, shippingCharges, shippingRates, writeLines } from './tax-lines.ts';

export const createSurcharges = () => {
  let connection: TransactionalConnection;
  return {
    init: (injector: Injector): void => {
      connection = injector.get(TransactionalConnection);
    },
    /**
     * Writes Levy's tax to the surcharges of an order. Vendure calculates no tax for surcharges, and does not save them
     * with the order, so this stores it in the request's database transaction.
     */
    write: async (ctx: RequestContext, tax: Tax, order: Order): Promise<void> => {
      for (const surcharge of order.surcharges ?? []) {
        const taxLines = linesForSurcharge(tax, surcharge);
        if (!taxLines || JSON.stringify(taxLines) === JSON.stringify(surcharge.taxLines)) continue;
        surcharge.taxLines = taxLines;
        await connection.getRepository(ctx, Surcharge).update(surcharge.id, { taxLines });
      }
    },
  };
};
export type Surcharges = ReturnType<typeof createSurcharges>;

const text = (value: string) => [{ languageCode: LanguageCode.en, value }];

/**
 * A flat shipping charge with tax from Levy. Vendure calls it last, after the promotions, so it also writes the tax of
 * the lines: Vendure does not recalculate it if a discount with the same total is distributed differently. Levy can
 * round the taxes of several charges together, so the tax of a shipping line depends on the other shipping lines.
 */
export const shippingCalculator = (readTax: ReadTax, guard: Guard, surcharges: Surcharges) =>
  new ShippingCalculator({
    code: 'levy-shipping',
    description: text('A flat charge with the tax that Levy calculates'),
    args: {
      rate: { type: 'int', defaultValue: 0, ui: { component: 'currency-form-input' }, label: text('Charge') },
      taxRate: { type: 'int', defaultValue: 0, label: text('Tax rate in percent if Levy returns no tax') },
    },
    calculate: async (ctx, order, { rate, taxRate }, method) => {
      const charges = shippingCharges(order, method.id, rate);
      const tax = await readTax(ctx, order, { shipping: charges.nets, method: charges.isOnOrder ? null : method });
      const rates = shippingRates(tax, charges);
      if (charges.isOnOrder) {
        guard(order, tax);
        writeLines(tax, order);
        await surcharges.write(ctx, tax, order);
        for (const [at, line] of order.shippingLines.entries())
          if (rates) line.taxLines = [{ description: 'shipping tax', taxRate: rates[at] as number }];
      }
      return { price: rate, priceIncludesTax: false, taxRate: rates?.[charges.own] ?? taxRate };
    },
  });
