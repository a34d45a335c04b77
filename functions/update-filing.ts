import { endpoint } from '../shared/http/endpoint.ts';

/** POST /filings/{id}: a period's return was sent, or the period is opened again. */
export const handler = endpoint('update-filing', () => import('../shared/operations/update-filing.ts'));
