import { type Injector, type Order, type RequestContext, Surcharge, TransactionalConnection } from '@vendure/core';
import type { Tax } from './tax.ts';
import { linesForSurcharge } from './tax-lines.ts';

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
