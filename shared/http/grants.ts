/** What each function may do to the tables: CDK grants it, and a test holds it against what is really asked. */
import { keyUses, rateWindowKey } from '../store/keys.ts';
import type { IndexName, TableName } from '../store/table-definitions.ts';
import type { Operation, ScheduleName } from './routes.ts';

export type Action = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchGetItem' | 'Query';
/** The DynamoDB actions that a function performs, by table, and no others. */
export type Grants = Partial<Record<TableName, readonly Action[]>>;
/** The indexes of the ledger's table that a function queries. To query the table itself is an action like the others. */
export type Queried = readonly IndexName[];
export type Allowed = { readonly grants: Grants; readonly indexes?: Queried };

/**
 * The partitions of the accounts' table that a function may update, whatever its code does: counts of requests, and last
 * uses of keys. No function can make, change or bring back a key, nor change an account or its settings.
 */
export const updatablePartitions = [rateWindowKey('*', 0).pk, keyUses('*')] as const;

// The key and its account are read; the rate window is counted, and the use of the key recorded.
const caller = { accounts: ['GetItem', 'UpdateItem'] } as const satisfies Grants;
// Which releases are active is read, and what of them a calculation lacks.
const content = { content: ['GetItem', 'BatchGetItem'] } as const satisfies Grants;

// Entries are moved from one partition into another, and transactions are told that they have been filed.
const filing = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'] as const;

/** Not in the route table, which every function carries. */
export const allowedTo: Readonly<Record<Operation | ScheduleName, Allowed>> = {
  'list-product-attributes': { grants: caller },
  'create-calculation': { grants: { ...caller, ...content, transactions: ['GetItem'] } },
  'create-transaction': { grants: { ...caller, ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem'] } },
  'list-transactions': {
    grants: { ...caller, transactions: ['GetItem', 'BatchGetItem'] },
    indexes: ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date'],
  },
  'get-transaction': { grants: { ...caller, transactions: ['GetItem', 'Query'] } },
  'get-transaction-history': { grants: { ...caller, transactions: ['Query'] } },
  'update-transaction': {
    grants: { ...caller, ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'] },
  },
  'replay-transaction': { grants: { ...caller, content: ['BatchGetItem'], transactions: ['GetItem'] } },
  'create-filing': { grants: { ...caller, transactions: filing } },
  'list-filings': { grants: { ...caller, transactions: ['GetItem', 'BatchGetItem', 'Query'] } },
  'get-filing': { grants: { ...caller, transactions: ['GetItem', 'BatchGetItem', 'Query'] } },
  'update-filing': { grants: { ...caller, transactions: filing } },
  'create-reconciliation': {
    grants: { ...caller, transactions: ['BatchGetItem'] },
    indexes: ['by_reference', 'by_tax_date'],
  },
  'get-coverage': { grants: { ...caller, ...content } },
  'get-openapi': { grants: {} },
  'get-docs': { grants: {} },
  'sweep-drafts': { grants: { transactions: ['GetItem', 'PutItem'] }, indexes: ['drafts'] },
  'close-periods': { grants: { accounts: ['GetItem', 'Query'], transactions: filing } },
};
