import {
  Customer,
  type ID,
  type Injector,
  type Order,
  type RequestContext,
  RequestContextCacheService,
  type ShippingMethod,
  ShippingMethodService,
  TransactionalConnection,
} from '@vendure/core';
import { type CartInput, type GetDelivery, getShippingLine, variantDelivery } from './cart.ts';
import type { LevyOptions } from './options.ts';

/**
 * Creates the function that returns the customer's id in Levy, whose exemption certificates apply. Guests have no id:
 * anybody can enter the e-mail address of an exempt customer at checkout, and Vendure then uses that customer.
 */
export const createCustomerIdReader = ({ shop, customerId = ({ id }) => `${shop}-${id}` }: LevyOptions) => {
  let connection: TransactionalConnection | null = null;
  // Caches the query for all lines of an order.
  const registered = new WeakMap<Customer, Promise<boolean>>();

  const hasUser = async (ctx: RequestContext, { id, user }: Customer): Promise<boolean> => {
    if (user !== undefined) return user !== null;
    const repository = connection?.getRepository(ctx, Customer);
    const found = await repository?.findOne({ where: { id }, relations: { user: true } });
    return Boolean(found?.user);
  };

  return {
    init: (injector: Injector): void => {
      connection = injector.get(TransactionalConnection);
    },
    readCustomerId: async (ctx: RequestContext, { customer }: Order): Promise<string | null> => {
      if (!customer) return null;
      const isRegistered = registered.get(customer) ?? hasUser(ctx, customer);
      registered.set(customer, isRegistered);
      return (await isRegistered) ? customerId(customer) : null;
    },
  };
};
export type Customers = ReturnType<typeof createCustomerIdReader>;

/** Creates the function that returns the non-amount data of an order that Levy needs. */
export const createInputReader = (options: LevyOptions) => {
  const { shippingTaxCode = null, fulfillment } = options;
  const customers = createCustomerIdReader(options);
  let find: (ctx: RequestContext, id: ID) => Promise<ShippingMethod | undefined>;

  return {
    init: (injector: Injector): void => {
      customers.init(injector);
      const service = injector.get(ShippingMethodService);
      const cache = injector.get(RequestContextCacheService);
      find = (ctx, id) => cache.get(ctx, `levy-method-${id}`, () => service.findOne(ctx, id, true));
    },
    /** `chosen` is a shipping method that would replace the order's methods. */
    readInput: async (ctx: RequestContext, order: Order, chosen: ShippingMethod | null = null): Promise<CartInput> => {
      const methods = new Map<string, ShippingMethod | undefined>();
      for (const { shippingMethodId: id } of fulfillment && !chosen ? (order.shippingLines ?? []) : [])
        if (id !== null) methods.set(String(id), await find(ctx, id));
      const getDelivery: GetDelivery = (line) => {
        const id = getShippingLine(order, line)?.shippingMethodId;
        const shippingMethod = chosen ?? methods.get(String(id)) ?? null;
        return { ...variantDelivery(line), ...fulfillment?.({ line, order, shippingMethod }) };
      };
      return { customerId: await customers.readCustomerId(ctx, order), shippingTaxCode, getDelivery };
    },
  };
};
export type Inputs = ReturnType<typeof createInputReader>;
