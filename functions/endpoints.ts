/**
 * The endpoints and schedules of every deployment. To add one, create a file in this folder and add it to a list here.
 * infra/settings.ts lists the other functions.
 */
import type { Schedule } from '../shared/api/define-schedule.ts';
import type { DocumentedEndpoint } from '../shared/api/endpoint.ts';
import { schedule as closePeriods } from './close-periods.ts';
import * as createCalculation from './create-calculation.ts';
import * as createCustomer from './create-customer.ts';
import * as createFiling from './create-filing.ts';
import * as createReconciliation from './create-reconciliation.ts';
import * as createTransaction from './create-transaction.ts';
import * as getAccount from './get-account.ts';
import * as getConsole from './get-console.ts';
import * as getCoverage from './get-coverage.ts';
import * as getCustomer from './get-customer.ts';
import * as getDocs from './get-docs.ts';
import * as getFiling from './get-filing.ts';
import * as getOpenapi from './get-openapi.ts';
import * as getRates from './get-rates.ts';
import * as getRegistrationAdvice from './get-registration-advice.ts';
import * as getReportByState from './get-report-by-state.ts';
import * as getTransaction from './get-transaction.ts';
import * as getTransactionHistory from './get-transaction-history.ts';
import * as listCustomers from './list-customers.ts';
import * as listFilingExceptions from './list-filing-exceptions.ts';
import * as listFilingPeriods from './list-filing-periods.ts';
import * as listFilings from './list-filings.ts';
import * as listProductAttributes from './list-product-attributes.ts';
import * as listProductTaxCodes from './list-product-tax-codes.ts';
import * as listTransactions from './list-transactions.ts';
import * as replayTransaction from './replay-transaction.ts';
import { schedule as sweepDrafts } from './sweep-drafts.ts';
import * as updateAccount from './update-account.ts';
import * as updateCustomer from './update-customer.ts';
import * as updateFiling from './update-filing.ts';
import * as updateSession from './update-session.ts';
import * as updateTransaction from './update-transaction.ts';

/** The groups of the documentation page, each with an introduction in Markdown, in the order of a typical integration. */
const groups = {
  'Calculate tax': {
    text: 'Estimate the tax on an order. Levy stores nothing, so call it whenever the cart changes.',
    modules: [createCalculation, getRates],
  },
  'Record sales and refunds': {
    text: 'Record what you sold and what you refunded. A sale and its refunds are transactions of one kind: a refund is `POST /transactions` with `type: credit`, and its amounts are positive.',
    modules: [createTransaction],
  },
  'Finalize, change or void': {
    text: 'Finalize or void a transaction, and change the fields that its status allows.',
    modules: [updateTransaction],
  },
  'Exempt customers': {
    text: 'Store the exemption certificates of your customers. Calculations and transactions that name a customer apply the certificate that is valid on their tax date.',
    modules: [createCustomer, updateCustomer, getCustomer, listCustomers],
  },
  'File tax returns': {
    text: "Preview and close a state's period, read the tax due, and mark the return as filed.",
    modules: [createFiling, getFiling, listFilingExceptions, updateFiling, listFilings, listFilingPeriods],
  },
  'Read and reconcile the ledger': {
    text: 'Retrieve, list, replay and compare recorded transactions.',
    modules: [getTransaction, listTransactions, getTransactionHistory, replayTransaction, createReconciliation],
  },
  'Report and register': {
    text: 'Sales by state and month, and the states whose economic nexus threshold they reach.',
    modules: [getReportByState, getRegistrationAdvice],
  },
  'Look up codes and coverage': {
    text: 'Product tax codes, product attributes, the coverage of each state, and the settings of the account.',
    modules: [
      listProductTaxCodes,
      listProductAttributes,
      getCoverage,
      getAccount,
      updateAccount,
      updateSession,
      getOpenapi,
      getDocs,
      getConsole,
    ],
  },
};

/** The tags of the OpenAPI document: the first segments of their paths, and their descriptions. */
export const tags = {
  'Product attributes': {
    paths: ['/product-attributes'],
    description: 'Facts about a product that can change its tax, to append to product tax codes.',
  },
  'Product tax codes': { paths: ['/product-tax-codes'], description: 'Kinds of products that states tax differently.' },
  Calculations: { paths: ['/calculations'], description: 'The tax on an order or a refund. Levy stores nothing.' },
  Transactions: {
    paths: ['/transactions', '/reconciliations'],
    description: 'Recorded sales and credits, from draft to filed.',
  },
  Customers: { paths: ['/customers'], description: 'Buyers and their exemption certificates.' },
  Filings: {
    paths: ['/filings', '/filing-periods'],
    description: 'Tax returns: the amounts for a state and period, and whether the return was filed.',
  },
  Reports: { paths: ['/reports'], description: 'Ledger totals by state and month.' },
  Registrations: {
    paths: ['/registrations'],
    description: 'Where the account must register to collect tax (economic nexus).',
  },
  Account: { paths: ['/account', '/session'], description: 'The account of a credential, and its settings.' },
  Rates: { paths: ['/rates'], description: 'The tax rates of an address, without an order.' },
  Coverage: {
    paths: ['/coverage'],
    description: 'The states, taxes and products that the tax content covers, with sources.',
  },
  Documentation: {
    paths: ['/openapi.json', '/docs', '/console'],
    description: 'The OpenAPI document and the documentation page.',
  },
};

const allSchedules = [sweepDrafts, closePeriods] as const;

type Group = keyof typeof groups;
type Module = (typeof groups)[Group]['modules'][number];
export type Operation = Module['endpoint']['name'];
export type ScheduleName = (typeof allSchedules)[number]['name'];

const byName = <Name extends string, Definition extends { readonly name: Name }>(definitions: readonly Definition[]) =>
  Object.fromEntries(definitions.map((definition) => [definition.name, definition])) as Record<
    Definition['name'],
    Definition
  >;

/** The endpoints by operation, which is also the file name. */
export const endpoints: Readonly<Record<Operation, DocumentedEndpoint<Operation>>> = byName(
  Object.entries(groups).flatMap(([group, { modules }]) =>
    modules.map(({ endpoint, documentation }) => ({ ...endpoint, ...documentation(), group })),
  ),
);

/** The title and the introduction of each group. */
export const groupTexts = Object.entries(groups).map(([title, { text }]) => ({ title, text }));

export const schedules: Readonly<Record<ScheduleName, Schedule<ScheduleName>>> = byName(allSchedules);

/** The methods of each path, for the header `Allow`. */
export const methodsByPath: Readonly<Record<string, string>> = Object.fromEntries(
  [...Map.groupBy(Object.values(endpoints), ({ path }) => path)].map(([path, offered]) => [
    path,
    offered
      .map(({ method }) => method)
      .sort()
      .join(', '),
  ]),
);
