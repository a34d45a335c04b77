import { accept, mapResult, type Result, refuse } from '../result.ts';
import type { Idempotency } from '../transactions/ledger.ts';
import type { Answered, Caller } from '../transactions/ports.ts';
import { retryWhileStale } from '../transactions/retry-while-stale.ts';
import { filingAnswer } from './answer.ts';
import { beginning, newFiling, newShards } from './begin.ts';
import { dryRun } from './dry-run.ts';
import type { Chain } from './ledger.ts';
import { nextPeriod, periodToClose } from './next-period.ts';
import type { Period } from './periods.ts';
import type { FilingAsked, FilingPorts } from './ports.ts';
import { inProgress } from './problems.ts';
import { type Decided, filingReply, repliedBefore, saveUnchanged } from './reply.ts';
import { processInline } from './work-on.ts';

/**
 * Close a state's period (interface decisions 8): all open entries up to its end move into the filing. A period that
 * already has a filing returns it.
 *
 * Refused with `validation_invalid_format` at /period_end, `conflict_period_not_over`, `conflict_filing_in_progress`,
 * `conflict_period_order`; a dry run also with `validation_too_many_entries`.
 */
export const createFiling = async (
  asked: FilingAsked,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
): Promise<Result<Answered>> => {
  const decided = await retryWhileStale(() => createOnce(asked, idempotency, caller, ports), ports);
  if (!decided.ok) return decided;
  const { answered, filing } = decided.value;
  if (filing) await processInline(filing, ports);
  return accept(answered);
};

const createOnce = async (
  asked: FilingAsked,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const { account } = caller;
  const { filings, ledger, now } = ports;
  const nowMs = now();
  const replay = idempotency && (await ledger.findReplay(account.id, idempotency, nowMs));
  if (replay) return repliedBefore(replay);
  // In this order: a filing that begins in between is found by its period.
  const [chain = null] = await filings.chains(account.id, [asked.state]);
  const existing = await filings.filingOfPeriod(account.id, asked.state, asked.period_end);
  if (existing !== undefined) return answerExisting(existing, asked, idempotency, caller, ports);
  const next = await nextPeriod(account, asked.state, chain, filings);
  const period = periodToClose(asked, account, chain, next, nowMs);
  if ('code' in period) return refuse(period);
  if (asked.dry_run) {
    const totals = await dryRun(account, asked.state, period, caller.credential, ports);
    return mapResult(totals, (filing) => ({
      answered: { answer: filingReply(filing), isReplayed: false },
      filing: null,
    }));
  }
  return begin(asked.state, period, chain, idempotency, caller, ports);
};

const begin = async (
  state: string,
  period: Period,
  chain: Chain | null,
  idempotency: Idempotency | null,
  { account, credential }: Caller,
  { filings, now, newId }: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const nowMs = now();
  const filing = newFiling({
    account: account.id,
    id: newId(nowMs),
    state,
    period,
    previous: chain?.last ?? null,
    askedBy: credential,
    nowMs,
  });
  const shards = newShards(filings.shards);
  const answer = filingReply(filingAnswer(filing, shards), true);
  const committed = await filings.commit(beginning(filing, shards, chain, idempotency && { ...idempotency, answer }));
  if (committed.kind === 'stale') return 'stale';
  if (committed.kind !== 'committed') return repliedBefore(committed);
  return accept({ answered: { answer, isReplayed: false }, filing });
};

/** The existing filing of the period. The idempotency key is recorded, except for a dry run, which stores nothing. */
const answerExisting = async (
  id: string,
  { state, dry_run }: FilingAsked,
  idempotency: Idempotency | null,
  { account }: Caller,
  ports: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const filing = await ports.filings.find(account.id, id);
  if (!filing) throw new Error('A period names a missing filing.');
  if (filing.status === 'canceled') return filing.isUnfinished ? refuse(inProgress(state, id)) : 'stale';
  const answer = filingReply(filingAnswer(filing, await ports.filings.progress(account.id, id)));
  if (dry_run) return accept({ answered: { answer, isReplayed: false }, filing: null });
  return saveUnchanged(filing, answer, idempotency, ports);
};
