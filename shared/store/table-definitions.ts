/** The tables as plain data, from which CDK, both emulators and the tests create them. This module imports nothing. */
export type Key = { readonly name: string; readonly type: 'S' };
export type Index = {
  readonly name: string;
  readonly partition: Key;
  readonly sort: Key;
  /** Attributes that the index projects in addition to its keys. */
  readonly include: readonly string[];
};
export type TableDefinition = {
  readonly partition: Key;
  readonly sort: Key;
  readonly ttl?: string;
  readonly indexes?: readonly Index[];
  /** Whether the table is retained, recoverable and protected from deletion. */
  readonly keep: boolean;
};

const text = (name: string): Key => ({ name, type: 'S' });
const keys = { partition: text('pk'), sort: text('sk') };

// A list reads its rows from the index alone. The summary is the head without its lines and their explanation. The
// database filters on `status`, `type` and `states`. Each projected attribute costs write units (1 KB) in every index
// (infra/docs/scaling.md).
const row = ['status', 'type', 'states', 'version', 'summary'];

export const tables = {
  transactions: {
    ...keys,
    ttl: 'ttl',
    keep: true,
    indexes: [
      { name: 'by_account', partition: text('account'), sort: text('id'), include: row },
      { name: 'by_customer', partition: text('account_customer'), sort: text('id'), include: row },
      { name: 'by_parent', partition: text('account_parent'), sort: text('id'), include: row },
      { name: 'by_reference', partition: text('account_reference'), sort: text('id'), include: row },
      { name: 'by_tax_date', partition: text('account'), sort: text('tax_date_id'), include: row },
      // Sparse: only credits have account_credit, so a list of credits reads no sales.
      { name: 'credits', partition: text('account_credit'), sort: text('id'), include: row },
      // Sparse: only drafts have draft_shard, so the sweep reads only drafts.
      { name: 'drafts', partition: text('draft_shard'), sort: text('expires_at'), include: [] },
    ],
  },
  content: { ...keys, keep: true },
  accounts: { ...keys, ttl: 'ttl', keep: true },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;
/** Only the Transactions table has indexes. */
export type IndexName = (typeof tables.transactions.indexes)[number]['name'];
