import { Customer, type Injector, type Order, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { LevyOptions } from './options.ts';

/**
 * Creates the function that returns the customer's id in Levy, whose exemption certificates apply. Guests have no id:
 * anybody can enter the e-mail address of an exempt customer at checkout, and Vendure then uses that customer.
 */
export const createCustomerIdOf = ({ shop, customerId = ({ id }) => `${shop}-${id}` }: LevyOptions) => {
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
    customerIdOf: async (ctx: RequestContext, { customer }: Order): Promise<string | null> => {
      if (!customer) return null;
      const isRegistered = registered.get(customer) ?? hasUser(ctx, customer);
      registered.set(customer, isRegistered);
      return (await isRegistered) ? customerId(customer) : null;
    },
  };
};
export type Customers = ReturnType<typeof createCustomerIdOf>;
