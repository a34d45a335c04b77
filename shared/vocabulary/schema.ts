/** The answers of GET /product-attributes for the OpenAPI document. The handler sends the vocabulary as it is. */
import * as z from 'zod/mini';

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
