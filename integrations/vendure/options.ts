import type { Levy } from '../../shared/client/client.ts';

export type LevyOptions = {
  /** A client of the shop's Levy account, with a key that may read and write. */
  readonly levy: Levy;
  /** Different for each shop of a Levy account: it begins the idempotency keys. */
  readonly shop: string;
  /** Milliseconds that a request of a shopper waits for Levy at most. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without calls after Levy was unavailable. Default: 5,000. */
  readonly pauseMs?: number;
  /**
   * What the checkout does when Levy has no tax. `shop_rate`: it charges the tax rate of the shop, and marks the order as
   * estimated. `block`: it refuses to go on to the payment. Default: `shop_rate`.
   */
  readonly fallback?: 'shop_rate' | 'block';
  /** The product tax code of shipping charges. Default: that of Levy. */
  readonly shippingTaxCode?: string;
};
