import { assert } from '../base/assert.ts';
import { type Result, refuse } from '../base/result.ts';
import type { Caller, Idempotency, ReplayableResponse } from '../ledger/ports.ts';
import { changeAnswer, type Decided, decidedBy, filingReply, repliedBefore, summedUp, unchanged } from './answer.ts';
import { filingCommit } from './begin.ts';
import type { FilingSequence, Phase, ShardProgress, StoredFiling } from './ledger.ts';
import type { FilingChange, FilingPorts } from './ports.ts';
import {
  cancelFirst,
  confirmationFixed,
  exceptionsNotAcknowledged,
  filingNotFound,
  filingTransitionProblem,
  newerFiled,
} from './problems.ts';
import { answeredExceptions } from './totals-answer.ts';
import { decideAndProcess } from './work-on.ts';

/**
 * Mark a filing as filed, or cancel it. Its transactions are then marked, or its entries reopened, in the background.
 *
 * Refused in this order: `not_found`, `conflict_invalid_status_transition`, `conflict_immutable_field` for another
 * confirmation number, `conflict_exceptions_not_acknowledged`, `conflict_period_order` where a newer filing of the
 * state would have to be canceled first.
 */
export const updateFiling = async (
  request: FilingChange,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
): Promise<Result<ReplayableResponse>> =>
  decideAndProcess(() => updateOnce(request, idempotency, caller, ports), ports);

const updateOnce = async (
  request: FilingChange,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const { filings, ledger, now } = ports;
  const account = caller.account.id;
  const replay = idempotency && (await ledger.findReplay(account, idempotency, now()));
  if (replay) return repliedBefore(replay);
  const filing = await filings.find(account, request.id);
  if (!filing) return refuse(filingNotFound);
  const shards = await filings.progress(account, filing.id);
  if (hasStatus(filing, request.status)) {
    if (request.confirmation_number !== null && request.confirmation_number !== filing.confirmation_number)
      return refuse(confirmationFixed);
    if (request.acknowledge_exceptions !== null && isUnacknowledged(shards, request))
      return refuse(exceptionsNotAcknowledged(exceptionCount(shards)));
    const answer = await changeAnswer(filing, shards, caller.account, ports);
    return unchanged(filing, filingReply(answer), idempotency, ports);
  }
  const problem = filingTransitionProblem(filing, request.status);
  if (problem) return refuse(problem);
  if (request.status === 'filed' && isUnacknowledged(shards, request))
    return refuse(exceptionsNotAcknowledged(exceptionCount(shards)));
  const [chain = null] = request.status === 'canceled' ? await filings.chains(account, [filing.state]) : [];
  if (chain?.last && chain.last.filing !== filing.id) {
    const newest = await filings.find(account, chain.last.filing);
    assert(newest !== undefined, 'A chain ends with a missing filing.');
    const isFiled = newest.status === 'marking' || newest.status === 'filed';
    return refuse((isFiled ? newerFiled : cancelFirst)(filing.state, newest.period_end));
  }
  return change(filing, shards, chain, request, idempotency, caller, ports);
};

const exceptionCount = (shards: readonly ShardProgress[]): number => answeredExceptions(summedUp(shards)).count;

// A request without `acknowledge_exceptions` acknowledges zero.
const isUnacknowledged = (shards: readonly ShardProgress[], { acknowledge_exceptions }: FilingChange): boolean =>
  (acknowledge_exceptions ?? 0) !== exceptionCount(shards);

// A filing that is being marked counts as filed.
const hasStatus = ({ status }: StoredFiling, requested: FilingChange['status']): boolean =>
  status === requested || (status === 'marking' && requested === 'filed');

const begun = (progress: ShardProgress, phase: Phase): ShardProgress => ({
  ...progress,
  phase,
  isDone: false,
  cursor: null,
  version: progress.version + 1,
});

/** The filing after the change, before its entries are processed. */
const changed = (filing: StoredFiling, request: FilingChange, credential: string, nowMs: number): StoredFiling => ({
  ...filing,
  ...(request.status === 'filed'
    ? { status: 'marking', confirmation_number: request.confirmation_number, filed_by: credential }
    : { status: 'canceled', canceled_at: new Date(nowMs).toISOString() }),
  isUnfinished: true,
  version: filing.version + 1,
});

const change = async (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  chain: FilingSequence | null,
  request: FilingChange,
  idempotency: Idempotency | null,
  { account, credential }: Caller,
  { filings, now }: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const nowMs = now();
  const after = changed(before, request, credential, nowMs);
  const phase = request.status === 'filed' ? 'mark' : 'reopen';
  const begunShards = shards.map((progress) => begun(progress, phase));
  const answer = filingReply(await changeAnswer(after, begunShards, account, { filings }));
  const committed = await filings.commit(
    filingCommit(before, nowMs, {
      idempotency: idempotency && { ...idempotency, answer },
      head: { before, after },
      // No other filing of the state begins before the entries are open again.
      chain: chain && { before: chain, after: { ...chain, isBusy: true, version: chain.version + 1 } },
      progress: shards.map((progress, at) => ({ before: progress, after: begunShards[at] ?? progress })),
      work: 'put',
    }),
  );
  return decidedBy(committed, answer, after);
};
