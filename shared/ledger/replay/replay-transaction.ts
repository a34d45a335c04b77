import type { Settings } from '../../accounts/account.ts';
import { accept, type Result, refuse } from '../../base/result.ts';
import { engineVersion } from '../../calculations/calculate.ts';
import { recordedCertificates } from '../../calculations/certificates.ts';
import type { Context } from '../../calculations/document.ts';
import { listAddresses } from '../../calculations/locate-lines.ts';
import type { LoadContent } from '../../catalog/content.ts';
import { ReleaseNotFound } from '../../catalog/loading/content-errors.ts';
import type { TaxAddress } from '../../catalog/location/address.ts';
import type { Ledger } from '../ledger.ts';
import { expireStoredIfDue } from '../lifecycle.ts';
import { notFound } from '../ports.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { listDifferences, type ReplayTotals } from './differences.ts';
import { replayCredit, replaySale } from './figures.ts';
import type { Replay, ReplayDifference } from './response.ts';

/** The ports of a replay, which stores nothing. */
export type ReplayPorts = {
  readonly ledger: Pick<Ledger, 'find'>;
  readonly loadContent: LoadContent;
  readonly now: () => number;
};

type Account = { readonly id: string; readonly settings: Settings };

const differencesMax = 100;

/**
 * Recalculate a recorded transaction and compare every figure: from its pinned releases and
 * settings, its tax date and its inputs, with the current engine. A credit of a sale is computed from the sale as of then,
 * which takes one more read.
 *
 * Refused: `not_found`. Where a replay is impossible, `match` is null and `reason` says why.
 */
export const replayTransaction = async (id: string, account: Account, ports: ReplayPorts): Promise<Result<Replay>> => {
  const found = await ports.ledger.find(account.id, id);
  if (!found) return refuse(notFound);
  const stored = expireStoredIfDue(found, ports.now());
  const parentId = stored.creditOf === null ? null : stored.transaction.parent_transaction_id;
  const sale = parentId === null ? null : await ports.ledger.find(account.id, parentId);
  if ([stored, sale].some((known) => known?.transaction.redacted_at !== undefined))
    return accept(answer(stored.transaction, erased));
  const context = await recordedContext(stored, sale ?? null, account.settings, ports);
  return accept(answer(stored.transaction, 'reason' in context ? context : replay(stored, sale, context)));
};

type Unknown = { readonly reason: NonNullable<Replay['reason']>; readonly detail: string };

const erased: Unknown = {
  reason: 'redacted',
  detail:
    'Its address was removed with the personal data, so the figures cannot be recalculated. They are as recorded.',
};

const replay = (
  stored: StoredTransaction,
  sale: StoredTransaction | null | undefined,
  context: Context,
): ReplayTotals | Unknown => {
  if (sale === null) return figuresOr(replaySale(stored, context));
  const { creditBasis: basis } = stored;
  if (!sale || !basis)
    return {
      reason: 'parent_not_known',
      detail: 'The state of the sale that this credit was computed from was not stored.',
    };
  return figuresOr(replayCredit({ stored, basis, sale, context }));
};

const figuresOr = (result: Result<ReplayTotals>): ReplayTotals | Unknown =>
  result.ok
    ? result.value
    : {
        reason: 'refused',
        detail: `The current engine rejects it: ${result.problems.map(({ title }) => title).join('; ')}.`,
      };

/** The original context of a transaction, without any active content; or the reason why it cannot be loaded. */
const recordedContext = async (
  { transaction, settingsSnapshot }: StoredTransaction,
  sale: StoredTransaction | null,
  account: Settings,
  { loadContent, now }: ReplayPorts,
): Promise<Context | Unknown> => {
  const settings = { ...account, ...settingsSnapshot };
  const { content_releases } = transaction;
  // Active content is not used: a place that had no content then has none in the replay.
  const isPinned = ({ state }: TaxAddress) => Object.hasOwn(content_releases, `US-${state}`);
  const documents = sale ? [transaction, sale.transaction] : [transaction];
  const addresses = documents.flatMap((document) => listAddresses(document, settings)).filter(isPinned);
  try {
    const found = await loadContent(addresses, content_releases);
    return {
      settings,
      now: now(),
      certificates: recordedCertificates(transaction),
      releaseFor: (address) => (isPinned(address) ? found(address) : undefined),
    };
  } catch (error) {
    if (!(error instanceof ReleaseNotFound)) throw error;
    return { reason: 'release_not_found', detail: `The content no longer has ${error.release}.` };
  }
};

const answer = (transaction: Transaction, replayed: ReplayTotals | Unknown): Replay => {
  const isKnown = !('reason' in replayed);
  const differences: readonly ReplayDifference[] = isKnown ? listDifferences(transaction, replayed) : [];
  return {
    object: 'replay',
    id: transaction.id,
    version: transaction.version,
    match: isKnown ? differences.length === 0 : null,
    reason: isKnown ? null : replayed.reason,
    detail: isKnown ? null : replayed.detail,
    engine_version: transaction.engine_version,
    replayed_engine_version: engineVersion,
    content_releases: transaction.content_releases,
    difference_count: differences.length,
    differences: differences.slice(0, differencesMax),
  };
};
