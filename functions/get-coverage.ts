import { endpoint } from '../shared/http/endpoint.ts';

/** GET /coverage: what the active releases know of each state today, and what they do not. */
export const handler = endpoint('get-coverage', () => import('../shared/operations/get-coverage.ts'));
