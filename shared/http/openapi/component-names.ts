import * as z from 'zod/mini';
import { Customer, Exemption, ShipFrom } from '../../calculations/fields.ts';
import { CalculationRequest, LineItemRequest, ShippingRequest } from '../../calculations/request.ts';
import {
  AddressResolution,
  Calculation,
  ExplanationStep,
  LineItemResponse,
  ShippingResponse,
  TaxRowResponse,
  TaxSummaryRow,
  Warning,
} from '../../calculations/response.ts';
import { PostalAddress } from '../../content/location/postal-address.ts';
import {
  Attribution,
  Coverage,
  GeneralRate,
  LocalCoverage,
  StateCoverage,
  SubjectCoverage,
} from '../../coverage/response.ts';
import {
  Filing,
  FilingEntries,
  FilingEntry,
  FilingList,
  FilingProgress,
  FilingRate,
  FilingSummary,
  FilingTotal,
} from '../../filings/filing.ts';
import { FilingRequest, FilingUpdate } from '../../filings/request.ts';
import { JurisdictionRate, Rates, RatesAddress } from '../../rates/response.ts';
import { HistoryEntry, RetrievedTransaction, TransactionHistory } from '../../transactions/history/response.ts';
import { TransactionList, TransactionRow } from '../../transactions/list-response.ts';
import { BilledTransaction, ReconciliationRequest } from '../../transactions/reconciliation/request.ts';
import {
  DifferentTransaction,
  ExtraTransaction,
  MissingTransaction,
  ReconciledAmounts,
  Reconciliation,
} from '../../transactions/reconciliation/response.ts';
import { Replay, ReplayDifference } from '../../transactions/replay/response.ts';
import { TransactionRequest, TransactionUpdate } from '../../transactions/request.ts';
import { Transaction } from '../../transactions/transaction.ts';

/** What follows the name of a request's component where an answer repeats it: there it is closed, and never completed. */
export const echoSuffix = 'AsSent';

// The vocabulary names its own components, beside their schemas.
const names = {
  AddressResolution,
  Attribution,
  BilledTransactionRequest: BilledTransaction,
  Calculation,
  CalculationRequest,
  Coverage,
  Customer,
  DifferentTransaction,
  Exemption,
  ExplanationStep,
  ExtraTransaction,
  Filing,
  FilingEntries,
  FilingEntry,
  FilingEntryAmount: FilingEntry.shape.amounts._zod.def.element,
  FilingList,
  FilingProgress,
  FilingRate,
  FilingRequest,
  FilingSummary,
  FilingTotal,
  FilingUpdate,
  FilingWarning: Filing.shape.warnings._zod.def.element,
  GeneralRate,
  HistoryEntry,
  JurisdictionRate,
  LineItem: LineItemResponse,
  LineItemRequest,
  LocalCoverage,
  MissingTransaction,
  PostalAddress,
  Rates,
  RatesAddress,
  ReconciledAmounts,
  Reconciliation,
  ReconciliationRequest,
  Replay,
  ReplayDifference,
  RetrievedTransaction,
  ShipFrom,
  Shipping: ShippingResponse,
  ShippingRequest,
  StateCoverage,
  SubjectCoverage,
  TaxRow: TaxRowResponse,
  TaxSummaryRow,
  Transaction,
  TransactionFiling: Transaction.shape.filings._zod.def.element,
  TransactionHistory,
  TransactionList,
  TransactionListItem: TransactionRow,
  TransactionRequest,
  TransactionUpdate,
  Warning,
} as const;

/** Give the schemas the names that clients read, and that generated code has for its types. */
export const nameComponents = (): void => {
  for (const [id, schema] of Object.entries(names)) z.globalRegistry.add(schema, { id });
};
