import { Calculation } from '../../calculations/response.ts';
import { Coverage } from '../../coverage/response.ts';
import { Filing, FilingList } from '../../filings/filing.ts';
import { Rates } from '../../rates/response.ts';
import { RetrievedTransaction, TransactionHistory } from '../../transactions/history/response.ts';
import { TransactionList } from '../../transactions/list-response.ts';
import { Reconciliation } from '../../transactions/reconciliation/response.ts';
import { Replay } from '../../transactions/replay/response.ts';
import { Transaction } from '../../transactions/transaction.ts';
import { ProductAttributesListResponse, ProductTaxCodeList } from '../../vocabulary/schema.ts';

/** The response bodies by the name that a definition gives them. */
export const responseSchemas = {
  Calculation,
  Coverage,
  Filing,
  FilingList,
  ProductAttributesListResponse,
  ProductTaxCodeList,
  Rates,
  Reconciliation,
  Replay,
  RetrievedTransaction,
  Transaction,
  TransactionHistory,
  TransactionList,
} as const;

export type ResponseSchema = keyof typeof responseSchemas;
