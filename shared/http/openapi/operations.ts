import type { ZodObjectInput, ZodOpenApiMediaTypeObject } from 'zod-openapi';
import { CalculationRequest } from '../../calculations/request.ts';
import { Calculation } from '../../calculations/response.ts';
import { CoverageQuery } from '../../coverage/query.ts';
import { Coverage } from '../../coverage/response.ts';
import { RatesQuery } from '../../rates/query.ts';
import { Rates } from '../../rates/response.ts';
import { TransactionListQuery } from '../../transactions/list-query.ts';
import { TransactionList } from '../../transactions/list-response.ts';
import { Replay } from '../../transactions/replay/response.ts';
import { TransactionRequest, TransactionUpdate } from '../../transactions/request.ts';
import { Transaction } from '../../transactions/response.ts';
import { ProductAttributesQuery, ProductTaxCodesQuery } from '../../vocabulary/query.ts';
import { ProductAttributesListResponse, ProductTaxCodeList } from '../../vocabulary/schema.ts';
import type { Operation } from '../routes.ts';
import {
  calculation,
  draft,
  finalized,
  productAttributes,
  productTaxCodes,
  transactionList,
} from './answer-examples.ts';
import { coverage } from './coverage-example.ts';
import { getDocs } from './documentation.ts';
import { createFiling, getFiling, listFilings, updateFiling } from './filings.ts';
import type { RequestHeader, ResponseHeader } from './headers.ts';
import { getTransaction, getTransactionHistory } from './history.ts';
import { rates } from './rates-example.ts';
import { createReconciliation } from './reconciliations.ts';
import { replay } from './replay-example.ts';

type Success = {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly schema: ZodOpenApiMediaTypeObject['schema'];
  readonly example?: unknown;
  /** Answered as text/csv to who asks for that: an example. */
  readonly csv?: string;
  /** Answered instead of JSON. */
  readonly html?: true;
  readonly headers?: readonly ResponseHeader[];
  readonly sometimes?: readonly ResponseHeader[];
};

/** What the document says of an operation beside its route and its errors. */
export type OperationDefinition = {
  readonly tag:
    | 'Product attributes'
    | 'Product tax codes'
    | 'Calculations'
    | 'Transactions'
    | 'Filings'
    | 'Coverage'
    | 'Rates'
    | 'Documentation';
  readonly summary: string;
  readonly description: string;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly query?: ZodObjectInput;
  readonly body?: ZodOpenApiMediaTypeObject['schema'];
  readonly success: Success;
  /** What else it may answer, where that means something else. */
  readonly otherSuccess?: Success;
  /** What 304 means, where If-None-Match is looked at. */
  readonly notModified?: string;
};

const listProductAttributes: OperationDefinition = {
  tag: 'Product attributes',
  summary: 'List product attributes',
  description:
    'The vocabulary of facts about a product that can change how it is taxed, sorted by code. Append a code to a product tax code: `CLOTHING.APPAREL._ATHLETIC`. The default page size returns the whole list in one call.',
  requestHeaders: ['IfNoneMatch'],
  query: ProductAttributesQuery,
  success: {
    status: 200,
    description: 'A page of product attributes.',
    schema: ProductAttributesListResponse,
    example: productAttributes,
    headers: ['ETag'],
  },
  notModified: 'The page is the one that If-None-Match names.',
};

const listProductTaxCodes: OperationDefinition = {
  tag: 'Product tax codes',
  summary: 'List product tax codes',
  description:
    'What a line item can be taxed as, sorted by code: each code with what belongs to it, examples, and the codes of Stripe, TaxJar and Avalara that stand for it. Filters are ANDed. The default page size returns the whole list in one call.',
  requestHeaders: ['IfNoneMatch'],
  query: ProductTaxCodesQuery,
  success: {
    status: 200,
    description: 'A page of product tax codes.',
    schema: ProductTaxCodeList,
    example: productTaxCodes,
    headers: ['ETag'],
  },
  notModified: 'The page is the one that If-None-Match names.',
};

const createCalculation: OperationDefinition = {
  tag: 'Calculations',
  summary: 'Calculate tax',
  description:
    'Calculates the tax of a document and stores nothing. Every field of the request comes back as it was sent, so the answer can be posted to /transactions as it is. With `type: credit` and a parent it answers what that credit would record.',
  requestHeaders: ['Prefer'],
  body: CalculationRequest,
  success: {
    status: 200,
    description: 'The tax of the document.',
    schema: Calculation,
    example: calculation,
    sometimes: ['Preference-Applied'],
  },
};

const createTransaction: OperationDefinition = {
  tag: 'Transactions',
  summary: 'Create a transaction',
  description:
    'Records a sale or a credit. A draft has 24 hours to be finalized; a finalized transaction creates a tax liability. A credit with a parent and without line items reverses the whole sale, with the tax that was recorded.',
  requestHeaders: ['IdempotencyKey', 'Prefer'],
  body: TransactionRequest,
  success: {
    status: 201,
    description: 'The created transaction.',
    schema: Transaction,
    example: draft,
    headers: ['Location', 'ETag'],
    sometimes: ['Idempotent-Replayed', 'Preference-Applied'],
  },
};

