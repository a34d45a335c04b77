import { endpoint } from '../shared/http/endpoint.ts';

/** GET /transactions/{id}: one transaction as it stands now. */
export const handler = endpoint('get-transaction', () => import('../shared/operations/get-transaction.ts'));
