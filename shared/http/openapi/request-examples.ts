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

/** The sale of all examples: two pairs of shorts to Lansing, Michigan. */
export const sale = {
  currency: 'USD',
  tax_date: '2026-10-08',
  customer: { id: 'cus_9', address },
  line_items: [line],
} as const;

/** Stands for the id that an earlier answer had. */
export const exampleId = 'txn_01K6ZV5N5M3V7C8Z2Y4T6R9W0X';

/** Requests that work as they are; those with a parent do once it exists. */
export const requestExamples = {
  'create-calculation': {
    sale: { summary: 'The tax of a sale', value: sale },
    credit: {
      summary: 'The tax of a partial refund',
      value: {
        type: 'credit',
        parent_transaction_id: exampleId,
        line_items: [{ id: 'item_1', quantity: '1' }],
      },
    },
  },
  'create-transaction': {
    draft: { summary: 'A draft, before the invoice is made', value: { ...sale, status: 'draft' } },
    finalized: {
      summary: 'A sale that is complete, with the tax that was collected',
      value: { ...sale, status: 'finalized', reference_id: 'invoice_1001', tax_amount: '5.70' },
    },
    fullRefund: {
      summary: 'A refund of a whole sale',
      value: {
        type: 'credit',
        parent_transaction_id: exampleId,
        status: 'finalized',
        tax_date: '2026-10-09T12:00:00Z',
      },
    },
    partialRefund: {
      summary: 'A refund of one of two',
      value: {
        type: 'credit',
        parent_transaction_id: exampleId,
        status: 'finalized',
        tax_date: '2026-10-09T12:00:00Z',
        line_items: [{ id: 'item_1', quantity: '1' }],
      },
    },
  },
  'update-transaction': {
    finalize: {
      summary: 'Finalize a draft, once the invoice exists',
      value: { status: 'finalized', reference_id: 'invoice_1002' },
    },
    void: { summary: 'Void a transaction', value: { status: 'void', void_reason: 'Entered twice' } },
    note: { summary: 'Set and delete metadata', value: { metadata: { order: 'A-17', note: null } } },
  },
} as const;