const listTransactions: OperationDefinition = {
  tag: 'Transactions',
  summary: 'List transactions',
  description:
    'Newest first. Filters are ANDed. A range on `tax_date` orders by it, newest first. A page may be short where filters leave little: go on while `has_more` is true.',
  query: TransactionListQuery,
  success: {
    status: 200,
    description: 'A page of transactions.',
    schema: TransactionList,
    example: transactionList,
  },
};

const updateTransaction: OperationDefinition = {
  tag: 'Transactions',
  summary: 'Update a transaction',
  description: [
    'Changes the fields that are sent. Edits and `status: finalized` in one request apply in that order, as one version.',
    'A field sent with its stored value is unchanged in every state, so a retried finalize is a 200.',
    '',
    '| Field | draft | finalized | filed, void |',
    '|---|---|---|---|',
    '| status | finalized, void | void | none |',
    '| line_items, tax_date, and the other inputs | yes, recalculates | no | no |',
    '| tax_amount | yes | while its period is open and no credit is in force | no |',
    '| reference_id | yes | once, if null | no |',
    '| metadata | yes | yes | yes |',
    '| type, parent_transaction_id | no | no | no |',
  ].join('\n'),
  requestHeaders: ['IdempotencyKey', 'IfMatch', 'Prefer'],
  body: TransactionUpdate,
  success: {
    status: 200,
    description: 'The transaction after the change.',
    schema: Transaction,
    example: finalized,
    headers: ['ETag'],
    sometimes: ['Idempotent-Replayed', 'Preference-Applied'],
  },
};

const replayTransaction: OperationDefinition = {
  tag: 'Transactions',
  summary: 'Replay a transaction',
  description: [
    'Calculates a recorded transaction again, from the releases, the account settings and the tax date that it keeps, with the engine as it is now, and compares every figure. Stores nothing.',
    '`match: false` comes with the differences. `match: null` says that it cannot be known, and `reason` why: a release is no longer there, or the sale of a credit is not known as it was.',
    'A tax that was supplied is spread again. A credit is computed again from its sale as that stood then.',
  ].join('\n\n'),
  success: {
    status: 200,
    description: 'What came out.',
    schema: Replay,
    example: replay,
  },
};

const getCoverage: OperationDefinition = {
  tag: 'Coverage',
  summary: 'Retrieve coverage',
  description:
    'What the active releases of the tax content know of each state today: the general rate, the local rates, how goods and shipping are taxed, how sure that is, and what is missing. What is not established is said.',
  requestHeaders: ['IfNoneMatch'],
  query: CoverageQuery,
  success: {
    status: 200,
    description: 'The states by their letters. A place without content has no row.',
    schema: Coverage,
    example: coverage,
    headers: ['ETag'],
  },
  notModified: 'Coverage is what If-None-Match names.',
};

const getRates: OperationDefinition = {
  tag: 'Rates',
  summary: 'Retrieve rates',
  description: [
    'The general rates that tax a sale to an address, each with its source, and their exact sum. It needs no order and stores nothing: show the rate in a cart, or check an address.',
    'Send `postal_code`, or `city` and `state`; a ZIP code with its city and state is best. The rates are of general goods that come from outside the state: what is sold can change them, as `POST /calculations` says. Any `date` is answered. The policies of the account, `ambiguous_address` and `incomplete_coverage`, hold as in a calculation, and so does `pass_on_general_excise`: the rates of Hawaii are then the highest visible ones. Where the content does not cover the address or the day, `combined_rate` is `null` and a warning says so.',
  ].join('\n\n'),
  query: RatesQuery,
  success: { status: 200, description: 'The rates of the address.', schema: Rates, example: rates },
};

const getOpenapi: OperationDefinition = {
  tag: 'Documentation',
  summary: 'Read the OpenAPI document',
  description: 'The machine-readable form of all this, for anybody: to generate a client, to import into a tool.',
  requestHeaders: ['IfNoneMatch'],
  success: {
    status: 200,
    description: 'An OpenAPI 3.1 document.',
    schema: {
      type: 'object',
      required: ['openapi', 'info', 'paths'],
      properties: {
        openapi: { type: 'string', pattern: '^3\\.1\\.' },
        info: { type: 'object' },
        paths: { type: 'object' },
      },
    },
    headers: ['ETag'],
  },
  notModified: 'The document is the one that If-None-Match names.',
};

/** Every operation of the route table, as the document tells it. */
export const operations: Readonly<Record<Operation, OperationDefinition>> = {
  'list-product-attributes': listProductAttributes,
  'list-product-tax-codes': listProductTaxCodes,
  'create-calculation': createCalculation,
  'create-transaction': createTransaction,
  'list-transactions': listTransactions,
  'get-transaction': getTransaction,
  'get-transaction-history': getTransactionHistory,
  'update-transaction': updateTransaction,
  'replay-transaction': replayTransaction,
  'create-reconciliation': createReconciliation,
  'create-filing': createFiling,
  'list-filings': listFilings,
  'get-filing': getFiling,
  'update-filing': updateFiling,
  'get-coverage': getCoverage,
  'get-rates': getRates,
  'get-openapi': getOpenapi,
  'get-docs': getDocs,
};
