import type { Account } from '../accounts/account.ts';
import type { RemainingMs } from '../base/contention.ts';
import type { Problem } from '../base/problem.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { FindCertificates } from '../calculations/certificates.ts';
import type { LoadContent } from '../catalog/content.ts';
import type { AnswerOwner, Idempotency, Ledger, Replay, SavedResponse } from './ledger.ts';
import type { StoredTransaction, Transaction } from './transaction.ts';

/** The caller: account and credential. */
export type Caller = {
  readonly account: Account;
  /** The credential's public name (`key_…`, or `token:` and a token's subject), for the audit trail; never the secret. */
  readonly credential: string;
};

/** The ports of the use cases. */
export type Ports = {
  readonly ledger: Ledger;
  readonly loadContent: LoadContent;
  readonly customers: { readonly findSome: FindCertificates };
  /** The service's time in milliseconds. */
  readonly now: () => number;
  /** The most bytes that a transaction takes, including its credit counters. */
  readonly storedSize: (stored: StoredTransaction) => number;
  /** Whether a transaction fits into an item. New amounts need room for credit counters as well. */
  readonly fitsItemLimit: (stored: StoredTransaction, figures: 'new' | 'kept') => boolean;
};

/** The ports of a change. */
export type ChangePorts = Ports & { readonly remainingMs: RemainingMs };

/** The additional port of creating. */
export type CreatePorts = ChangePorts & { readonly newId: (timeMs: number) => string };

/** An answer, and whether it is a replay of an earlier one. */
export type ReplayableResponse = {
  readonly answer: SavedResponse;
  readonly isReplayed: boolean;
  /** The transaction that this request created. */
  readonly transaction?: Transaction;
};

/**
 * The response with a transaction, with its version as the entity tag.
 *
 * `Location` is relative to the request's path, because functions do not know the deployed stage.
 */
export const transactionResponse = (status: 200 | 201, transaction: Transaction): SavedResponse => ({
  status,
  body: JSON.stringify(transaction),
  headers: {
    ETag: `"${transaction.version}"`,
    ...(status === 201 && { Location: `transactions/${transaction.id}` }),
  },
});

/** The saved answer of a repeated request, or the refusal of a different request with the same key. */
export const answerOfReplay = (replay: Replay): Result<ReplayableResponse> =>
  replay.kind === 'replay'
    ? accept({ answer: replay.answer, isReplayed: true })
    : refuse({
        code: 'idempotency_key_reused',
        title: 'Idempotency-Key used before',
        detail: 'A different request used this key in the last 24 hours. Send a new key with each request.',
        source: { header: 'Idempotency-Key' },
      });

/** Answer a request that changed nothing. Its idempotency record is still written, on the same condition. */
export const saveUnchanged = async (
  account: string,
  answer: SavedResponse,
  idempotency: Idempotency | null,
  { ledger, now }: Pick<Ports, 'now'> & { readonly ledger: Pick<Ledger, 'saveAnswer'> },
  owner?: AnswerOwner,
): Promise<Result<ReplayableResponse>> => {
  const saved = idempotency && (await ledger.saveAnswer(account, { ...idempotency, answer }, now(), owner));
  return saved && saved.kind !== 'committed' ? answerOfReplay(saved) : accept({ answer, isReplayed: false });
};

export const referenceTaken = (transactionId: string, reference: string): Problem => ({
  code: 'conflict_duplicate_reference_id',
  title: 'Duplicate reference_id',
  detail: `${transactionId} has the reference_id ${reference}. If it is your earlier attempt, use it; otherwise send another reference_id.`,
  source: { pointer: '/reference_id' },
  meta: { transaction_id: transactionId },
});

/** The refusal of a document whose response would be too large for Lambda, before anything is stored. */
export const answerTooLarge = ({ explanation }: Pick<Transaction, 'explanation'>): Problem => ({
  code: 'validation_body_too_large',
  title: 'Response too large',
  detail: `The response would take more than 6 MB. ${explanation ? 'Leave out explain, or split' : 'Split'} the document into several.`,
});

export const tooLarge: Problem = {
  code: 'validation_body_too_large',
  title: 'Too large to store',
  detail: 'The transaction takes more than 300 KB compressed, with room for its credits. Split it into several.',
};

export const notFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail:
    'No transaction of this account has this id. To find one by your own id, send GET /transactions?reference_id=… instead.',
};

/** The refusal of a change whose If-Match has other versions than this one, the current one. */
export const otherVersion = (version: number, resource: 'transaction' | 'customer' = 'transaction'): Problem => ({
  code: 'precondition_failed',
  title: 'Precondition Failed',
  detail: `The ${resource} is at version ${version}. Read it again, then retry with the new ETag.`,
  source: { header: 'If-Match' },
  meta: { version },
});

/** The daily sweep: its day, and the last account that it has checked. */
export type SweepPosition = { readonly day: string; readonly after: string | null; readonly isDone: boolean };
