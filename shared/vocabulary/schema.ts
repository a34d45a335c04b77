/** The answers of GET /product-attributes and GET /product-tax-codes for the OpenAPI document. */
import * as z from 'zod/mini';
import { systemNames } from './crosswalk.ts';

const described = <Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema => {
  z.globalRegistry.add(schema, { description });
  return schema;
};

/** Specification 2.2. */
export const ProductAttributeGroupItem = z.strictObject({
  key: described(z.string(), 'Identifies the group: attributes with the same key are in the same group.'),
  name: described(z.string(), 'Display name of the group.'),
  mutually_exclusive: described(
    z.boolean(),
    'When true, a product may carry at most one attribute of the group. When false, any combination may be applied.',
  ),
});
z.globalRegistry.add(ProductAttributeGroupItem, {
  id: 'ProductAttributeGroupItem',
  description: 'A group of product attributes. Every attribute belongs to exactly one.',
});

/** Specification 2.1. */
export const ProductAttributeItem = z.strictObject({
  code: described(z.string(), 'Attribute code, starting with an underscore. It is the paging cursor.'),
  name: described(z.string(), 'Display name.'),
  description: described(z.string(), 'Short human-readable summary.'),
  group: ProductAttributeGroupItem,
  ptcs: described(
    z.array(z.string()),
    'Product tax codes that the attribute applies to, as single labels: a label covers any path ending in it. An empty array means every product. An advisory include-hint: the authoritative set for a code comes from GET /product-attributes with `ptc`.',
  ),
});
z.globalRegistry.add(ProductAttributeItem, {
  id: 'ProductAttributeItem',
  description:
    'A fact about a product that can change how it is taxed. Append its code to a product tax code: CLOTHING.APPAREL._ATHLETIC.',
});

/** Specification 2.3. */
export const ProductAttributesListResponse = z.object({
  object: described(z._default(z.literal('list'), 'list'), 'Always `list`.'),
  url: described(z._default(z.literal('/product-attributes'), '/product-attributes'), 'The path of this list.'),
  has_more: described(z.boolean(), 'True while more attributes remain after this page.'),
  data: described(z.array(ProductAttributeItem), 'The page of attributes, sorted by code.'),
});
z.globalRegistry.add(ProductAttributesListResponse, {
  id: 'ProductAttributesListResponse',
  description: 'A page of product attributes.',
});

/** A code of another tax service that stands for the same goods, wholly or in part. */
export const ProductTaxCodeEquivalent = z.strictObject({
  system: described(z.enum(Object.keys(systemNames)), 'The service that the code belongs to.'),
  code: described(z.string(), 'Its code.'),
  match: described(
    z.enum(['exact', 'broader', 'narrower']),
    'How much their code covers, compared with this product tax code without attributes: the same, more or less.',
  ),
});
z.globalRegistry.add(ProductTaxCodeEquivalent, {
  id: 'ProductTaxCodeEquivalent',
  description: 'A code of another tax service for what the product tax code describes.',
});

export const ProductTaxCodeItem = z.strictObject({
  object: described(z.literal('product_tax_code'), 'Always `product_tax_code`.'),
  code: described(
    z.string(),
    'The product tax code: what `product_tax_code` of a line item says. It is the paging cursor.',
  ),
  name: described(z.string(), 'Display name.'),
  description: described(z.string(), 'What belongs to the code, and what does not.'),
  family: described(z.string(), 'The first component of the code.'),
  examples: described(z.array(z.string()), 'Products that belong to the code.'),
  equivalents: described(
    z.array(ProductTaxCodeEquivalent),
    'Codes of other tax services, by system and code. The list is not complete.',
  ),
});
z.globalRegistry.add(ProductTaxCodeItem, {
  id: 'ProductTaxCode',
  description:
    'A kind of product that states may tax in its own way. Append attributes to say more: CLOTHING.APPAREL._FUR.',
});

export const ProductTaxCodeList = z.strictObject({
  object: described(z.literal('list'), 'Always `list`.'),
  url: described(z.literal('/product-tax-codes'), 'The path of this list.'),
  has_more: described(z.boolean(), 'True while more codes remain after this page.'),
  data: described(z.array(ProductTaxCodeItem), 'The page of product tax codes, sorted by code.'),
});
z.globalRegistry.add(ProductTaxCodeList, { id: 'ProductTaxCodeList', description: 'A page of product tax codes.' });
