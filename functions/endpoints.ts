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

/** The endpoints by group of the documentation page, in the order of a typical integration. */
const groups = {
  'Calculate tax': [createCalculation, getRates],
  'Record sales and refunds': [createTransaction],
  'Finalize, change or void': [updateTransaction],
  'Exempt customers': [createCustomer, updateCustomer, getCustomer, listCustomers],
  'File tax returns': [createFiling, getFiling, listFilingExceptions, updateFiling, listFilings, listFilingPeriods],
  'Read and reconcile the ledger': [
    getTransaction,
    listTransactions,
    getTransactionHistory,
    replayTransaction,
    createReconciliation,
  ],
  'Report and register': [getReportByState, getRegistrationAdvice],
  'Look up codes and coverage': [
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
};

const allSchedules = [sweepDrafts, closePeriods] as const;

type Group = keyof typeof groups;
type Module = (typeof groups)[Group][number];
export type Operation = Module['endpoint']['name'];
export type ScheduleName = (typeof allSchedules)[number]['name'];

const byName = <Name extends string, Definition extends { readonly name: Name }>(definitions: readonly Definition[]) =>
  Object.fromEntries(definitions.map((definition) => [definition.name, definition])) as Record<
    Definition['name'],
    Definition
  >;

/** The endpoints by operation, which is also the file name. */
export const endpoints: Readonly<Record<Operation, DocumentedEndpoint<Operation>>> = byName(
  (Object.entries(groups) as [Group, readonly Module[]][]).flatMap(([group, modules]) =>
    modules.map(({ endpoint, documentation }) => ({ ...endpoint, ...documentation(), group })),
  ),
);

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
