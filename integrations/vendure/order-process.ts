import {
  ConfigService,
  type Injector,
  type Order,
  type OrderProcess,
  OrderService,
  type OrderState,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core';
import { noTaxMessage } from '../core/quotes.ts';
import type { Inputs } from './cart-input.ts';
import type { LevyOptions } from './options.ts';
import { editingStates, startRecording } from './record.ts';
import { storeSale, toSale } from './sale.ts';
import { blockedBy, type ReadTax, type Tax } from './tax.ts';
import { isEstimated } from './tax-lines.ts';

// In these states, the customer pays the tax of an order change.
const guardedStates = ['ArrangingPayment', 'Modifying'];

/** Throws if the option `block` rejects a change of an order. */
export type Guard = (order: Order, tax: Tax) => void;

export const createGuard =
  ({ fallback }: LevyOptions): Guard =>
  ({ state }, tax) => {
    const reason = fallback === 'block' && guardedStates.includes(state) ? blockedBy(tax) : null;
    if (reason) throw new UserInputError(noTaxMessage(reason));
  };

/** Handles order transitions: the last calculation before the payment, and the sale. */
export const orderProcess = (options: LevyOptions, readTax: ReadTax, inputs: Inputs): OrderProcess<string> => {
  let injector: Injector;

  const calculate = async (ctx: RequestContext, order: Order): Promise<string | undefined> => {
    const service = injector.get(OrderService);
    // The second pass includes the shipping promotions of the first pass.
    for (let pass = 0; pass < 2; pass++) await service.applyPriceAdjustments(ctx, order, order.lines);
    if (options.fallback !== 'block') return undefined;
    const reason = blockedBy(await readTax(ctx, order)) ?? (isEstimated(order) ? 'unavailable' : null);
    return reason ? noTaxMessage(reason) : undefined;
  };

  const keepSale = async (ctx: RequestContext, given: Order): Promise<void> => {
    const order = (await injector.get(OrderService).findOne(ctx, given.id)) ?? given;
    order.orderPlacedAt = order.orderPlacedAt ?? given.orderPlacedAt ?? new Date();
    const sale = toSale(order, await inputs.readInput(ctx, order));
    await storeSale(injector.get(TransactionalConnection), ctx, given, sale, isEstimated(order));
  };

  return {
    init: async (given) => {
      injector = given;
      inputs.init(given);
      // Levy reads amounts as cents. With a different precision, each sale would be off by a power of ten.
      const { precision = 2 } = given.get(ConfigService).entityOptions.moneyStrategy;
      if (precision !== 2) throw new Error(`Levy needs a MoneyStrategy with the precision 2, not ${precision}.`);
      await startRecording(given, options);
    },
    // A paid order is not checked again: a rejection would keep the payment, and lose the order.
    onTransitionStart: (_from, to, { ctx, order }) => (to === 'ArrangingPayment' ? calculate(ctx, order) : undefined),
    onTransitionEnd: async (from, to, { ctx, order }) => {
      const { orderPlacedStrategy } = injector.get(ConfigService).orderOptions;
      const isPlaced = orderPlacedStrategy.shouldSetAsPlaced(ctx, from as OrderState, to as OrderState, order);
      // After an edit, an order returns to its previous state, such as PartiallyShipped.
      const isEdited = editingStates.includes(from) && !editingStates.includes(to) && to !== 'Cancelled';
      // In a shop with several sellers, the customer's order has the whole tax. Recording the sellers' orders would
      // count it twice.
      if ((isPlaced || isEdited) && order.type !== 'Seller') await keepSale(ctx, order);
    },
  };
};
