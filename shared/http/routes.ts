/** What CDK, the OpenAPI document, `npm start` and the tests share. Plain data: nothing is imported. */
export type Scope = 'read' | 'write';

export type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** What a credential must allow; `null` is public and reads no account's data. */
  readonly scope: Scope | null;
};

/** Keyed by operation: also the name of the file in functions/, and of what it serves in shared/operations/. */
export const routes = {
  'list-product-attributes': { method: 'GET', path: '/product-attributes', scope: 'read' },
  'list-product-tax-codes': { method: 'GET', path: '/product-tax-codes', scope: 'read' },
  'create-calculation': { method: 'POST', path: '/calculations', scope: 'read' },
  'create-transaction': { method: 'POST', path: '/transactions', scope: 'write' },
  'list-transactions': { method: 'GET', path: '/transactions', scope: 'read' },
  'get-transaction': { method: 'GET', path: '/transactions/{id}', scope: 'read' },
  'get-transaction-history': { method: 'GET', path: '/transactions/{id}/history', scope: 'read' },
  'update-transaction': { method: 'POST', path: '/transactions/{id}', scope: 'write' },
  'replay-transaction': { method: 'POST', path: '/transactions/{id}/replay', scope: 'read' },
  'create-filing': { method: 'POST', path: '/filings', scope: 'write' },
  'list-filings': { method: 'GET', path: '/filings', scope: 'read' },
  'get-filing': { method: 'GET', path: '/filings/{id}', scope: 'read' },
  'update-filing': { method: 'POST', path: '/filings/{id}', scope: 'write' },
  'create-reconciliation': { method: 'POST', path: '/reconciliations', scope: 'read' },
  'get-coverage': { method: 'GET', path: '/coverage', scope: 'read' },
  'get-rates': { method: 'GET', path: '/rates', scope: 'read' },
  'get-openapi': { method: 'GET', path: '/openapi.json', scope: null },
  'get-docs': { method: 'GET', path: '/docs', scope: null },
} as const satisfies Record<string, Route>;

export type Operation = keyof typeof routes;

export type ScheduleDefinition = { readonly minutes: number; readonly timeoutSeconds: number };

/** Work that starts by itself, keyed by the name of the file in functions/. */
export const schedules = {
  'sweep-drafts': { minutes: 5, timeoutSeconds: 240 },
  'close-periods': { minutes: 5, timeoutSeconds: 240 },
} as const satisfies Record<string, ScheduleDefinition>;

export type ScheduleName = keyof typeof schedules;

/** The methods that a path answers to, for `Allow`. */
export const allowed = (path: string): string =>
  Object.values(routes)
    .filter((route) => route.path === path)
    .map((route) => route.method)
    .sort()
    .join(', ');
