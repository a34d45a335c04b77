/** The functions' permissions on the tables: types, and parts shared by several definitions. */
import { accountRegister, keyUses, rateWindowKey, sessionKey } from './keys.ts';
import type { IndexName, TableName } from './table-definitions.ts';

export type Action =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchGetItem'
  | 'Query'
  /** A check within a transaction. */
  | 'ConditionCheckItem';

/** The permissions of one function. The CDK app grants exactly these, and a test compares them with the calls made. */
export type TableAccess = {
  /** The DynamoDB actions by table. `Query` means the table itself, not an index. */
  readonly actions: Partial<Record<TableName, readonly Action[]>>;
  /** The indexes of the Transactions table that the function queries. */
  readonly indexes?: readonly IndexName[];
  /**
   * The partitions that the function can access in a table, as IAM policy patterns. A table without an entry is
   * unrestricted.
   */
  readonly partitions?: Partial<Record<TableName, readonly string[]>>;
  /** Partitions of the Transactions table that the function can only read, each with one action. */
  readonly readOnly?: readonly (readonly [action: 'BatchGetItem' | 'Query', partition: string])[];
  /** Partitions of the Accounts table that the function can write, in addition to `accountWrites`. */
  readonly accountWrites?: Partial<Record<Action, readonly string[]>>;
};

/** Partitions of the Transactions table by content. The keys are in store/keys.ts. */
export const partitions = {
  transactions: 'T#*',
  references: 'R#*',
  idempotencyKeys: 'I#*',
  openEntries: 'O#*',
  filings: 'F#*',
  periods: 'P#*',
  due: 'DUE#*',
  customers: 'C#*',
  reports: 'S#*',
} as const;

/** Partitions of the `drafts` index, the only index whose partitions are all of one kind. */
export const draftPartitions = 'D#*';

/**
 * The partitions of the Accounts table that a function can write, by action: request counters, the last uses of keys,
 * and console sessions. No function can therefore create, change or restore a key. Only POST /account can change an
 * account.
 */
const accountWrites: Partial<Record<Action, readonly string[]>> = {
  UpdateItem: [rateWindowKey('*', 0).pk, keyUses('*')],
  PutItem: [sessionKey('*').pk],
  DeleteItem: [sessionKey('*').pk],
};

/** Returns the partitions of the Accounts table that a function can write, by action. */
export const writablePartitions = (access: Pick<TableAccess, 'accountWrites'>): typeof accountWrites =>
  Object.fromEntries(
    Object.entries(accountWrites).map(([action, patterns]) => [
      action,
      [...patterns, ...(access.accountWrites?.[action as Action] ?? [])],
    ]),
  );

/** Returns the access of a function that performs the work of several: everything that one of them can access. */
export const combineAccess = (all: readonly TableAccess[]): TableAccess => {
  const tables = [...new Set(all.flatMap(({ actions }) => Object.keys(actions) as TableName[]))];
  const union = <Value>(lists: readonly (readonly Value[])[]): Value[] => [...new Set(lists.flat())];
  const actions = tables.map((table) => [table, union(all.map((one) => one.actions[table] ?? []))]);
  const partitions = tables.flatMap((table) => {
    const own = all.filter((one) => one.actions[table]).map((one) => one.partitions?.[table]);
    // A table without an entry is unrestricted.
    return own.includes(undefined) ? [] : [[table, union(own as readonly (readonly string[])[])]];
  });
  return {
    actions: Object.fromEntries(actions),
    partitions: Object.fromEntries(partitions),
    indexes: union(all.map(({ indexes = [] }) => indexes)),
    readOnly: union(all.map(({ readOnly = [] }) => readOnly)),
  };
};

/** Reads the active releases, and the parts of them that a calculation needs. */
export const contentReads = { content: ['GetItem', 'BatchGetItem'] } as const satisfies TableAccess['actions'];

/** Returns access to these partitions of the Transactions table. */
export const ledgerAccess = (actions: readonly Action[], ...reached: readonly string[]): TableAccess => ({
  actions: { transactions: actions },
  partitions: { transactions: reached },
});

/** Moves entries between partitions, and marks the transactions of a filing as filed. */
export const filingActions = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'] as const;

/** Any function that continues an unfinished filing can perform any of its steps. */
export const filingPartitions = [
  partitions.transactions,
  partitions.openEntries,
  partitions.filings,
  partitions.periods,
  partitions.due,
] as const;

/** Partitions written for a new or changed transaction. */
export const transactionPartitions = [
  partitions.transactions,
  partitions.references,
  partitions.idempotencyKeys,
  partitions.openEntries,
] as const;

/** Reads the customers of a calculation. Functions that record transactions cannot change a certificate. */
export const customersRead = {
  readOnly: [['BatchGetItem', partitions.customers]],
} as const satisfies Partial<TableAccess>;

/** Reads the accounts that a schedule processes, but never their keys. */
export const accountPartitions = ['ACCOUNT#*', accountRegister] as const;
export const [accountPartition] = accountPartitions;

/** The partitions of the Accounts table that every request with a credential reads. */
export const callerPartitions = ['KEY#*', 'ACCOUNT#*'];

/**
 * The access of an endpoint that requires a credential: reads the key and the account, counts the request and records
 * the use of the key.
 */
export const withCaller = ({ actions, partitions: own = {}, ...others }: TableAccess): TableAccess => ({
  ...others,
  actions: { accounts: ['GetItem', 'UpdateItem'], ...actions },
  partitions: { accounts: callerPartitions, ...own },
});

/**
 * The table permissions that the operator commands need: `npm run accounts`, `content`, `ledger` and `filings`. A test
 * compares them with the calls made.
 */
export const operatorAccess = {
  actions: {
    accounts: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    content: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    transactions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  },
  indexes: ['by_account', 'by_parent', 'by_reference'],
} as const satisfies TableAccess;
