import { endpoint } from '../shared/http/endpoint.ts';

/** POST /transactions: record a sale or a credit and answer with its tax. */
export const handler = endpoint('create-transaction', () => import('../shared/operations/create-transaction.ts'));
