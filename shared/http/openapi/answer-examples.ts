import { defaultSettings } from '../../accounts/account.ts';
import { CalculationRequest } from '../../calculations/request.ts';
import { builtInReleaseFor } from '../../content/built-in.ts';
import { createCalculation } from '../../transactions/create-calculation.ts';
import type { TransactionList } from '../../transactions/response.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { catalog } from '../../vocabulary/catalog.ts';
import { currentVersion } from '../versions.ts';
import { exampleId, sale } from './request-examples.ts';

const createdAt = '2026-10-08T12:00:00.000Z';

const account = {
  id: 'acct_example',
  name: 'Example',
  created_at: createdAt,
  cursor_secret: '',
  settings: defaultSettings(currentVersion),
};

const calculated = await createCalculation(CalculationRequest.parse(sale), [], account, {
  now: () => Date.parse(createdAt),
  loadContent: async () => builtInReleaseFor,
  ledger: { find: async () => undefined },
});
if (!calculated.ok) throw new Error(`POST /calculations refuses its example: ${calculated.problems[0].detail}`);

/** The response to the example sale, from the built-in content. */
export const calculation = calculated.value;

const { object: _, ...outcome } = calculation;

/** The same sale as a draft. */
export const draft: Transaction = {
  object: 'transaction',
  id: exampleId,
  status: 'draft',
  reference_id: null,
  ...outcome,
  calculated_tax_amount: outcome.tax_amount,
  tax_amount_source: 'calculated',
  credited_amount: '0.00',
  credited_tax_amount: '0.00',
  refund_status: 'none',
  created_at: createdAt,
  updated_at: createdAt,
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
