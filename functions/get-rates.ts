import { endpoint } from '../shared/http/endpoint.ts';

/** GET /rates: the rates that tax a sale to an address, without an order. */
export const handler = endpoint('get-rates', () => import('../shared/operations/get-rates.ts'));
