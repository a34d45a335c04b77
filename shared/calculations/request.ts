import * as z from 'zod/mini';
import {
  Customer,
  currency,
  decimalString,
  flag,
  identifier,
  instant,
  metadata,
  productTaxCode,
  quantity,
  ShipFrom,
  text,
} from './fields.ts';

/** How many line items a document may have. */
export const lineItemsMax = 1000;

// On create, null means absent. Fields of a kind share one schema, because building one takes 20 µs of every cold start.
const optional = {
  customer: z.nullish(Customer),
  decimal: z.nullish(decimalString),
  flag: z.nullish(flag),
  identifier: z.nullish(identifier),
  metadata: z.nullish(metadata),
  productTaxCode: z.nullish(productTaxCode),
  shipFrom: z.nullish(ShipFrom),
};

export const LineItemRequest = z.object(
  {
    id: optional.identifier,
    parent_line_item_id: optional.identifier,
    description: z.nullish(text(1000)),
    product_tax_code: optional.productTaxCode,
    quantity,
    /** Required, except on a line that credits a parent's line. */
    unit_price: optional.decimal,
    discount_amount: optional.decimal,
    third_party_discount_amount: optional.decimal,
    customer: optional.customer,
    ship_from: optional.shipFrom,
    metadata: optional.metadata,
  },
  'Send an object.',
);
export type LineItemRequest = z.infer<typeof LineItemRequest>;

export const ShippingRequest = z.object(
  { amount: decimalString, product_tax_code: optional.productTaxCode },
  'Send an object with an amount.',
);
export type ShippingRequest = z.infer<typeof ShippingRequest>;

export const lineItemsAdvice = `Send an array of 1 to ${lineItemsMax} line items.`;

/** The inputs of a calculation and of a transaction (interface decisions 2). */
export const inputShape = {
  currency: z.nullish(currency),
  tax_date: z.nullish(instant),
  customer: optional.customer,
  ship_from: optional.shipFrom,
  discount_amount: optional.decimal,
  third_party_discount_amount: optional.decimal,
  shipping: z.nullish(ShippingRequest),
  tax_included: optional.flag,
  collected_by: z.nullish(z.enum(['seller', 'marketplace'], 'Send seller or marketplace.')),
  line_items: z.nullish(
    z
      .array(LineItemRequest, lineItemsAdvice)
      .check(z.minLength(1, lineItemsAdvice), z.maxLength(lineItemsMax, lineItemsAdvice)),
  ),
  metadata: optional.metadata,
  explain: optional.flag,
};

/** The fields of a credit of an earlier sale (interface decisions 5). */
export const creditShape = {
  type: z.nullish(z.enum(['sale', 'credit'], 'Send sale or credit.')),
  parent_transaction_id: z.nullish(text(64)),
  credit_remaining: optional.flag,
};

export const CalculationRequest = z.object({ ...inputShape, ...creditShape }, 'Send a JSON object.');
export type CalculationRequest = z.infer<typeof CalculationRequest>;

/** The inputs of the tax core. */
export type CalculationInput = Omit<CalculationRequest, keyof typeof creditShape>;
