import type { Customer, Order, OrderLine, ShippingMethod } from '@vendure/core';
import { createClient, type Levy } from '../../shared/client/client.ts';
import { checkShopName, connectionFrom, type Environment } from '../core/transactions.ts';
import type { Delivery } from './cart.ts';

/** The argument of the option `fulfillment`. */
type FulfillmentInput = {
  readonly line: OrderLine;
  readonly order: Order;
  /** The shipping method of the line; `null` while the shopper has not chosen one. */
  readonly shippingMethod: ShippingMethod | null;
};

export type LevyOptions = {
  /** A client for the shop's Levy account, with a key that has read and write permission. */
  readonly levy: Levy;
  /**
   * The prefix of idempotency keys. Must be unique among the shops of a Levy account. 1 to 50 visible ASCII characters.
   */
  readonly shop: string;
  /** The maximum time in milliseconds that a shopper's request waits for Levy. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Pause in milliseconds after Levy was unavailable; a longer `Retry-After` overrides it. Default: 5,000. */
  readonly pauseMs?: number;
  /**
   * The behavior of the checkout if Levy returns no tax. `shop_rate`: charge the shop's tax rate and mark the order as
   * estimated. `block`: reject the transition to `ArrangingPayment`, and later changes of the address or the order.
   * Default: `shop_rate`.
   */
  readonly fallback?: 'shop_rate' | 'block';
  /** The product tax code of shipping charges. Default: Levy's. */
  readonly shippingTaxCode?: string;
  /**
   * Returns the fulfillment of a line, such as `pickup` at the store `shipFrom`, where the line is then taxed. Default,
   * and for `null`: the variant's `levyFulfillment`, otherwise the usual fulfillment of the product tax code.
   */
  readonly fulfillment?: (input: FulfillmentInput) => Delivery | null;
  /** Returns the id of a registered customer in Levy, or `null` for none. Default: `<shop>-<id in Vendure>`. */
  readonly customerId?: (customer: Customer) => string | null;
};

/** Checks the options at startup. Throws `RangeError`. */
export const checkOptions = ({ shop, fallback = 'shop_rate' }: LevyOptions): void => {
  checkShopName(shop);
  if (!['shop_rate', 'block'].includes(fallback))
    throw new RangeError(`Set fallback to "shop_rate" or "block", not "${fallback}".`);
};

/**
 * Creates a client for the account of `LEVY_URL` and `LEVY_API_KEY`. Throws if one is missing, so the server does not
 * start.
 */
export const levyFromEnvironment = (env: Environment = process.env): Levy => createClient(connectionFrom(env));
