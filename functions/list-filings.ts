import { endpoint } from '../shared/http/endpoint.ts';

/** GET /filings: an account's filings, newest first. */
export const handler = endpoint('list-filings', () => import('../shared/operations/list-filings.ts'));
