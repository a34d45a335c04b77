/** The responses of GET /product-attributes and GET /product-tax-codes. */
import * as z from 'zod/mini';
import { hasMore, objectType } from '../calculations/answer-scalars.ts';
import { described } from '../described.ts';
import { systemNames } from './crosswalk.ts';

const ProductAttributeGroupItem = described(
  z.strictObject({
    key: described(z.string(), 'Identifies the group. Attributes with the same key belong to the same group.'),
    name: described(z.string(), 'Display name of the group.'),
    mutually_exclusive: described(
      z.boolean(),
      'If true, a product may carry at most one attribute of the group. If false, it may carry any combination.',
    ),
  }),
  'The group of a product attribute. Every attribute belongs to exactly one group.',
  { id: 'ProductAttributeGroupItem' },
);

export const ProductAttributeItem = described(
  z.strictObject({
    code: described(z.string(), 'Attribute code, starting with an underscore. It is the paging cursor.'),
    name: described(z.string(), 'Display name.'),
    description: described(z.string(), 'Short human-readable summary.'),
    group: ProductAttributeGroupItem,
    ptcs: described(
      z.array(z.string()),
      'Product tax codes that the attribute applies to, as single labels: a label covers any path ending in it. An empty array means every product. This is only a hint: `GET /product-attributes` with `ptc` returns the authoritative set for a code.',
    ),
  }),
  'A fact about a product that can change how it is taxed. Append its code to a product tax code: `CLOTHING.APPAREL._ATHLETIC`.',
  { id: 'ProductAttributeItem' },
);

export const ProductAttributesListResponse = described(
  z.object({
    object: described(z._default(z.literal('list'), 'list'), 'The object type, always `list`.'),
    url: described(z._default(z.literal('/product-attributes'), '/product-attributes'), 'The path of this list.'),
    has_more: hasMore,
    data: described(z.array(ProductAttributeItem), 'The page of attributes, sorted by code.'),
  }),
  'A page of product attributes.',
  { id: 'ProductAttributesListResponse' },
);

/** How a product reaches the buyer: sent by a carrier, over a network, as work that is done, or in none of these ways. */
const fulfillments = ['shipped', 'electronic', 'performed', 'none'] as const;
export type Fulfillment = (typeof fulfillments)[number];

const ProductTaxCodeEquivalent = described(
  z.strictObject({
    system: described(z.enum(Object.keys(systemNames)), 'The service that the code belongs to.', {
      title: 'TaxService',
    }),
    code: described(z.string(), 'The code in that service.'),
    match: described(
      z.enum(['exact', 'broader', 'narrower']),
      'How much the code covers compared with this product tax code without attributes: the same, more or less.',
      { title: 'CodeMatch' },
    ),
  }),
  'A code of another tax service for the same kind of product.',
  { id: 'ProductTaxCodeEquivalent' },
);

export const ProductTaxCodeItem = described(
  z.strictObject({
    object: objectType('product_tax_code'),
    code: described(z.string(), 'The value for `product_tax_code` of a line item. It is the paging cursor.'),
    name: described(z.string(), 'Display name.'),
    description: described(z.string(), 'What the code includes and excludes.'),
    family: described(z.string(), 'The first component of the code.'),
    examples: described(z.array(z.string()), 'Examples of products.'),
    fulfillment: described(
      z.enum(fulfillments),
      'How the product usually reaches the buyer. A shipping charge belongs to products that are `shipped`; `fulfillment` of a line item overrides it.',
      { title: 'Fulfillment' },
    ),
    equivalents: described(
      z.array(ProductTaxCodeEquivalent),
      'Codes of other tax services, by system and code. The list is not complete.',
    ),
  }),
  'A kind of product that states may tax differently. Append attributes to be more specific: `CLOTHING.APPAREL._FUR`.',
  { id: 'ProductTaxCode' },
);

export const ProductTaxCodeList = described(
  z.strictObject({
    object: objectType('list'),
    url: described(z.literal('/product-tax-codes'), 'The path of this list.'),
    has_more: hasMore,
    data: described(z.array(ProductTaxCodeItem), 'The page of product tax codes, sorted by code.'),
  }),
  'A page of product tax codes.',
  { id: 'ProductTaxCodeList' },
);
