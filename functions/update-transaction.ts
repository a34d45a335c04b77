import { endpoint } from '../shared/http/endpoint.ts';

/** POST /transactions/{id}: edit, finalize or void a transaction. */
export const handler = endpoint('update-transaction', () => import('../shared/operations/update-transaction.ts'));
