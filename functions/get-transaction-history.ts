import { endpoint } from '../shared/http/endpoint.ts';

/** GET /transactions/{id}/history: every change of a transaction, newest first. */
export const handler = endpoint(
  'get-transaction-history',
  () => import('../shared/operations/get-transaction-history.ts'),
);
