import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { taggedReply } from '../shared/http/entity-tag.ts';
import { accept } from '../shared/result.ts';
import { selectItems } from '../shared/vocabulary/catalog.ts';
import { ProductTaxCodesQuery } from '../shared/vocabulary/query.ts';
import { pageOf } from '../shared/vocabulary/vocabulary.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-product-tax-codes',
  method: 'GET',
  path: '/product-tax-codes',
  scope: 'read',
  access: { actions: {} },
  tag: 'Product tax codes',
  summary: 'List product tax codes',
  description:
    'Returns the product tax codes, sorted by code, each with what it covers, examples, and the equivalent codes of Stripe, TaxJar and Avalara. Filters are ANDed. The default page size returns the whole list in one call.',
  query: ProductTaxCodesQuery,
  responses: [{ status: 200, description: 'A page of product tax codes.', schema: 'ProductTaxCodeList' }],
  notModified: 'The page matches `If-None-Match`.',
  errors: [],
  run: ({ query, version, exchange }) => {
    const page = pageOf('/product-tax-codes', selectItems(query), query.limit, query.starting_after);
    return accept(taggedReply(page, version, exchange));
  },
});
