import { endpoint } from '../shared/http/endpoint.ts';

/** POST /calculations: the tax of a document, stored nowhere. */
export const handler = endpoint('create-calculation', () => import('../shared/operations/create-calculation.ts'));
