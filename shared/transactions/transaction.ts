import type * as z from 'zod/mini';
import type { PinnedSettings } from './pinned.ts';
import type * as response from './response.ts';

export const statuses = ['draft', 'finalized', 'filed', 'void'] as const;
export type Status = (typeof statuses)[number];

/** A transaction as the API returns it. Types only: no function builds the schemas of responses at run time. */
export type Transaction = z.infer<typeof response.Transaction>;

/** What corrects a transaction that can no longer be voided: a credit of a sale, a sale after a credit. */
export const oppositeOf = ({ type }: Pick<Transaction, 'type'>): Transaction['type'] =>
  type === 'credit' ? 'sale' : 'credit';

/** A transaction as the indexes know it: everything but what grows with its lines, whose keys keep their places. */
export type TransactionSummary = Omit<Transaction, 'line_items' | 'explanation'> & {
  readonly line_items: null;
  readonly explanation: null;
};

/** How much of what has been credited: net and tax, decimal strings of the currency. */
export type Credited = { readonly net: string; readonly tax: string };

/**
 * How much of a line, or of the shipping: every amount of it, and of its rows in their order.
 *
 * All of them are counted, because none follows from the others: taxes may be supplied, discounts sent, and credits
 * voided in any order, and still the credits of a line shall add up to every figure that was recorded.
 */
export type CreditedCharge = Credited & {
  readonly discount: string;
  readonly third_party_discount: string;
  readonly taxable: string;
  readonly exempt: string;
  readonly rows: readonly { readonly taxable: string; readonly exempt: string; readonly tax: string }[];
};

/** How a sale stood when a credit was computed from it: its recorded tax, and what live credits had taken, as a text. */
export type SaleState = { readonly tax_amount: string; readonly credited: string };

/** The sale as the credit's figures found it, and as its tax did where that was replaced later. */
export type CreditBasis = { readonly figures: SaleState; readonly tax: SaleState | null };

/** A transaction with what is kept beside its answer. */
export type StoredTransaction = {
  readonly transaction: Transaction;
  /** What live credits took of each line, of the shipping, and by lines that match none. */
  readonly credited: {
    readonly lines: Readonly<Record<string, CreditedCharge>>;
    readonly shipping: CreditedCharge;
    readonly unmatched: Credited;
  };
  /** How a credit was asked for, so that it can be computed again when it is finalized. */
  readonly creditOf: 'all' | 'remaining' | 'lines' | null;
  /** What a credit of a sale was computed from; absent on everything else. */
  readonly creditBasis?: CreditBasis | undefined;
  /** The account settings that the figures rest on (interface decisions 3). */
  readonly pinned: PinnedSettings;
  /** The hash of the newest audit entry; each entry holds the one before. */
  readonly auditHash: string;
};

/** Decimal zero of a currency, as answers write it. */
export const nothingCredited = (zero: string): StoredTransaction['credited'] => ({
  lines: {},
  shipping: {
    net: zero,
    tax: zero,
    discount: zero,
    third_party_discount: zero,
    taxable: zero,
    exempt: zero,
    rows: [],
  },
  unmatched: { net: zero, tax: zero },
});
