import type { Calculation } from '../../calculations/response.ts';
import { builtInRelease } from '../../content/built-in.ts';
import type { TransactionList } from '../../transactions/list-response.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { catalog } from '../../vocabulary/catalog.ts';
import { exampleId, sale } from './request-examples.ts';

const figures = {
  taxable_amount: '95.00',
  exempt_amount: '0.00',
  tax_amount: '5.70',
} as const;

const michigan = {
  jurisdiction_code: 'US-MI',
  jurisdiction_name: 'Michigan',
  jurisdiction_type: 'state',
  rate: '0.06',
} as const;

const discounts = { applied_discount_amount: '5.00', applied_third_party_discount_amount: '0.00' } as const;

const [sentLine] = sale.line_items;

const outcome: Omit<Calculation, 'object'> = {
  type: 'sale',
  parent_transaction_id: null,
  currency: sale.currency,
  tax_date: sale.tax_date,
  customer: sale.customer,
  ship_from: null,
  discount_amount: null,
  third_party_discount_amount: null,
  shipping: null,
  tax_included: false,
  collected_by: 'seller',
  line_items: [
    {
      ...sentLine,
      parent_line_item_id: null,
      third_party_discount_amount: null,
      customer: null,
      ship_from: null,
      metadata: {},
      amount: '100.00',
      ...discounts,
      net_amount: '95.00',
      ...figures,
      taxes: [
        {
          ...michigan,
          ...figures,
          tax_type: 'sales',
          taxability_reason: 'standard_rated',
          sourcing: 'destination',
          rule_id: 'mi-goods',
        },
      ],
      address_resolution: { level: 'state', ambiguous: false, coverage: 'complete' },
    },
  ],
  metadata: {},
  explain: false,
  subtotal_amount: '100.00',
  ...discounts,
  shipping_amount: '0.00',
  ...figures,
  total_amount: '100.70',
  tax_summary: [{ ...michigan, ...figures }],
  content_releases: { 'US-MI': builtInRelease('MI')?.id ?? '' },
  engine_version: '1.1.0',
  warnings: [],
  explanation: null,
};

/** The response to the example sale. The contract test compares it with a real one. */
export const calculation: Calculation = { object: 'calculation', ...outcome };

/** The same sale as a draft. */
export const draft: Transaction = {
  object: 'transaction',
  id: exampleId,
  status: 'draft',
  reference_id: null,
  ...outcome,
  calculated_tax_amount: '5.70',
  tax_amount_source: 'calculated',
  credited_amount: '0.00',
  credited_tax_amount: '0.00',
  refund_status: 'none',
  created_at: '2026-10-08T12:00:00.000Z',
  updated_at: '2026-10-08T12:00:00.000Z',
  finalized_at: null,
  filed_at: null,
  voided_at: null,
  void_reason: null,
  expires_at: '2026-10-09T12:00:00.000Z',
  filings: [],
  version: 1,
};

/** The draft once it is finalized. */
export const finalized: Transaction = {
  ...draft,
  status: 'finalized',
  reference_id: 'invoice_1002',
  updated_at: '2026-10-08T12:05:00.000Z',
  finalized_at: '2026-10-08T12:05:00.000Z',
  expires_at: null,
  version: 2,
};

/** A page with one transaction. */
export const transactionList: TransactionList = {
  object: 'list',
  url: '/transactions',
  has_more: false,
  next_cursor: null,
  data: [{ ...finalized, line_items: null }],
};

/** A page with one attribute of many. */
export const productAttributes = {
  object: 'list',
  url: '/product-attributes',
  has_more: true,
  data: [
    {
      code: '_ATHLETIC',
      name: 'Athletic wear',
      description: 'Designed mainly for athletic activity.',
      group: { key: 'clothing_traits', name: 'Clothing traits', mutually_exclusive: false },
      ptcs: ['APPAREL', 'FOOTWEAR', 'SWIMWEAR'],
    },
  ],
} as const;

/** A page with one product tax code of many. */
export const productTaxCodes = {
  object: 'list',
  url: '/product-tax-codes',
  has_more: true,
  data: catalog().filter(({ code }) => code === 'CLOTHING.SWIMWEAR'),
} as const;
