/** The tables as plain data, from which CDK, both emulators and the tests create them. This module imports nothing. */
export type Index = {
  readonly name: string;
  /** The names of the key attributes, which are always strings. */
  readonly partition: string;
  readonly sort: string;
  /** Attributes that the index projects in addition to its keys. */
  readonly include: readonly string[];
};
export type TableDefinition = {
  readonly partition: string;
  readonly sort: string;
  readonly ttl?: string;
  readonly indexes?: readonly Index[];
  /** Whether the table is retained, recoverable and protected from deletion. */
  readonly keep: boolean;
};

const keys = { partition: 'pk', sort: 'sk' };

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
      { name: 'by_account', partition: 'account', sort: 'id', include: row },
      { name: 'by_customer', partition: 'account_customer', sort: 'id', include: row },
      { name: 'by_parent', partition: 'account_parent', sort: 'id', include: row },
      { name: 'by_reference', partition: 'account_reference', sort: 'id', include: row },
      { name: 'by_tax_date', partition: 'account', sort: 'tax_date_id', include: row },
      // Sparse: only credits have account_credit, so a list of credits reads no sales.
      { name: 'credits', partition: 'account_credit', sort: 'id', include: row },
      // Sparse: only drafts have draft_shard, so the sweep reads only drafts.
      { name: 'drafts', partition: 'draft_shard', sort: 'expires_at', include: [] },
    ],
  },
  content: { ...keys, keep: true },
  accounts: { ...keys, ttl: 'ttl', keep: true },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;
/** Only the Transactions table has indexes. */
export type IndexName = (typeof tables.transactions.indexes)[number]['name'];
