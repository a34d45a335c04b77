import { endpoint } from '../shared/http/endpoint.ts';

/** GET /transactions: an account's transactions, newest first. */
export const handler = endpoint('list-transactions', () => import('../shared/operations/list-transactions.ts'));
