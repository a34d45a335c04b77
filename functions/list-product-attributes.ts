import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { taggedResponse } from '../shared/api/entity-tag.ts';
import { accept } from '../shared/base/result.ts';
import { attributesFor } from '../shared/vocabulary/product-tax-code.ts';
import { ProductAttributesQuery } from '../shared/vocabulary/query.ts';
import { ProductAttributesListResponse } from '../shared/vocabulary/schema.ts';
import { listPage, vocabulary } from '../shared/vocabulary/vocabulary.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-product-attributes',
  method: 'GET',
  path: '/product-attributes',
  scope: 'read',
  access: { actions: {} },
  query: ProductAttributesQuery,
  run: ({ query, version, context }) => {
    const attributes = query.ptc === undefined ? accept(vocabulary().productAttributes) : attributesFor(query.ptc);
    if (!attributes.ok) return attributes;
    const page = listPage('/product-attributes', attributes.value, query.limit, query.starting_after);
    return accept(taggedResponse(page, version, context));
  },
});

export const documentation = (): Documentation => ({
  summary: 'List product attributes',
  description:
    'Returns the facts about a product that can change how it is taxed, sorted by code. Append a code to a product tax code: `CLOTHING.APPAREL._ATHLETIC`. The default page size returns the whole list in one call.',
  response: {
    description: 'A page of product attributes.',
    schema: ProductAttributesListResponse,
    example: () => ({
      object: 'list',
      url: '/product-attributes',
      has_more: true,
      data: vocabulary().productAttributes.filter(({ code }) => code === '_ATHLETIC'),
    }),
  },
  notModified: 'The page matches `If-None-Match`.',
});
