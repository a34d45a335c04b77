import { endpoint } from '../shared/http/endpoint.ts';

/** POST /reconciliations: compare a list of the billing system with the ledger. Stores nothing. */
export const handler = endpoint('create-reconciliation', () => import('../shared/operations/create-reconciliation.ts'));
