/** The functions' permissions on the tables: types, and parts that several definitions share. */
import { accountRegister, filingWorkPartition, keyUses, rateWindowKey } from './keys.ts';
import type { IndexName, TableName } from './table-definitions.ts';

export type Action =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchGetItem'
  | 'Query'
  /** Only within a transaction. */
  | 'ConditionCheckItem';

/** The permissions of one function. The CDK app grants exactly these, and a test compares them with the calls made. */
export type TableAccess = {
  /** The DynamoDB actions by table. `Query` means the table itself, not an index. */
  readonly actions: Partial<Record<TableName, readonly Action[]>>;
  /** The indexes of the transactions table that the function queries. */
  readonly indexes?: readonly IndexName[];
  /** The partitions that the function may reach in a table, as patterns of an IAM policy. A table left out is open. */
  readonly partitions?: Partial<Record<TableName, readonly string[]>>;
  /** Partitions of the transactions table that the function may only read, with BatchGetItem. */
  readonly readOnly?: readonly string[];
};

/** Partitions of the transactions table by their content; the keys are in store/keys.ts. */
export const partitions = {
  transactions: 'T#*',
  references: 'R#*',
  idempotencyKeys: 'I#*',
  openEntries: 'O#*',
  filings: 'F#*',
  periods: 'P#*',
  filingWork: filingWorkPartition,
  due: 'DUE#*',
  customers: 'C#*',
  reports: 'S#*',
} as const;

/** Partitions of the `drafts` index, the only index whose partitions are all of one kind. */
export const draftPartitions = 'D#*';

/**
 * The partitions of the accounts table that a function may update: request counters, and the last uses of keys. So no
 * function can create, change or restore a key, or change an account.
 */
export const updatablePartitions = [rateWindowKey('*', 0).pk, keyUses('*')] as const;

/** Reads the active releases, and the parts of them that a calculation needs. */
export const contentReads = { content: ['GetItem', 'BatchGetItem'] } as const satisfies TableAccess['actions'];

/** Access to these partitions of the ledger's table. */
export const ledgerAccess = (actions: readonly Action[], ...reached: readonly string[]): TableAccess => ({
  actions: { transactions: actions },
  partitions: { transactions: reached },
});

/** Moves entries between partitions, and marks the transactions of a filing as filed. */
export const filingActions = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'] as const;

/** Any function that continues an unfinished filing may do any of its steps. */
export const filingPartitions = [
  partitions.transactions,
  partitions.openEntries,
  partitions.filings,
  partitions.periods,
  partitions.filingWork,
] as const;

/** Partitions that a new or changed transaction is written to. */
export const transactionPartitions = [
  partitions.transactions,
  partitions.references,
  partitions.idempotencyKeys,
  partitions.openEntries,
] as const;

/** The customers that a calculation names: no function that records transactions can change a certificate. */
export const customersRead = { readOnly: [partitions.customers] } as const satisfies Partial<TableAccess>;

/** The accounts that a schedule works for: never their keys. */
export const accountPartitions = ['ACCOUNT#*', accountRegister] as const;
export const [accountPartition] = accountPartitions;

/**
 * The access of an endpoint that needs a credential: it reads the key and the account, counts the request and records
 * the use of the key.
 */
export const withCaller = ({ actions, partitions: own = {}, ...others }: TableAccess): TableAccess => ({
  ...others,
  actions: { accounts: ['GetItem', 'UpdateItem'], ...actions },
  partitions: { accounts: ['KEY#*', 'ACCOUNT#*'], ...own },
});

/**
 * The permissions on the tables that the operator commands need: `npm run accounts`, `content`, `ledger` and `filings`.
 * A test compares it with the calls that they make.
 */
export const operatorAccess = {
  actions: {
    accounts: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    content: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    transactions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  },
  indexes: ['by_account', 'by_parent', 'by_reference'],
} as const satisfies TableAccess;
