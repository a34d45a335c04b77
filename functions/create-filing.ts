import { endpoint } from '../shared/http/endpoint.ts';

/** POST /filings: close a state's period, or say what that would come to. */
export const handler = endpoint('create-filing', () => import('../shared/operations/create-filing.ts'));
