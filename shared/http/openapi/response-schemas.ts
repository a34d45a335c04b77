import { AccountAnswer } from '../../accounts/response.ts';
import { Calculation } from '../../calculations/response.ts';
import { Coverage } from '../../coverage/response.ts';
import { CustomerList, StoredCustomer } from '../../customers/response.ts';
import { FilingPeriodList } from '../../filings/period-response.ts';
import { Filing, FilingExceptionList, FilingList } from '../../filings/response.ts';
import { Rates } from '../../rates/response.ts';
import { RegistrationAdvice } from '../../registrations/response.ts';
import { ReportByState } from '../../reports/response.ts';
import { RetrievedTransaction, TransactionHistory } from '../../transactions/history/response.ts';
import { Reconciliation } from '../../transactions/reconciliation/response.ts';
import { Replay } from '../../transactions/replay/response.ts';
import { Transaction, TransactionList } from '../../transactions/response.ts';
import { ProductAttributesListResponse, ProductTaxCodeList } from '../../vocabulary/schema.ts';

/** The schemas of responses by the names that endpoint definitions use, so that functions do not build the schemas. */
export const responseSchemas = {
  AccountAnswer,
  Calculation,
  Coverage,
  CustomerList,
  Filing,
  FilingExceptionList,
  FilingList,
  FilingPeriodList,
  ProductAttributesListResponse,
  ProductTaxCodeList,
  Rates,
  Reconciliation,
  RegistrationAdvice,
  Replay,
  ReportByState,
  RetrievedTransaction,
  StoredCustomer,
  Transaction,
  TransactionHistory,
  TransactionList,
} as const;
export type ResponseSchemaName = keyof typeof responseSchemas;
