/** What CDK, the OpenAPI document, `npm start` and the tests share. Plain data: nothing is imported but types. */
import type { IndexName, TableName } from '../store/table-definitions.ts';

export type Action = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchGetItem' | 'Query';
/** The DynamoDB actions that a function performs, by table, and no others. */
export type Grants = Partial<Record<TableName, readonly Action[]>>;
/** The indexes of the ledger's table that a function queries. To query the table itself is an action like the others. */
export type Queried = readonly IndexName[];
export type Scope = 'read' | 'write';

export type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** What a credential must allow; `null` is public and reads no account's data. */
  readonly scope: Scope | null;
  readonly grants: Grants;
  readonly indexes?: Queried;
};

// The key and its account are read; the rate window is counted.
const caller = { accounts: ['GetItem', 'UpdateItem'] } as const satisfies Grants;
// Which releases are active is read, and what of them a calculation lacks.
const content = { content: ['GetItem', 'BatchGetItem'] } as const satisfies Grants;

// Entries are moved from one partition into another, and transactions are told that they have been filed.
const filing = ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query'] as const;

/** Keyed by operation: also the name of the file in functions/, and of what it serves in shared/operations/. */
export const routes = {
  'list-product-attributes': { method: 'GET', path: '/product-attributes', scope: 'read', grants: caller },
  'create-calculation': {
    method: 'POST',
    path: '/calculations',
    scope: 'read',
    grants: { ...caller, ...content, transactions: ['GetItem'] },
  },
  'create-transaction': {
    method: 'POST',
    path: '/transactions',
    scope: 'write',
    grants: { ...caller, ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem'] },
  },
  'list-transactions': {
    method: 'GET',
    path: '/transactions',
    scope: 'read',
    grants: { ...caller, transactions: ['GetItem', 'BatchGetItem'] },
    indexes: ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date'],
  },
  'get-transaction': {
    method: 'GET',
    path: '/transactions/{id}',
    scope: 'read',
    grants: { ...caller, transactions: ['GetItem', 'Query'] },
  },
  'get-transaction-history': {
    method: 'GET',
    path: '/transactions/{id}/history',
    scope: 'read',
    grants: { ...caller, transactions: ['Query'] },
  },
  'update-transaction': {
    method: 'POST',
    path: '/transactions/{id}',
    scope: 'write',
    grants: { ...caller, ...content, transactions: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'] },
  },
  'replay-transaction': {
    method: 'POST',
    path: '/transactions/{id}/replay',
    scope: 'read',
    grants: { ...caller, content: ['BatchGetItem'], transactions: ['GetItem'] },
  },
  'create-filing': {
    method: 'POST',
    path: '/filings',
    scope: 'write',
    grants: { ...caller, transactions: filing },
  },
  'list-filings': {
    method: 'GET',
    path: '/filings',
    scope: 'read',
    grants: { ...caller, transactions: ['GetItem', 'BatchGetItem', 'Query'] },
  },
  'get-filing': {
    method: 'GET',
    path: '/filings/{id}',
    scope: 'read',
    grants: { ...caller, transactions: ['GetItem', 'BatchGetItem', 'Query'] },
  },
  'update-filing': {
    method: 'POST',
    path: '/filings/{id}',
    scope: 'write',
    grants: { ...caller, transactions: filing },
  },
  'create-reconciliation': {
    method: 'POST',
    path: '/reconciliations',
    scope: 'read',
    grants: { ...caller, transactions: ['BatchGetItem'] },
    indexes: ['by_reference', 'by_tax_date'],
  },
  'get-coverage': { method: 'GET', path: '/coverage', scope: 'read', grants: { ...caller, ...content } },
  'get-openapi': { method: 'GET', path: '/openapi.json', scope: null, grants: {} },
} as const satisfies Record<string, Route>;

export type Operation = keyof typeof routes;

export type ScheduleDefinition = {
  readonly minutes: number;
  readonly timeoutSeconds: number;
  readonly grants: Grants;
  readonly indexes?: Queried;
};

/** Work that starts by itself, keyed by the name of the file in functions/. */
export const schedules = {
  'sweep-drafts': {
    minutes: 5,
    timeoutSeconds: 240,
    grants: { transactions: ['GetItem', 'PutItem'] },
    indexes: ['drafts'],
  },
  'close-periods': {
    minutes: 5,
    timeoutSeconds: 240,
    grants: { accounts: ['GetItem', 'Query'], transactions: filing },
  },
} as const satisfies Record<string, ScheduleDefinition>;

export type ScheduleName = keyof typeof schedules;

/** The methods that a path answers to, for `Allow`. */
export const allowed = (path: string): string =>
  Object.values(routes)
    .filter((route) => route.path === path)
    .map((route) => route.method)
    .sort()
    .join(', ');
