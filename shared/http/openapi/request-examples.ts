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

/** Stands for the transaction id from an earlier response. */
export const exampleId = 'txn_01K6ZV5N5M3V7C8Z2Y4T6R9W0X';

/** Stands for the filing id from an earlier response. */
export const exampleFilingId = 'fil_01K8ZQ7B3D5G7J9M1P3R5T7W9Y';

const certificate = {
  states: ['MI', 'OH'],
  reason: 'resale',
  certificate_number: 'MI-38-1234567',
  valid_from: '2025-01-01',
  valid_to: '2028-12-31',
} as const;

/** A retailer that buys for resale. */
export const exampleCustomer = { id: 'cus_42', name: 'Lakeside Outfitters LLC', exemptions: [certificate] } as const;

const credit = { type: 'credit', parent_transaction_id: exampleId } as const;
const refund = { ...credit, status: 'finalized', tax_date: '2026-10-09T12:00:00Z' } as const;
const oneItem = [{ id: 'item_1', quantity: '1' }] as const;

/** Requests that succeed as they are. Those with a parent succeed once it exists. */
export const requestExamples = {
  'create-calculation': {
    sale: { summary: 'Tax on a sale', value: sale },
    credit: { summary: 'Tax on a partial refund', value: { ...credit, line_items: oneItem } },
  },
  'create-transaction': {
    draft: { summary: 'Draft before the invoice is created', value: { ...sale, status: 'draft' } },
    finalized: {
      summary: 'Completed sale with the collected tax',
      value: { ...sale, status: 'finalized', reference_id: 'invoice_1001', tax_amount: '5.70' },
    },
    fullRefund: { summary: 'Full refund', value: refund },
    partialRefund: { summary: 'Partial refund of one of two items', value: { ...refund, line_items: oneItem } },
  },
  'update-transaction': {
    finalize: {
      summary: 'Finalize a draft after the invoice is created',
      value: { status: 'finalized', reference_id: 'invoice_1002' },
    },
    void: { summary: 'Void a transaction', value: { status: 'void', void_reason: 'Entered twice' } },
    note: { summary: 'Set and delete metadata', value: { metadata: { order: 'A-17', note: null } } },
  },
  'create-customer': {
    resale: { summary: 'Customer with a resale certificate', value: exampleCustomer },
  },
  'update-customer': {
    renew: {
      summary: 'Replace the certificates by a renewed one',
      value: { exemptions: [{ ...certificate, certificate_number: 'MI-38-7654321', valid_to: '2030-12-31' }] },
    },
    remove: { summary: 'Remove all certificates', value: { exemptions: [] } },
  },
  'create-reconciliation': {
    month: {
      summary: 'Invoices of one month',
      value: {
        from: '2026-10-01',
        to: '2026-10-31',
        transactions: [
          { reference_id: 'invoice_1001', total_amount: '100.70', tax_amount: '5.70' },
          { reference_id: 'invoice_1002', total_amount: '100.00', tax_amount: '5.00' },
          { reference_id: 'invoice_1003', total_amount: '53.00', tax_amount: '3.00' },
        ],
      },
    },
  },
  'create-filing': {
    // The first example is the one that "Try it" sends.
    dryRun: {
      summary: 'Totals of a month, without closing it',
      value: { state: 'MI', period_end: '2026-10-31', dry_run: true },
    },
    close: { summary: 'Close a month', value: { state: 'MI', period_end: '2026-10-31' } },
  },
  'update-filing': {
    file: {
      summary: 'Mark the return as filed',
      value: { status: 'filed', confirmation_number: 'MI-2026-10-4711' },
    },
    cancel: { summary: 'Reopen the period', value: { status: 'canceled' } },
  },
} as const;
