/**
 * The endpoints and schedules of every deployment. A new one is a file in this folder, with an import and an entry of a list
 * here. infra/settings.ts names the other functions.
 */
import type { Schedule } from '../shared/http/define-schedule.ts';
import type { Endpoint } from '../shared/http/endpoint.ts';
import { schedule as closePeriods } from './close-periods.ts';
import { endpoint as createCalculation } from './create-calculation.ts';
import { endpoint as createCustomer } from './create-customer.ts';
import { endpoint as createFiling } from './create-filing.ts';
import { endpoint as createReconciliation } from './create-reconciliation.ts';
import { endpoint as createTransaction } from './create-transaction.ts';
import { endpoint as getAccount } from './get-account.ts';
import { endpoint as getConsole } from './get-console.ts';
import { endpoint as getCoverage } from './get-coverage.ts';
import { endpoint as getCustomer } from './get-customer.ts';
import { endpoint as getDocs } from './get-docs.ts';
import { endpoint as getFiling } from './get-filing.ts';
import { endpoint as getOpenapi } from './get-openapi.ts';
import { endpoint as getRates } from './get-rates.ts';
import { endpoint as getRegistrationAdvice } from './get-registration-advice.ts';
import { endpoint as getReportByState } from './get-report-by-state.ts';
import { endpoint as getTransaction } from './get-transaction.ts';
import { endpoint as getTransactionHistory } from './get-transaction-history.ts';
import { endpoint as listCustomers } from './list-customers.ts';
import { endpoint as listFilingExceptions } from './list-filing-exceptions.ts';
import { endpoint as listFilingPeriods } from './list-filing-periods.ts';
import { endpoint as listFilings } from './list-filings.ts';
import { endpoint as listProductAttributes } from './list-product-attributes.ts';
import { endpoint as listProductTaxCodes } from './list-product-tax-codes.ts';
import { endpoint as listTransactions } from './list-transactions.ts';
import { endpoint as replayTransaction } from './replay-transaction.ts';
import { schedule as sweepDrafts } from './sweep-drafts.ts';
import { endpoint as updateCustomer } from './update-customer.ts';
import { endpoint as updateFiling } from './update-filing.ts';
import { endpoint as updateTransaction } from './update-transaction.ts';

// In the order of the documentation.
const allEndpoints = [
  listProductAttributes,
  listProductTaxCodes,
  createCalculation,
  createTransaction,
  listTransactions,
  getTransaction,
  getTransactionHistory,
  updateTransaction,
  replayTransaction,
  createCustomer,
  listCustomers,
  getCustomer,
  updateCustomer,
  createFiling,
  listFilings,
  getFiling,
  listFilingExceptions,
  updateFiling,
  listFilingPeriods,
  createReconciliation,
  getReportByState,
  getRegistrationAdvice,
  getAccount,
  getCoverage,
  getRates,
  getOpenapi,
  getDocs,
  getConsole,
] as const;

const allSchedules = [sweepDrafts, closePeriods] as const;

export type Operation = (typeof allEndpoints)[number]['name'];
export type ScheduleName = (typeof allSchedules)[number]['name'];

const byName = <Name extends string, Definition extends { readonly name: Name }>(definitions: readonly Definition[]) =>
  Object.fromEntries(definitions.map((definition) => [definition.name, definition])) as Record<
    Definition['name'],
    Definition
  >;

/** By operation, which is the name of the file. */
export const endpoints: Readonly<Record<Operation, Endpoint<Operation>>> = byName(allEndpoints);

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
