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
import {
  amount,
  currencyCode,
  date,
  jurisdictionShape,
  lineAmount,
  objectType,
  rate,
  reportingCode,
  sentDecimal,
  sentPrice,
} from '../base/response-scalars.ts';
import { taxabilityReasons } from '../tax/assessment.ts';
import {
  Customer,
  exemptionTypes,
  identifier,
  instantKeywords,
  productTaxCode,
  ShipFrom,
  ShipTo,
  text,
} from './fields.ts';
import { discountTargets, lineFulfillments } from './request.ts';
import { warningCodes } from './warning-codes.ts';

/** The response of a calculation. Every documented key is always present; amounts are decimal strings of the currency. */

export const Warning = component('Warning', 'A limitation of a result that Levy returned anyway.', {
  code: described(z.enum(warningCodes), 'Machine-readable warning code. New codes can be added.', {
    'x-extensible-enum': warningCodes,
  }),
  message: string('What is uncertain or was ignored, and what to send instead.'),
  pointer: nullableString('A JSON Pointer into the request body. `null` if the warning is not about one field.'),
});
export type Warning = z.infer<typeof Warning>;

export const warnings = array(Warning, 'Limitations of this result.');

const taxFigures = {
  taxable_amount: described(amount, 'The part that is taxed.'),
  exempt_amount: described(amount, 'The part that is not taxed.'),
  tax_amount: described(amount, 'The tax. Taxes of parts always add up to the tax of the whole.'),
};

export const TaxRowResponse = component(
  'TaxRow',
  'The tax of one jurisdiction on a line item, or the reason for no tax.',
  {
    ...jurisdictionShape,
    reporting_code: reportingCode,
    tax_type: stringEnum(
      'TaxType',
      ['sales', 'general_excise', 'fee'],
      'The kind of tax. `fee` is a fee that is not a sales tax and is reported separately.',
    ),
    rate: described(
      rate,
      'The rate as a fraction: `"0.06"` is 6 percent. In Hawaii, if the account passes on the general excise tax, it is a share of the maximum visible rate.',
    ),
    ...taxFigures,
    taxability_reason: stringEnum('TaxabilityReason', taxabilityReasons, 'Why this tax applies, or why it does not.'),
    sourcing: stringEnum(
      'Sourcing',
      ['destination', 'origin'],
      "Whether the buyer's address (`destination`) or the seller's (`origin`) decides the tax.",
    ),
    rule_id: nullableString('The content rule that applied.'),
  },
);
export type TaxRowResponse = z.infer<typeof TaxRowResponse>;

export const AddressResolution = component('AddressResolution', 'How precisely Levy resolved the address.', {
  level: stringEnum(
    'AddressLevel',
    ['street', 'zip9', 'zip5', 'city', 'county', 'state', 'none'],
    'The part of the address that decided the jurisdictions: house number and street, ZIP+4, ZIP code, city, county, state or nothing.',
  ),
  ambiguous: boolean(
    'Whether other taxes may apply, because the ZIP code spans jurisdictions, is covered in part, or only the name of the city is known.',
  ),
  coverage: stringEnum(
    'AddressCoverage',
    ['complete', 'partial', 'none'],
    'How much of the tax the content covers there: `complete`, `partial` (some local rates are missing, or rates of another day were used) or `none` (no tax was calculated).',
  ),
});
export type AddressResolution = z.infer<typeof AddressResolution>;

export const AppliedExemption = component(
  'AppliedExemption',
  'What exempted a line item: a certificate, or SNAP benefits.',
  {
    customer_id: nullableString(
      'The customer of `GET /customers/{id}` whose certificate applied. `null` if the exemption was sent in the request.',
    ),
    reason: stringEnum('ExemptionReason', exemptionTypes, 'The reason for the exemption.'),
    certificate_number: nullableString('The number of the certificate.'),
    valid_from: nullable(date, 'The first day on which the certificate is valid.'),
    valid_to: nullable(date, 'The last day on which the certificate is valid.'),
  },
);
export type AppliedExemption = z.infer<typeof AppliedExemption>;

const taxes = array(TaxRowResponse, 'The tax by jurisdiction. Never empty: rows without tax state the reason.');
const discounts = {
  applied_discount_amount: described(
    amount,
    "Discounts that the seller pays for, including the share of the document's discount. The amount of a document includes discounts on shipping. They reduce the taxable amount.",
  ),
  applied_third_party_discount_amount: described(
    amount,
    "Discounts that a third party pays for, including a share of the document's discount. They reduce the taxable amount if state law says so.",
  ),
};
const sentDiscounts = {
  discount_amount: nullable(sentDecimal, 'The discount that the seller pays for, as sent.'),
  third_party_discount_amount: nullable(sentDecimal, 'The discount that a third party pays for, as sent.'),
};
const metadata = described(z.record(z.string(), z.string()), 'Key-value data of the client.');

export const LineItemResponse = component('LineItem', 'A line item as sent, with its calculated amounts.', {
  id: string('The id of the line item: as sent, or `line_1`, `line_2` and so on.'),
  parent_line_item_id: nullable(
    identifier,
    'As sent: the line item of the parent that this line credits, what a negative price reduces, or what a charge is for.',
  ),
  description: nullable(text(1000), 'Free text.'),
  product_tax_code: nullable(productTaxCode, 'The product tax code, as sent.'),
  quantity: described(sentDecimal, 'The quantity, as sent.'),
  unit_price: described(sentPrice, 'The price per unit.'),
  ...sentDiscounts,
  customer: nullable(Customer, 'The buyer of this line item, as sent.'),
  ship_from: nullable(ShipFrom, 'Where the seller ships this line from, as sent.'),
  fulfillment: nullable(z.enum(lineFulfillments), 'How the buyer gets this line, as sent.', {
    title: 'LineFulfillment',
  }),
  metadata,
  amount: described(lineAmount, 'Quantity times unit price, before discounts.'),
  ...discounts,
  applied_discount_amount: described(
    lineAmount,
    "Discounts that the seller pays for, including a share of the document's discount and of line items with a negative price. They reduce the taxable amount. On a line with a negative price, it is the whole amount of the line, which other charges receive as a discount.",
  ),
  net_amount: described(amount, "The amount after the seller's discounts."),
  ...taxFigures,
  taxes,
  address_resolution: AddressResolution,
  applied_exemption: nullable(
    AppliedExemption,
    'What exempted the line item: a certificate, or SNAP benefits. `null` if nothing did.',
  ),
});
export type LineItemResponse = z.infer<typeof LineItemResponse>;

