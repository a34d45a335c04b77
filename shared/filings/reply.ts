import { accept, mapResult, type Result } from '../result.ts';
import type { Idempotency, Replay, SavedAnswer } from '../transactions/ledger.ts';
import { type Answered, answerOfReplay } from '../transactions/ports.ts';
import type { Filing } from './filing.ts';
import type { StoredFiling } from './ledger.ts';
import type { FilingPorts } from './ports.ts';

/** The answer to a request, and the filing to work on afterwards. */
export type Decided = { readonly answered: Answered; readonly filing: StoredFiling | null };

/** 202 with `Location` while work remains; otherwise 200. */
export const filingReply = (filing: Filing, isNew = false): SavedAnswer => ({
  status: filing.progress.complete ? 200 : 202,
  body: JSON.stringify(filing),
  headers: isNew ? { Location: `filings/${filing.id}` } : {},
});

/** The answer to a repeated request, which starts no work. */
export const repliedBefore = (replay: Replay): Result<Decided> =>
  mapResult(answerOfReplay(replay), (answered) => ({ answered, filing: null }));

/** Answer a request that changed nothing. Its idempotency record is still written, on the same condition. */
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
