import type { Request } from './service.ts';
import { below, chance, oneOf, oneOrNone, weighted } from './world.ts';

/** What the clients of an account have seen, of their own and of the other account. */
export type Known = {
  readonly own: readonly Seen[];
  readonly foreign: readonly Seen[];
  readonly filings: readonly string[];
  /** The exceptions of filings as last seen, by id. */
  readonly exceptions: ReadonlyMap<string, number>;
  readonly foreignSecret: string;
  readonly isVaried: boolean;
};

/** Draws a request from what its client has seen. */
export type Making = (known: Known, name: string) => Omit<Request, 'key'>;

/** Request bodies: sales and credits with uneven amounts and contended references. */

/** A transaction as a client last saw it. */
export type Seen = {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly type: string;
  readonly line_items: readonly { readonly id: string }[];
};

const michigan = { country: 'US', state: 'MI', city: 'Detroit', postal_code: '48226' };
const newJersey = { country: 'US', state: 'NJ', city: 'Newark', postal_code: '07102' };

// Uneven prices, and one of a few cents.
const prices = ['100.00', '19.99', '33.33', '0.07'] as const;
// Contended by all clients.
export const references = ['inv_1', 'inv_2'] as const;

const line = (id: string) => ({
  id,
  product_tax_code: 'GENERAL',
  quantity: String(1 + below(3)),
  unit_price: oneOf(prices),
  ...(chance(0.2) && { customer: { address: newJersey } }),
});

export const lines = () => [line('a'), ...(chance(0.4) ? [line('b')] : [])];

const referenceOf = (share: number) => (chance(share) ? { reference_id: oneOf(references) } : {});

export const sale = (status: 'draft' | 'finalized') => ({
  status,
  tax_date: weighted([
    [6, '2026-10-20'],
    [1, '2026-09-10'],
    [1, '2026-11-10'],
  ]),
  customer: { ...(chance(0.3) && { id: 'buyer' }), address: michigan },
  line_items: lines(),
  ...(chance(0.25) && { shipping: { amount: '5.00' } }),
  ...(chance(0.15) && { discount_amount: '0.05' }),
  ...(chance(0.1) && { tax_amount: '1.23' }),
  ...referenceOf(0.6),
});

const creditLine = (parent: Seen | undefined) => {
  const of = oneOrNone(parent?.line_items ?? [])?.id ?? 'a';
  const size = weighted([
    [5, { quantity: '1' }],
    [3, { quantity: '1', unit_price: '3.33' }],
    [1, { quantity: '3' }],
  ]);
  return chance(0.05)
    ? { id: 'x', product_tax_code: 'GENERAL', quantity: '1', unit_price: '1.00' }
    : { id: `of_${of}`, parent_line_item_id: of, ...size };
};

export const credit = (parent: Seen | undefined, status: 'draft' | 'finalized') => ({
  type: 'credit',
  status,
  parent_transaction_id: parent?.id ?? 'txn_0',
  ...weighted<object>([
    [3, {}],
    [3, { credit_remaining: true }],
    [6, { line_items: [creditLine(parent)] }],
    [1, { line_items: [creditLine(parent)], shipping: { amount: '2.00' } }],
  ]),
  ...(chance(0.08) && { tax_amount: '0.10' }),
  ...referenceOf(0.15),
});
