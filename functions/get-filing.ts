import { endpoint } from '../shared/http/endpoint.ts';

/** GET /filings/{id}: what is owed for a period, by jurisdiction or entry by entry, as JSON or CSV. */
export const handler = endpoint('get-filing', () => import('../shared/operations/get-filing.ts'));
