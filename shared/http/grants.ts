/** What each function may do to the tables: CDK grants it, and a test holds it against what is really asked. */
import { accountRegister, filingWorkPartition, keyUses, rateWindowKey } from '../store/keys.ts';
import type { IndexName, TableName } from '../store/table-definitions.ts';
import type { Operation, ScheduleName } from './routes.ts';

export type Action = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchGetItem' | 'Query';
/** The DynamoDB actions that a function performs, by table, and no others. */
export type Grants = Partial<Record<TableName, readonly Action[]>>;
/** The indexes of the ledger's table that a function queries. To query the table itself is an action like the others. */
export type Queried = readonly IndexName[];
/** The kinds of partitions that a function may reach in a table, as a policy's patterns. Where none are said, all. */
export type Partitions = Partial<Record<TableName, readonly string[]>>;
export type Allowed = { readonly grants: Grants; readonly indexes?: Queried; readonly partitions?: Partitions };

/**
 * The partitions of the accounts' table that a function may update, whatever its code does: counts of requests, and last
 * uses of keys. No function can make, change or bring back a key, nor change an account or its settings.
 */
export const updatablePartitions = [rateWindowKey('*', 0).pk, keyUses('*')] as const;

// The kinds of keys.ts, as patterns. What a function has no business with stays shut to it, whatever its code comes to do.
const [heads, claims, replays, open] = ['T#*', 'R#*', 'I#*', 'O#*'] as const;
const [filings, periods, work] = ['F#*', 'P#*', filingWorkPartition] as const;
const caller = ['KEY#*', 'ACCOUNT#*'] as const;
const sale = [heads, claims, replays, open] as const;
/** Partitions of the index of drafts, the only index whose partitions are of one kind. */
export const draftPartitions = 'D#*';
// Who goes on with an unfinished filing may have to do any of its steps, and the last one tells the transactions.
const steps = [heads, open, filings, periods, work] as const;

// The key and its account are read; the rate window is counted, and the use of the key recorded.
const called = { accounts: ['GetItem', 'UpdateItem'] } as const satisfies Grants;
// Which releases are active is read, and what of them a calculation lacks.
const content = { content: ['GetItem', 'BatchGetItem'] } as const satisfies Grants;

// Entries are moved from one partition into another, and transactions are told that they have been filed.
const filing = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'] as const;

/** What an operation with a caller may do, and which kinds of the ledger's partitions it reaches. */
const forCaller = (grants: Grants, ledger: readonly string[] = [], indexes: Queried = []): Allowed => ({
  grants: { ...called, ...grants },
  indexes,
  partitions: { accounts: caller, ...(ledger.length > 0 && { transactions: ledger }) },
});

/** Not in the route table, which every function carries. */
export const allowedTo: Readonly<Record<Operation | ScheduleName, Allowed>> = {
  'list-product-attributes': forCaller({}),
  'list-product-tax-codes': forCaller({}),
  'create-calculation': forCaller({ ...content, transactions: ['GetItem'] }, [heads]),
  'create-transaction': forCaller({ ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem'] }, sale),
  'list-transactions': forCaller(
    { transactions: ['GetItem', 'BatchGetItem'] },
    [heads],
    ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date'],
  ),
  'get-transaction': forCaller({ transactions: ['GetItem', 'Query'] }, [heads]),
  'get-transaction-history': forCaller({ transactions: ['Query'] }, [heads]),
  'update-transaction': forCaller(
    { ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'] },
    sale,
  ),
  'replay-transaction': forCaller({ content: ['BatchGetItem'], transactions: ['GetItem'] }, [heads]),
  'create-filing': forCaller({ transactions: filing }, [...steps, replays]),
  'list-filings': forCaller({ transactions: ['GetItem', 'BatchGetItem', 'Query'] }, [filings]),
  'get-filing': forCaller({ transactions: ['GetItem', 'BatchGetItem', 'Query'] }, [filings]),
  'update-filing': forCaller({ transactions: filing }, [...steps, replays]),
  'create-reconciliation': forCaller(
    { transactions: ['BatchGetItem'] },
    [heads, claims],
    ['by_reference', 'by_tax_date'],
  ),
  'get-coverage': forCaller(content),
  'get-rates': forCaller(content),
  'get-openapi': { grants: {} },
  'get-docs': { grants: {} },
  'sweep-drafts': {
    grants: { transactions: ['GetItem', 'PutItem'] },
    indexes: ['drafts'],
    partitions: { transactions: [heads] },
  },
  // It looks for accounts, and never for a key.
  'close-periods': {
    grants: { accounts: ['GetItem', 'Query'], transactions: filing },
    partitions: { accounts: ['ACCOUNT#*', accountRegister], transactions: steps },
  },
};
