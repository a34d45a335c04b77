/** The tables as plain data, so that CDK, both emulators and the tests build the same ones. Nothing is imported. */
export type Key = { readonly name: string; readonly type: 'S' };
export type Index = {
  readonly name: string;
  readonly partition: Key;
  readonly sort: Key;
  /** What the index carries beside its keys. */
  readonly include: readonly string[];
};
export type TableDefinition = {
  readonly partition: Key;
  readonly sort: Key;
  readonly ttl?: string;
  readonly indexes?: readonly Index[];
  /** Losing this table would lose tax liabilities, credentials or what liabilities rest on: retained, recoverable, protected. */
  readonly keep: boolean;
};

const text = (name: string): Key => ({ name, type: 'S' });
const keys = { partition: text('pk'), sort: text('sk') };

// A list row is answered from the index alone: the summary is everything of the head but its lines and their explanation. What else is
// carried is paid for in every index; without more, a sale taxed by four jurisdictions stays within one unit of 1 KB.
const row = ['status', 'version', 'summary'];

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
      // Sparse: only drafts carry draft_shard, so the sweep never meets anything else.
      { name: 'drafts', partition: text('draft_shard'), sort: text('expires_at'), include: [] },
    ],
  },
  content: { ...keys, keep: true },
  accounts: { ...keys, ttl: 'ttl', keep: true },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;
/** Only the ledger's table has indexes. */
export type IndexName = (typeof tables.transactions.indexes)[number]['name'];
