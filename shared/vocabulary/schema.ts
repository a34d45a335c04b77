/** The responses of GET /product-attributes and GET /product-tax-codes. */
import * as z from 'zod/mini';
import {
  array,
  boolean,
  component,
  described,
  nullable,
  nullableString,
  string,
  stringEnum,
} from '../base/described.ts';
import { hasMore, objectType } from '../base/response-scalars.ts';
import { systemNames } from './crosswalk.ts';
import { confidence, treatment } from './treatment.ts';

const ProductAttributeGroupItem = component(
  'ProductAttributeGroupItem',
  'The group of a product attribute. Every attribute belongs to exactly one group.',
  {
    key: string('Identifies the group. Attributes with the same key belong to the same group.'),
    name: string('Display name of the group.'),
    mutually_exclusive: boolean(
      'If true, a product may carry at most one attribute of the group. If false, it may carry any combination.',
    ),
  },
);

export const ProductAttributeItem = component(
  'ProductAttributeItem',
  'A fact about a product that can change how it is taxed. Append its code to a product tax code: `CLOTHING.APPAREL._ATHLETIC`.',
  {
    code: string('Attribute code, starting with an underscore. It is the paging cursor.'),
    name: string('Display name.'),
    description: string('Short human-readable summary.'),
    group: ProductAttributeGroupItem,
    ptcs: array(
      z.string(),
      'Product tax codes that the attribute applies to, as single labels: a label covers any path ending in it. An empty array means every product. This is only a hint: `GET /product-attributes` with `ptc` returns the authoritative set for a code.',
    ),
  },
);

export const ProductAttributesListResponse = component(
  'ProductAttributesListResponse',
  'A page of product attributes.',
  {
    object: described(z._default(z.literal('list'), 'list'), 'The object type, always `list`.'),
    url: described(z._default(z.literal('/product-attributes'), '/product-attributes'), 'The path of this list.'),
    has_more: hasMore,
    data: array(ProductAttributeItem, 'The page of attributes, sorted by code.'),
  },
);

/** How a product reaches the buyer: shipped, delivered over a network, performed as a service, or none of these. */
const fulfillments = ['shipped', 'electronic', 'performed', 'none'] as const;
export type Fulfillment = (typeof fulfillments)[number];

const ProductTaxCodeEquivalent = component(
  'ProductTaxCodeEquivalent',
  'A code of another tax service for the same kind of product.',
  {
    system: stringEnum('TaxService', Object.keys(systemNames), 'The service that the code belongs to.'),
    code: string('The code in that service.'),
    match: stringEnum(
      'CodeMatch',
      ['exact', 'broader', 'narrower'],
      'How much the code covers compared with this product tax code without attributes: the same, more or less.',
    ),
    product_tax_code: string(
      'The product tax code to send for this code, with its attributes: `SOFTWARE.SAAS._BUSINESS_USE`.',
    ),
  },
);

const treatmentText = 'The treatment in one sentence.';
const ruleId = z.nullable(z.string());

const DecidingProductAttribute = component(
  'DecidingProductAttribute',
  'An attribute that changes how a state taxes a product.',
  {
    code: string('The attribute code. Append it to the product tax code.'),
    name: string('Display name.'),
    treatment: described(treatment, 'The treatment of the product with the attribute, in one word.', {
      title: 'Treatment',
    }),
    text: string(treatmentText),
    rule_id: described(ruleId, 'The content rule that then applies. `null` if no rule is established.'),
  },
);

const ProductTaxability = component(
  'ProductTaxability',
  'How a state taxes a product today: the tax of the state only, without sales-tax holidays. Counties and cities may differ; `POST /calculations` includes them.',
  {
    state: string('The two-letter code of the state.'),
    treatment: described(
      treatment,
      'The treatment in one word, as in `GET /coverage`. `by_use` means that it depends on the use of the buyer. Products without an established rule are `taxable`, with a warning in calculations.',
      { title: 'Treatment' },
    ),
    text: string(treatmentText),
    rule_id: described(ruleId, 'The content rule that applies. `null` if no rule is established.'),
    confidence: nullable(confidence, 'How reliable the source of the rule is. `null` without a rule.'),
    source: nullableString('The law or publication that the rule relies on. `null` without a rule.'),
    attributes: array(
      DecidingProductAttribute,
      "The attributes with which the state treats the product differently, or depends on the buyer's use of it. Each attribute is evaluated separately.",
    ),
  },
);
export type ProductTaxability = z.infer<typeof ProductTaxability>;

export const ProductTaxCodeItem = component(
  'ProductTaxCode',
  'A kind of product that states may tax differently. Append attributes to be more specific: `CLOTHING.APPAREL._FUR`.',
  {
    object: objectType('product_tax_code'),
    code: string('The value for `product_tax_code` of a line item. It is the paging cursor.'),
    name: string('Display name.'),
    description: string('What the code includes and excludes.'),
    family: string('The first component of the code.'),
    examples: array(z.string(), 'Examples of products.'),
    synonyms: array(z.string(), 'Synonyms of the products. `q` also searches them.'),
    fulfillment: stringEnum(
      'Fulfillment',
      fulfillments,
      'How the product usually reaches the buyer. A shipping charge belongs to products that are `shipped`; `fulfillment` of a line item overrides it.',
    ),
    equivalents: array(
      ProductTaxCodeEquivalent,
      'Codes of other tax services, by system and code. The list is not complete.',
    ),
    taxability: nullable(ProductTaxability, 'How `state` taxes the product. `null` without `state`.'),
  },
);

export const ProductTaxCodeList = component('ProductTaxCodeList', 'A page of product tax codes.', {
  object: objectType('list'),
  url: described(z.literal('/product-tax-codes'), 'The path of this list.'),
  has_more: hasMore,
  data: array(ProductTaxCodeItem, 'The page of product tax codes, sorted by code; with `q` the best matches first.'),
});
