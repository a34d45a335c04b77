import * as z from 'zod/mini';
import { taxabilityReasons } from '../tax/document.ts';
import { inputShape, LineItemRequest } from './request.ts';

/** The response of a calculation. Every documented key is always present. Amounts are decimal strings of the currency. */

const amount = z.string();

export const warningCodes = [
  'product_tax_code_missing',
  'unknown_field',
  'postal_code_unknown',
  'address_ambiguous',
  'local_rates_missing',
  'local_rates_by_place',
  'not_covered',
  'content_unconfirmed',
  'taxability_not_established',
  'shipping_not_stated',
  'general_excise_not_passed_on',
  'tax_included_not_exact',
  'tax_amount_differs',
  'tax_amount_dropped',
  'credit_line_unmatched',
] as const;

export const Warning = z.object({ code: z.enum(warningCodes), message: z.string(), pointer: z.nullable(z.string()) });
export type Warning = z.infer<typeof Warning>;

export const TaxRowResponse = z.object({
  jurisdiction_code: z.string(),
  jurisdiction_name: z.string(),
  jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
  tax_type: z.enum(['sales', 'general_excise']),
  rate: z.string(),
  taxable_amount: amount,
  exempt_amount: amount,
  tax_amount: amount,
  taxability_reason: z.enum(taxabilityReasons),
  sourcing: z.enum(['destination', 'origin']),
  rule_id: z.nullable(z.string()),
});
export type TaxRowResponse = z.infer<typeof TaxRowResponse>;

export const AddressResolution = z.object({
  level: z.enum(['zip9', 'zip5', 'city', 'county', 'state', 'none']),
  ambiguous: z.boolean(),
  coverage: z.enum(['complete', 'partial', 'none']),
});
export type AddressResolution = z.infer<typeof AddressResolution>;

const nullable = <Schema extends z.ZodMiniType>(schema: Schema) => z.nullable(schema);
const asSent = <Schema extends z.core.$ZodType>({ _zod }: z.ZodMiniOptional<z.ZodMiniNullable<Schema>>) =>
  _zod.def.innerType;

export const LineItemResponse = z.object({
  id: z.string(),
  parent_line_item_id: asSent(LineItemRequest.shape.parent_line_item_id),
  description: asSent(LineItemRequest.shape.description),
  product_tax_code: asSent(LineItemRequest.shape.product_tax_code),
  quantity: z.string(),
  unit_price: z.string(),
  discount_amount: nullable(z.string()),
  third_party_discount_amount: nullable(z.string()),
  customer: asSent(LineItemRequest.shape.customer),
  ship_from: asSent(LineItemRequest.shape.ship_from),
  metadata: z.record(z.string(), z.string()),
  amount,
  applied_discount_amount: amount,
  applied_third_party_discount_amount: amount,
  net_amount: amount,
  taxable_amount: amount,
  exempt_amount: amount,
  tax_amount: amount,
  taxes: z.array(TaxRowResponse),
  address_resolution: AddressResolution,
});
export type LineItemResponse = z.infer<typeof LineItemResponse>;

export const ShippingResponse = z.object({
  amount: z.string(),
  product_tax_code: nullable(z.string()),
  taxable_amount: amount,
  exempt_amount: amount,
  tax_amount: amount,
  taxes: z.array(TaxRowResponse),
});
export type ShippingResponse = z.infer<typeof ShippingResponse>;

export const TaxSummaryRow = z.object({
  jurisdiction_code: z.string(),
  jurisdiction_name: z.string(),
  jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
  rate: z.string(),
  taxable_amount: amount,
  exempt_amount: amount,
  tax_amount: amount,
});
export type TaxSummaryRow = z.infer<typeof TaxSummaryRow>;

export const ExplanationStep = z.object({
  step: z.enum(['address', 'jurisdictions', 'base', 'rule', 'rate', 'rounding']),
  pointer: nullable(z.string()),
  text: z.string(),
  rule_id: nullable(z.string()),
  citation: nullable(z.string()),
});
export type ExplanationStep = z.infer<typeof ExplanationStep>;

/** The fields that calculations and transactions share. */
export const outcomeShape = {
  type: z.enum(['sale', 'credit']),
  parent_transaction_id: nullable(z.string()),
  currency: z.string(),
  tax_date: z.string(),
  customer: asSent(inputShape.customer),
  ship_from: asSent(inputShape.ship_from),
  discount_amount: nullable(z.string()),
  third_party_discount_amount: nullable(z.string()),
  shipping: nullable(ShippingResponse),
  tax_included: z.boolean(),
  collected_by: z.enum(['seller', 'marketplace']),
  line_items: z.array(LineItemResponse),
  metadata: z.record(z.string(), z.string()),
  explain: z.boolean(),
  subtotal_amount: amount,
  applied_discount_amount: amount,
  applied_third_party_discount_amount: amount,
  shipping_amount: amount,
  taxable_amount: amount,
  exempt_amount: amount,
  tax_amount: amount,
  total_amount: amount,
  tax_summary: z.array(TaxSummaryRow),
  content_releases: z.record(z.string(), z.string()),
  engine_version: z.string(),
  warnings: z.array(Warning),
  explanation: nullable(z.array(ExplanationStep)),
};

export const Calculation = z.object({ object: z.literal('calculation'), ...outcomeShape });
export type Calculation = z.infer<typeof Calculation>;