export const ShippingResponse = component('Shipping', 'A shipping charge as sent, with its calculated amounts.', {
  id: string('The id of the charge: as sent, or `shipping_1`, `shipping_2` and so on.'),
  amount: described(sentDecimal, 'The shipping charge, as sent.'),
  discount_amount: nullable(sentDecimal, 'The discount on the charge, as sent.'),
  product_tax_code: nullableString('The product tax code of the shipping charge, as sent.'),
  line_item_ids: nullable(z.array(z.string()), 'The ids of the line items that the charge delivers, as sent.'),
  ship_to: nullable(ShipTo, 'Where the charge delivers its line items, as sent.'),
  ship_from: nullable(ShipFrom, 'Where the charge delivers from, as sent.'),
  applied_discount_amount: described(amount, "Discounts on the charge, including the share of the document's."),
  net_amount: described(amount, 'The amount after discounts.'),
  ...taxFigures,
  taxes,
});
export type ShippingResponse = z.infer<typeof ShippingResponse>;

const ShippingCharges = described(
  z.union([ShippingResponse, z.array(ShippingResponse)]),
  'The shipping charge or the list of charges as sent, with the calculated amounts.',
  { id: 'ShippingCharges' },
);

export const TaxSummaryRow = component(
  'TaxSummaryRow',
  'The tax of one jurisdiction at one rate on the whole document.',
  { ...jurisdictionShape, reporting_code: reportingCode, rate, ...taxFigures },
);
export type TaxSummaryRow = z.infer<typeof TaxSummaryRow>;

export const ExplanationStep = component('ExplanationStep', 'One step of a calculation.', {
  step: stringEnum(
    'ExplanationStepKind',
    ['address', 'jurisdictions', 'base', 'rule', 'rate', 'rounding'],
    'The kind of step. `base` covers discounts, included tax and the distribution of shipping.',
  ),
  pointer: nullableString(
    'A JSON Pointer to the part of the document that the step is about. `null` for the whole document.',
  ),
  text: string('What was decided and why.'),
  rule_id: nullableString('The content rule that applied.'),
  citation: nullableString('The law or publication that the step relies on.'),
});
export type ExplanationStep = z.infer<typeof ExplanationStep>;

export const contentReleases = described(
  z.record(z.string(), z.string()),
  'The releases of the tax content that were used, by jurisdiction.',
);

/** The fields that calculations and transactions share. */
export const outcomeShape = {
  type: stringEnum('TransactionType', ['sale', 'credit'], '`sale`, or `credit` for a refund or credit memo.'),
  parent_transaction_id: nullableString('The id of the sale that this credit refunds.'),
  currency: described(currencyCode, 'ISO 4217 code.'),
  tax_date: string(
    "The date whose rates and rules apply. A timestamp is in the account's time zone, so its first ten characters are the tax day.",
    instantKeywords,
  ),
  customer: nullable(Customer, 'The buyer, as sent.'),
  ship_from: nullable(ShipFrom, 'Where the seller ships the goods from, as sent.'),
  ...sentDiscounts,
  discount_applies_to: stringEnum('DiscountTarget', discountTargets, 'What `discount_amount` reduces.'),
  shipping: nullable(ShippingCharges, 'The shipping charges as sent, with the calculated amounts.'),
  tax_included: boolean('Whether the amounts in the request include the tax.'),
  collected_by: stringEnum(
    'CollectedBy',
    ['seller', 'marketplace'],
    'Who collects the tax. If it is `marketplace`, the tax is 0 and the sale still counts in filings.',
  ),
  line_items: array(LineItemResponse, 'The line items with their calculated amounts.'),
  metadata,
  explain: boolean('Whether `explanation` has the steps of the calculation.'),
  subtotal_amount: described(
    lineAmount,
    'The sum of the amounts of the line items, before discounts. Negative if negative prices that reduce shipping exceed the goods.',
  ),
  ...discounts,
  applied_discount_amount: described(
    lineAmount,
    'Discounts that the seller pays for, on line items and shipping. They reduce the taxable amount. Negative on a credit of a line item with a negative price, if the other line items of the credit received less than its amount.',
  ),
  shipping_amount: described(amount, 'The sum of the shipping charges, before discounts.'),
  ...taxFigures,
  total_amount: described(amount, 'What the buyer pays: the subtotal less discounts, plus shipping and tax.'),
  tax_summary: array(TaxSummaryRow, 'The tax by jurisdiction and rate.'),
  content_releases: contentReleases,
  engine_version: string('The version of the calculation engine.'),
  warnings,
  explanation: nullable(
    z.array(ExplanationStep),
    'The steps of the calculation, in order. `null` unless `explain` is true.',
  ),
};

export const Calculation = component(
  'Calculation',
  'The tax on an order, with every field of the request as sent. Nothing is stored.',
  { object: objectType('calculation'), ...outcomeShape },
);
export type Calculation = z.infer<typeof Calculation>;
