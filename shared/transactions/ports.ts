import type { Account } from '../accounts/account.ts';
import type { LoadContent } from '../content/content.ts';
import type { Problem } from '../problem.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Ledger, Replay, SavedAnswer } from './ledger.ts';
import type { StoredTransaction } from './transaction.ts';

/** Who asks, as far as the use cases need to know. */
export type Caller = {
  readonly account: Account;
  /** The credential's public name, for the audit trail. */
  readonly credential: string;
};

/** What the use cases need from outside. */
export type Ports = {
  readonly ledger: Ledger;
  readonly loadContent: LoadContent;
  /** The service's time in milliseconds. */
  readonly now: () => number;
  /** The most bytes that a transaction takes, whatever is credited of it. */
  readonly storedSize: (stored: StoredTransaction) => number;
  /** Whether the ledger has room for a transaction; one whose figures are new needs some for its credits beside. */
  readonly fitsItemLimit: (stored: StoredTransaction, figures: 'new' | 'kept') => boolean;
  /** How often a change is made again because what it rests on has moved. */
  readonly attemptsMax: number;
  /** Throws what tells the client to come back later. */
  readonly throwContention: () => never;
};

/** What a change needs beside: how long its invocation lasts, in milliseconds. */
export type ChangePorts = Ports & { readonly remainingMs: () => number };

/** What creating needs beside. */
export type CreatePorts = ChangePorts & { readonly newId: (timeMs: number) => string };

/** An answer, and whether it had been given before. */
export type Answered = { readonly answer: SavedAnswer; readonly isReplayed: boolean };

/** The answer to a request that came before, or the refusal of another request under its key (interface decisions 10). */
export const answerOfReplay = (replay: Replay): Result<Answered> =>
  replay.kind === 'replay'
    ? accept({ answer: replay.answer, isReplayed: true })
    : refuse({
        code: 'idempotency_key_reused',
        title: 'Idempotency-Key used before',
        detail: 'Another request was sent with this key in the last 24 hours. Send each request with a key of its own.',
        source: { header: 'Idempotency-Key' },
      });

export const referenceTaken = (transactionId: string): Problem => ({
  code: 'conflict_duplicate_reference_id',
  title: 'Duplicate reference_id',
  detail: 'Another transaction of the account has this reference_id. Void it, or send another one.',
  source: { pointer: '/reference_id' },
  meta: { transaction_id: transactionId },
});

export const tooLarge: Problem = {
  code: 'validation_body_too_large',
  title: 'Too large to store',
  detail: 'The transaction takes more than 300 KB compressed, with room for its credits. Split it into several.',
};

export const notFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No transaction of this account has this id.',
};
