import * as z from 'zod/mini';
import { described } from '../described.ts';
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

/** The maximum number of line items in a document. */
export const lineItemsMax = 1000;

// On create, null means absent. Fields of one kind share a schema: building one takes 20 µs of a cold start.
const optional = {
  customer: described(z.nullish(Customer), "The buyer. A line item's customer overrides the document's."),
  decimal: z.nullish(decimalString),
  flag: z.nullish(flag),
  identifier: z.nullish(identifier),
  metadata: described(
    z.nullish(metadata),
    'Key-value data of the client: at most 50 keys of 40 characters, with values of 500.',
  ),
  productTaxCode: z.nullish(productTaxCode),
  shipFrom: z.nullish(ShipFrom),
};

const codeAdvice = 'A code from `GET /product-tax-codes`, with any attributes appended in any order.';
const discountAdvice = 'A discount that the seller pays for. It reduces the taxable amount.';
const thirdPartyAdvice =
  "A discount that a third party pays for, such as a manufacturer's coupon. It does not reduce the taxable amount.";
const prorated = 'Levy distributes it over the line items in proportion to their amounts.';

export const LineItemRequest = described(
  z.object(
    {
      id: described(
        optional.identifier,
        'Identifies the line item within the document. Default: `line_1`, `line_2` and so on.',
      ),
      parent_line_item_id: described(
        optional.identifier,
        'The line item of the parent that this line credits. Default: the one with the same `id`.',
      ),
      description: described(z.nullish(text(1000)), 'Free text.'),
      product_tax_code: described(optional.productTaxCode, `${codeAdvice} Default: general tangible goods.`),
      quantity,
      unit_price: described(
        optional.decimal,
        'The price per unit. Required, except on a line that credits a line of the parent.',
      ),
      discount_amount: described(optional.decimal, discountAdvice),
      third_party_discount_amount: described(optional.decimal, thirdPartyAdvice),
      customer: optional.customer,
      ship_from: described(
        optional.shipFrom,
        "Where the seller ships this line from. A line item's origin overrides the document's.",
      ),
      metadata: optional.metadata,
    },
    'Send an object.',
  ),
  'A line item to calculate.',
  { id: 'LineItemRequest' },
);
export type LineItemRequest = z.infer<typeof LineItemRequest>;

export const ShippingRequest = described(
  z.object(
    {
      amount: described(
        decimalString,
        'The shipping charge. Levy distributes it over the line items in proportion to their net amounts.',
      ),
      product_tax_code: described(optional.productTaxCode, `${codeAdvice} Default: a delivery charge.`),
    },
    'Send an object with an amount.',
  ),
  'The shipping charge.',
  { id: 'ShippingRequest' },
);
export type ShippingRequest = z.infer<typeof ShippingRequest>;

export const lineItemsAdvice = `Send an array of 1 to ${lineItemsMax} line items.`;

/** The inputs of a calculation and of a transaction. */
export const inputShape = {
  currency: described(
    z.nullish(currency),
    'ISO 4217 code. It decides the number of decimals of amounts. Default: `USD`.',
  ),
  tax_date: described(
    z.nullish(instant),
    "The date whose rates and rules apply: a date, or an instant, whose tax day is the day in the account's `time_zone`. At most 31 days in the future. Default: now.",
  ),
  customer: optional.customer,
  ship_from: described(
    optional.shipFrom,
    "Where the seller ships the goods from. Default: the account's `ship_from` setting; without one, Levy treats the sale as remote.",
  ),
  discount_amount: described(optional.decimal, `${discountAdvice} ${prorated}`),
  third_party_discount_amount: described(optional.decimal, `${thirdPartyAdvice} ${prorated}`),
  shipping: described(z.nullish(ShippingRequest), 'The shipping charge.'),
  tax_included: described(optional.flag, 'Whether the amounts in the request include the tax. Default: false.'),
  collected_by: described(
    z.nullish(z.enum(['seller', 'marketplace'], 'Send seller or marketplace.')),
    'Who collects the tax. If it is `marketplace`, the tax is 0 and the sale still counts in filings. Default: `seller`.',
    { title: 'CollectedBy' },
  ),
  line_items: described(
    z.nullish(
      z
        .array(LineItemRequest, lineItemsAdvice)
        .check(z.minLength(1, lineItemsAdvice), z.maxLength(lineItemsMax, lineItemsAdvice)),
    ),
    'The line items. Required, except on a credit with a parent, which copies those of the parent.',
  ),
  metadata: optional.metadata,
  explain: described(optional.flag, 'Whether to return the steps of the calculation in `explanation`. Default: false.'),
};

/** The fields that make a calculation or a transaction a credit of an earlier sale. */
export const creditShape = {
  type: described(
    z.nullish(z.enum(['sale', 'credit'], 'Send sale or credit.')),
    '`sale`, or `credit` for a refund or credit memo. Amounts of a credit are positive. Default: `sale`.',
    { title: 'TransactionType' },
  ),
  parent_transaction_id: described(z.nullish(text(64)), 'The id of the sale that this credit refunds.'),
  credit_remaining: described(
    optional.flag,
    'Credits exactly what is left of the parent, line by line. Only on a credit with a parent and without line items. If earlier credits had lines that match no line of the parent, Levy distributes what is left in total over the lines in proportion to what is left of each.',
  ),
};

export const CalculationRequest = described(
  z.object({ ...inputShape, ...creditShape }, 'Send a JSON object.'),
  'An order to calculate tax for. Levy ignores unknown fields and names them in `warnings`.',
  { id: 'CalculationRequest' },
);
export type CalculationRequest = z.infer<typeof CalculationRequest>;

/** The inputs without the fields of a credit: what the tax core calculates. */
export type CalculationInput = Omit<CalculationRequest, keyof typeof creditShape>;
