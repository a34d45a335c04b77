const address = {
  line1: '100 N Capitol Ave',
  city: 'Lansing',
  state: 'MI',
  postal_code: '48933',
  country: 'US',
} as const;

const line = {
  id: 'item_1',
  description: 'Running shorts',
  product_tax_code: 'CLOTHING.APPAREL._ATHLETIC',
  quantity: '2',
  unit_price: '50.00',
  discount_amount: '5.00',
} as const;

/** The sale in all examples: two pairs of shorts, shipped to Lansing, Michigan. */
export const sale = {
  currency: 'USD',
  tax_date: '2026-10-08',
  customer: { id: 'cus_9', address },
  line_items: [line],
} as const;

/** A placeholder for the transaction id from an earlier response. */
export const exampleId = 'txn_01K6ZV5N5M3V7C8Z2Y4T6R9W0X';

/** A placeholder for the filing id from an earlier response. */
export const exampleFilingId = 'fil_01K8ZQ7B3D5G7J9M1P3R5T7W9Y';

const exampleCertificate = {
  states: ['MI', 'OH'],
  reason: 'resale',
  certificate_number: 'MI-38-1234567',
  valid_from: '2025-01-01',
  valid_to: '2028-12-31',
} as const;

/** A retailer that buys for resale. */
export const exampleCustomer = {
  id: 'cus_42',
  name: 'Lakeside Outfitters LLC',
  exemptions: [exampleCertificate],
} as const;

export const exampleRenewal = {
  exemptions: [{ ...exampleCertificate, certificate_number: 'MI-38-7654321', valid_to: '2030-12-31' }],
} as const;

/** A refund of the sale, and one of its items. */
export const credit = { type: 'credit', parent_transaction_id: exampleId } as const;
export const refund = { ...credit, status: 'finalized', tax_date: '2026-10-09T12:00:00Z' } as const;
export const oneItem = [{ id: 'item_1', quantity: '1' }] as const;

export const exampleRatesQuery = {
  postal_code: '55401',
  city: 'Minneapolis',
  state: 'MN',
  date: '2026-11-22',
} as const;
