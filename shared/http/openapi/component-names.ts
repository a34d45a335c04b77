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
import { Coverage, GeneralRate, StateCoverage, SubjectCoverage } from '../../coverage/response.ts';
import { TransactionList, TransactionRow } from '../../transactions/list-response.ts';
import { Replay, ReplayDifference } from '../../transactions/replay/response.ts';
import { TransactionRequest, TransactionUpdate } from '../../transactions/request.ts';
import { Transaction } from '../../transactions/transaction.ts';

/** What follows the name of a request's component where an answer repeats it: there it is closed, and never completed. */
export const echoSuffix = 'AsSent';

// The vocabulary names its own components, beside their schemas.
const names = {
  AddressResolution,
  Calculation,
  CalculationRequest,
  Coverage,
  Customer,
  Exemption,
  ExplanationStep,
  GeneralRate,
  LineItem: LineItemResponse,
  LineItemRequest,
  PostalAddress,
  Replay,
  ReplayDifference,
  ShipFrom,
  Shipping: ShippingResponse,
  ShippingRequest,
  StateCoverage,
  SubjectCoverage,
  TaxRow: TaxRowResponse,
  TaxSummaryRow,
  Transaction,
  TransactionFiling: Transaction.shape.filings._zod.def.element,
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
