import type { Operation, routes } from './routes.ts';

/**
 * What each operation asks of a credential, word for word as in the route table, which the compiler compares: every
 * function carries this, and none of the paths and methods.
 */
export const scopes = {
  'list-product-attributes': 'read',
  'list-product-tax-codes': 'read',
  'create-calculation': 'read',
  'create-transaction': 'write',
  'list-transactions': 'read',
  'get-transaction': 'read',
  'get-transaction-history': 'read',
  'update-transaction': 'write',
  'replay-transaction': 'read',
  'create-filing': 'write',
  'list-filings': 'read',
  'get-filing': 'read',
  'update-filing': 'write',
  'create-reconciliation': 'read',
  'get-coverage': 'read',
  'get-rates': 'read',
  'get-openapi': null,
  'get-docs': null,
} as const satisfies { readonly [Name in Operation]: (typeof routes)[Name]['scope'] };
