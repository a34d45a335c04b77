import { accept, mapResult, type Result } from '../result.ts';
import type { Idempotency, Replay, SavedAnswer } from '../transactions/ledger.ts';
import { type Answered, answerOfReplay } from '../transactions/ports.ts';
import type { Filing } from './filing.ts';
import type { StoredFiling } from './ledger.ts';
import type { FilingPorts } from './ports.ts';

/** What a request is answered, and the filing that is then worked on. */
export type Decided = { readonly answered: Answered; readonly filing: StoredFiling | null };

/** 202 while there is something to be done, and where to look for what the request has made; else 200. */
export const filingReply = (filing: Filing, isNew = false): SavedAnswer => ({
  status: filing.progress.complete ? 200 : 202,
  body: JSON.stringify(filing),
  headers: isNew ? { Location: `filings/${filing.id}` } : {},
});

/** The answer to a request that came before: nothing is worked on. */
export const repliedBefore = (replay: Replay): Result<Decided> =>
  mapResult(answerOfReplay(replay), (answered) => ({ answered, filing: null }));

/** Answer what has changed nothing; its record is kept on the condition that a change would put on it. */
export const saveUnchanged = async (
  filing: StoredFiling,
  answer: SavedAnswer,
  idempotency: Idempotency | null,
  { ledger, now }: Pick<FilingPorts, 'ledger' | 'now'>,
): Promise<Result<Decided>> => {
  const saved = idempotency && (await ledger.saveAnswer(filing.account, { ...idempotency, answer }, now()));
  if (saved && saved.kind !== 'committed') return repliedBefore(saved);
  return accept({ answered: { answer, isReplayed: false }, filing });
};
