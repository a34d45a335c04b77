import { endpoint } from '../shared/http/endpoint.ts';

/** GET /product-tax-codes: what a line item can be, with descriptions and the codes of other tax services. */
export const handler = endpoint(
  'list-product-tax-codes',
  () => import('../shared/operations/list-product-tax-codes.ts'),
);
