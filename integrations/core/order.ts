import type { Schemas } from '../../shared/client/client.ts';

/**
 * A shop's order, as an adapter hands it over. All amounts are decimal strings in units of the currency, such as `"19.90"`,
 * without tax unless a field says otherwise.
 */
export type Address = {
  readonly line1?: string | null | undefined;
  readonly city?: string | null | undefined;
  /** A state's name or code; `us-hi` and `US-HI` are understood. */
  readonly province?: string | null | undefined;
  readonly postalCode?: string | null | undefined;
  /** ISO 3166-1 alpha-2, in any case. */
  readonly country?: string | null | undefined;
};

/** How the buyer gets a line. */
export type Fulfillment = Schemas['LineFulfillment'];

export type Line = {
  /** Stable for the life of the order: refunds name it. */
  readonly id: string;
  readonly quantity: number;
  readonly unitPrice: string;
  /** The discount of the whole line, not of a unit: its own discounts and its part of the order's discounts. */
  readonly discount: string;
  /** A code of `GET /product-tax-codes`. Without one, Levy calculates the tax on general tangible goods. */
  readonly taxCode?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Default: as the product tax code usually reaches the buyer. Shipping belongs to lines that are shipped. */
  readonly fulfillment?: Fulfillment | null | undefined;
  /** Where the line comes from: for pickup, the store, where it is taxed. Default: the `ship_from` of the Levy account. */
  readonly shipFrom?: Address | null | undefined;
};

export type Cart = {
  /** ISO 4217. */
  readonly currency: string;
  /** Where the goods go. */
  readonly address: Address | null;
  /** The customer's id in the shop. Levy applies the exemption certificates of `POST /customers` with this id. */
  readonly customerId?: string | null | undefined;
  readonly lines: readonly Line[];
  /** The shipping charge after its discounts. Levy shares it over the lines that are shipped. */
  readonly shipping: { readonly amount: string; readonly taxCode?: string | null | undefined } | null;
};

export type Refund = {
  /** Unique within the order. */
  readonly id: string;
  /** The amount refunded to the customer, with tax. */
  readonly total: string;
  /** The returned goods. Without lines and shipping, the refund is an amount. */
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  /** The part of the total that refunds shipping, with tax. */
  readonly shipping: string;
  /** ISO 8601 instant. It decides the filing period of the credit. */
  readonly at: string;
};

export type Order = Cart & {
  /** Unique among the sales of the Levy account: the order's number that customers see. */
  readonly reference: string;
  /** ISO 8601 instant. Rates of this day apply. */
  readonly placedAt: string;
  /**
   * ISO 8601 instant of the last change of the order in the shop, payments and refunds included. Levy keeps it, and
   * `recordOrder` ignores older snapshots of the order.
   */
  readonly changedAt?: string;
  /** The state that the order should have in Levy now: `draft` until it is paid, `void` if it was cancelled before. */
  readonly wanted: 'draft' | 'finalized' | 'void';
  /** The tax that the shop collects. */
  readonly tax: string;
  /** Lines, shipping and tax. */
  readonly total: string;
  /** What the customer has paid. It exceeds `total` after an edit that lowers the order: its refund needs no credit. */
  readonly paid?: string;
  /** Whether the tax is the shop's own fallback, not Levy's. */
  readonly isEstimated: boolean;
  /** Settled refunds, oldest first. Their order must not change, because each credit builds on those before. */
  readonly refunds: readonly Refund[];
};
