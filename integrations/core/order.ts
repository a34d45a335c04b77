import type { Schemas } from '../../shared/client/client.ts';

/**
 * An order as an adapter passes it. All amounts are decimal strings in currency units, such as `"19.90"`, without tax
 * unless noted otherwise.
 */
export type Address = {
  readonly line1?: string | null | undefined;
  readonly city?: string | null | undefined;
  /** A state's name or code; `us-hi` and `US-HI` are accepted. */
  readonly province?: string | null | undefined;
  readonly postalCode?: string | null | undefined;
  /** ISO 3166-1 alpha-2, in any case. */
  readonly country?: string | null | undefined;
};

/** How the buyer receives a line. */
export type Fulfillment = Schemas['LineFulfillment'];

export type Line = {
  /** Must not change during the life of the order, because refunds refer to it. */
  readonly id: string;
  readonly quantity: number;
  /** A line with a negative price is a discount: it reduces all goods in proportion, which lowers their tax. */
  readonly unitPrice: string;
  /** The discount of the whole line, not per unit: line discounts plus the line's share of order discounts. */
  readonly discount: string;
  /** A code of `GET /product-tax-codes`. Default: general tangible goods. */
  readonly taxCode?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Default: the usual fulfillment of the product tax code. Shipping is allocated to shipped lines. */
  readonly fulfillment?: Fulfillment | null | undefined;
  /**
   * The origin of the line. For pickup, this is the store, at which the line is taxed. Default: the `ship_from` of the
   * Levy account.
   */
  readonly shipFrom?: Address | null | undefined;
};

/** A shipping charge after discounts. */
export type ShippingCharge = {
  /** Unique among the charges of the order. Must not change during its life, because refunds refer to it. */
  readonly id: string;
  readonly amount: string;
  /** Default: Levy's code of a delivery charge. */
  readonly taxCode?: string | null | undefined;
  /** The lines of the charge. Levy allocates it to the shipped lines among them. Default: all lines. */
  readonly lineIds?: readonly string[] | null | undefined;
};

export type Cart = {
  /** ISO 4217. */
  readonly currency: string;
  /** The delivery address. */
  readonly address: Address | null;
  /** The customer's id in the shop. Levy applies the exemption certificates of `POST /customers` with this id. */
  readonly customerId?: string | null | undefined;
  readonly lines: readonly Line[];
  readonly shipping: readonly ShippingCharge[];
};

export type Refund = {
  /** Unique within the order. */
  readonly id: string;
  /** The amount refunded to the customer, with tax. */
  readonly total: string;
  /** The returned goods. A refund without lines and shipping is only an amount. */
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  /**
   * The tax in the total of a refund of one line; the whole total if only tax is returned. Other lines supply tax that
   * the line lacks. Default: in proportion.
   */
  readonly tax?: string | undefined;
  /** The shipping part of the total, with tax. It is distributed over the charges in proportion. */
  readonly shipping: string;
  /**
   * Whether the refund is the part of returned goods that paid for other goods of the order. Recorded parts stay,
   * because later refunds and returns can change how the goods are divided.
   */
  readonly isExchanged?: boolean;
  /** ISO 8601 timestamp, which determines the filing period of the credit. */
  readonly at: string;
};

export type Order = Cart & {
  /** The order number that customers see. Unique among the sales of the Levy account. */
  readonly reference: string;
  /** ISO 8601 timestamp. The rates of this day apply. */
  readonly placedAt: string;
  /**
   * ISO 8601 timestamp of the order's last change in the shop, including payments and refunds. Levy stores it, and
   * `recordOrder` ignores older snapshots of the order.
   */
  readonly changedAt?: string;
  /**
   * The current status that the order should have in Levy: `draft` until it is paid, `void` if it was canceled before
   * payment.
   */
  readonly wanted: 'draft' | 'finalized' | 'void';
  /** The tax that the shop collects. */
  readonly tax: string;
  /** Lines, shipping and tax. */
  readonly total: string;
  /**
   * The amount that the customer has paid. It exceeds `total` after an edit that lowers the order; refunding the
   * difference requires no credit.
   */
  readonly paid?: string;
  /** Whether the tax is the shop's fallback instead of Levy's. */
  readonly isEstimated: boolean;
  /** Settled refunds, oldest first. Recorded credits stay if an older refund is settled later. */
  readonly refunds: readonly Refund[];
};
