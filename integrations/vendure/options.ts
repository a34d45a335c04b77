import type { Customer, Order, OrderLine, ShippingMethod } from '@vendure/core';
import { createClient, type Levy } from '../../shared/client/client.ts';
import { checkShopName } from '../core/transactions.ts';
import type { Delivery } from './delivery.ts';

/** The argument of the option `fulfillment`. */
type FulfillmentInput = {
  readonly line: OrderLine;
  readonly order: Order;
  /** The shipping method of the line; `null` while the shopper has not chosen one. */
  readonly shippingMethod: ShippingMethod | null;
};

export type LevyOptions = {
  /** A client of the shop's Levy account, with a key that may read and write. */
  readonly levy: Levy;
  /** Different for each shop of a Levy account: it begins the idempotency keys. 1 to 50 visible ASCII characters. */
  readonly shop: string;
  /** The longest that a shopper's request waits for Levy, in milliseconds. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without calls after Levy was unavailable; a longer `Retry-After` replaces them. Default: 5,000. */
  readonly pauseMs?: number;
  /**
   * What the checkout does when Levy returns no tax. `shop_rate`: it charges the tax rate of the shop, and marks the
   * order as estimated. `block`: it rejects the transition to `ArrangingPayment`, and later changes of the address or
   * the order. Default: `shop_rate`.
   */
  readonly fallback?: 'shop_rate' | 'block';
  /** The product tax code of shipping charges. Default: Levy's. */
  readonly shippingTaxCode?: string;
  /**
   * How the buyer gets a line, such as `pickup` at the store `shipFrom`, where the line is then taxed. Default, and for
   * `null`:
   * `levyFulfillment` of the variant, otherwise as the product tax code usually reaches the buyer.
   */
  readonly fulfillment?: (input: FulfillmentInput) => Delivery | null;
  /** The id that a registered customer has in Levy, or `null` for none. Default: `<shop>-<id in Vendure>`. */
  readonly customerId?: (customer: Customer) => string | null;
};

/** Check the options at the start. Throws `RangeError`. */
export const checkOptions = ({ shop, fallback = 'shop_rate' }: LevyOptions): void => {
  checkShopName(shop);
  if (!['shop_rate', 'block'].includes(fallback))
    throw new RangeError(`Set fallback to "shop_rate" or "block", not "${fallback}".`);
};

/**
 * A client for the account of `LEVY_URL` and `LEVY_API_KEY`. Throws if one is missing, so that the server does not
 * start.
 */
export const levyFromEnvironment = (env: Readonly<Record<string, string | undefined>> = process.env): Levy => {
  const { LEVY_URL: url = '', LEVY_API_KEY: apiKey } = env;
  if (!URL.canParse(url)) throw new Error(`Set LEVY_URL to the address of your Levy service, not "${url}".`);
  if (!apiKey) throw new Error('Set LEVY_API_KEY to a key of your Levy account with the scopes read and write.');
  return createClient({ url, apiKey });
};
