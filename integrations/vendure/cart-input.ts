import type { ID, Injector, Order, RequestContext, ShippingMethod } from '@vendure/core';
import { RequestContextCacheService, ShippingMethodService } from '@vendure/core';
import type { CartInput } from './cart.ts';
import { createCustomerIdOf } from './customer.ts';
import { type DeliveryOf, shippingLineOf, variantDelivery } from './delivery.ts';
import type { LevyOptions } from './options.ts';

/** Creates the function that returns the non-amount data of an order that Levy needs. */
export const createInputOf = (options: LevyOptions) => {
  const { shippingTaxCode = null, fulfillment } = options;
  const customers = createCustomerIdOf(options);
  let find: (ctx: RequestContext, id: ID) => Promise<ShippingMethod | undefined>;

  return {
    init: (injector: Injector): void => {
      customers.init(injector);
      const service = injector.get(ShippingMethodService);
      const cache = injector.get(RequestContextCacheService);
      find = (ctx, id) => cache.get(ctx, `levy-method-${id}`, () => service.findOne(ctx, id, true));
    },
    /** `chosen` is a shipping method that would replace the order's methods. */
    inputOf: async (ctx: RequestContext, order: Order, chosen: ShippingMethod | null = null): Promise<CartInput> => {
      const methods = new Map<string, ShippingMethod | undefined>();
      for (const { shippingMethodId: id } of fulfillment && !chosen ? (order.shippingLines ?? []) : [])
        if (id !== null) methods.set(String(id), await find(ctx, id));
      const deliveryOf: DeliveryOf = (line) => {
        const id = shippingLineOf(order, line)?.shippingMethodId;
        const shippingMethod = chosen ?? methods.get(String(id)) ?? null;
        return { ...variantDelivery(line), ...fulfillment?.({ line, order, shippingMethod }) };
      };
      return { customerId: await customers.customerIdOf(ctx, order), shippingTaxCode, deliveryOf };
    },
  };
};
export type Inputs = ReturnType<typeof createInputOf>;
