import * as z from 'zod/mini';
import { component, described, nullish } from '../base/described.ts';
import {
  Customer,
  currency,
  decimalString,
  flag,
  identifier,
  instant,
  metadata,
  price,
  productTaxCode,
  quantity,
  ShipFrom,
  ShipTo,
  text,
} from './fields.ts';

/** The maximum number of line items in a document. */
export const lineItemsMax = 1000;
export const descriptionMax = 1000;
/** The maximum number of shipping charges in a document. */
export const shippingMax = 100;
/** The maximum number of line items that the shipping charges and fees of a document are for, counted once per charge. */
export const deliveriesMax = 5000;

// On create, null means absent. Fields of one kind share a schema: building a schema takes 20 µs of a cold start.
const optional = {
  customer: described(z.nullish(Customer), "The buyer. A line item's customer overrides the document's."),
  decimal: z.nullish(decimalString),
  flag: z.nullish(flag),
  identifier: z.nullish(identifier),
  metadata: nullish(metadata),
  productTaxCode: z.nullish(productTaxCode),
  shipFrom: z.nullish(ShipFrom),
};

const codeAdvice = 'A code from `GET /product-tax-codes`, with any attributes appended in any order.';
const discountAdvice = 'A discount that the seller pays for. It reduces the taxable amount.';
const thirdPartyAdvice =
  "A discount that a third party pays for, such as a manufacturer's coupon. The state decides whether it reduces the taxable amount.";
const prorated = 'Levy distributes it over the goods in proportion to their amounts.';

/** The charges that a document discount reduces. */
export const discountTargets = ['line_items', 'line_items_and_shipping'] as const;
/** How the buyer receives a line. */
export const lineFulfillments = ['ship', 'pickup', 'electronic', 'none'] as const;

export const LineItemRequest = component(
  'LineItemRequest',
  'A line item to calculate.',
  {
    id: described(
      optional.identifier,
      'Identifies the line item within the document. Default: `line_1`, `line_2` and so on.',
    ),
    parent_line_item_id: described(
      optional.identifier,
      "The line item of the parent that this line credits. Default: the parent's line item with the same `id`. On a line with a negative `unit_price`, what it reduces. On a shipping charge or a fee such as gift wrapping, the line item that it is for.",
    ),
    description: described(z.nullish(text(descriptionMax)), 'Free text.'),
    product_tax_code: described(optional.productTaxCode, `${codeAdvice} Default: general tangible goods.`),
    quantity,
    unit_price: described(
      z.nullish(price),
      'The price per unit. Required, except on a line that credits a line of the parent. A line with a negative price is a discount and is taxed like what it reduces: the line item or shipping charge whose `id` is its `parent_line_item_id`, otherwise those with its `product_tax_code`, otherwise all goods.',
    ),
    discount_amount: described(optional.decimal, discountAdvice),
    third_party_discount_amount: described(optional.decimal, thirdPartyAdvice),
    customer: optional.customer,
    ship_from: described(
      optional.shipFrom,
      "Where the seller ships this line from. A line item's origin overrides the document's.",
    ),
    fulfillment: described(
      z.nullish(z.enum(lineFulfillments, `Send one of ${lineFulfillments.join(', ')}.`)),
      'How the buyer gets this line: `ship`, `pickup` at the address of `ship_from`, where it is taxed, `electronic`, or `none`. Shipping charges apply to shipped lines. Default: the usual fulfillment of the product tax code (`fulfillment` in `GET /product-tax-codes`).',
      { title: 'LineFulfillment' },
    ),
    metadata: optional.metadata,
  },
  'Send an object.',
);
export type LineItemRequest = z.infer<typeof LineItemRequest>;

const idsAdvice = `Send an array of 1 to ${lineItemsMax} ids of line items.`;

export const ShippingRequest = component(
  'ShippingRequest',
  'A shipping charge.',
  {
    id: described(
      optional.identifier,
      'Identifies the charge among the charges and line items of the document. Default: `shipping_1`, `shipping_2` and so on.',
    ),
    amount: described(
      decimalString,
      'The shipping charge. Levy distributes it over the line items that it delivers in proportion to their net amounts.',
    ),
    discount_amount: described(optional.decimal, discountAdvice),
    product_tax_code: described(optional.productTaxCode, `${codeAdvice} Default: a delivery charge.`),
    line_item_ids: described(
      z.nullish(z.array(identifier, idsAdvice).check(z.minLength(1, idsAdvice), z.maxLength(lineItemsMax, idsAdvice))),
      `The ids of the line items that the charge delivers. Default: all line items that are shipped. All charges of a document, including fees on its goods, can have at most ${deliveriesMax} line items in total, counted for each charge.`,
    ),
    ship_to: described(
      z.nullish(ShipTo),
      'Where the charge delivers its line items. The charge is taxed at this address. Default: the address of each line item.',
    ),
    ship_from: described(optional.shipFrom, 'Where the charge delivers from. Default: the origin of each line item.'),
  },
  'Send an object with an amount.',
);
export type ShippingRequest = z.infer<typeof ShippingRequest>;

const shippingAdvice = `Send a shipping charge, or an array of at most ${shippingMax}.`;

const ShippingCharges = described(
  z.union(
    [ShippingRequest, z.array(ShippingRequest, shippingAdvice).check(z.maxLength(shippingMax, shippingAdvice))],
    shippingAdvice,
  ),
  'A shipping charge, or a list of charges such as one for each package. A line item with a code of the family `SHIPPING` is taxed the same way.',
  { id: 'ShippingChargesRequest' },
);

export const lineItemsAdvice = `Send an array of 1 to ${lineItemsMax} line items.`;

/** The inputs of a calculation and of a transaction. */
export const inputShape = {
  currency: nullish(currency),
  tax_date: described(
    z.nullish(instant),
    "The date whose rates and rules apply: a date, or a timestamp, whose tax day is its day in the account's `time_zone`. At most 31 days in the future. Default: now.",
  ),
  customer: optional.customer,
  ship_from: described(
    optional.shipFrom,
    "Where the seller ships the goods from. Default: the account's `ship_from` setting; without one, Levy treats the sale as remote.",
  ),
  discount_amount: described(optional.decimal, `${discountAdvice} ${prorated}`),
  discount_applies_to: described(
    z.nullish(z.enum(discountTargets, `Send ${discountTargets.join(' or ')}.`)),
    'What `discount_amount` reduces: the line items, or the line items and the shipping charges in proportion to their amounts. Default: `line_items`.',
    { title: 'DiscountTarget' },
  ),
  third_party_discount_amount: described(optional.decimal, `${thirdPartyAdvice} ${prorated}`),
  shipping: described(z.nullish(ShippingCharges), 'The shipping charge, or a list of charges.'),
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
    'The line items. Required, except on a credit with a parent, which copies the line items of its sale.',
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
    'Credits exactly the remaining amounts of the parent, line by line. Only on a credit with a parent and without line items. If an earlier credit had lines that match no line of the parent, the remaining total is distributed over the lines in proportion to what remains of them.',
  ),
};

export const CalculationRequest = component(
  'CalculationRequest',
  'An order to calculate tax for. Levy ignores unknown fields and names them in `warnings`.',
  { ...inputShape, ...creditShape },
  'Send a JSON object.',
);
export type CalculationRequest = z.infer<typeof CalculationRequest>;

/** The tax core's input: a request without the fields about a credit's sale. */
export type CalculationInput = Omit<CalculationRequest, 'parent_transaction_id' | 'credit_remaining'>;
