import { endpoint } from '../shared/http/endpoint.ts';

/** GET /product-attributes: the vocabulary's attributes, all of them or those of one product tax code. */
export const handler = endpoint(
  'list-product-attributes',
  () => import('../shared/operations/list-product-attributes.ts'),
);
