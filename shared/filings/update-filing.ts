import { assert } from '../base/assert.ts';
import { type Problem, type Result, refuse } from '../base/result.ts';

import type { SavedResponse } from '../ledger/ports.ts';
import { type FilingSequence, nextTime, type StoredFiling } from './filing.ts';
import {
  changeResponse,
  commitChange,
  type Decision,
  type FilingCall,
  summedUp,
  unchanged,
} from './filing-response.ts';
import type { FilingCommit, Phase, ShardProgress } from './ports.ts';
import * as problems from './problems.ts';
import type { FilingUpdate } from './request.ts';
import { toExceptionSums } from './totals-response.ts';
import { decideAndProcess } from './work-on.ts';

/**
 * Marks a filing as filed, or cancels it. Its transactions are then marked, or its entries reopened, in the background.
 *
 * Refused in this order: `not_found`, `conflict_invalid_status_transition`, `conflict_immutable_field` for a different
 * confirmation number without the current one as `previous_confirmation_number`, `conflict_exceptions_not_acknowledged`, `conflict_period_order` if a newer filing of the state
 * must be canceled first.
 */
export const updateFiling = (id: string, request: FilingUpdate, call: FilingCall): Promise<Result<SavedResponse>> =>
  decideAndProcess(call, () => updateOnce(id, request, call));

const updateOnce = async (id: string, request: FilingUpdate, call: FilingCall): Promise<Decision> => {
  const { account } = call.caller;
  const { filings } = call.ports;
  const filing = await filings.find(account.id, id);
  if (!filing) return refuse(problems.filingNotFound);
  const shards = await filings.progress(account.id, id);
  if (hasStatus(filing, request.status)) {
    const { confirmation_number: number, acknowledge_exceptions } = request;
    const isCorrection = number != null && number !== filing.confirmation_number;
    const problem = isCorrection ? correctionProblem(filing, request) : null;
    if (problem) return refuse(problem);
    if (acknowledge_exceptions != null && isUnacknowledged(shards, request))
      return refuse(problems.exceptionsNotAcknowledged(exceptionCount(shards)));
    if (isCorrection) return correct(filing, shards, number, call);
    return unchanged(filing, await changeResponse(filing, shards, account, call.ports), call);
  }
  const problem = problems.filingTransitionProblem(filing, request.status);
  if (problem) return refuse(problem);
  if (request.previous_confirmation_number != null) return refuse(problems.otherPreviousNumber);
  if (request.status === 'filed' && isUnacknowledged(shards, request))
    return refuse(problems.exceptionsNotAcknowledged(exceptionCount(shards)));
  const [chain = null] = request.status === 'canceled' ? await filings.chains(account.id, [filing.state]) : [];
  if (chain?.last && chain.last.filing !== id) {
    const newest = await filings.find(account.id, chain.last.filing);
    assert(newest !== undefined, 'A filing sequence ends with a missing filing.');
    const isFiled = newest.status === 'marking' || newest.status === 'filed';
    return refuse(problems.cancelFirst(filing.state, newest.period_end, isFiled));
  }
  return change(filing, shards, chain, request, call);
};

const exceptionCount = (shards: readonly ShardProgress[]): number => toExceptionSums(summedUp(shards)).count;

// A request without `acknowledge_exceptions` acknowledges zero.
const isUnacknowledged = (shards: readonly ShardProgress[], { acknowledge_exceptions }: FilingUpdate): boolean =>
  (acknowledge_exceptions ?? 0) !== exceptionCount(shards);

const correctionProblem = (
  { confirmation_number, corrections }: StoredFiling,
  { previous_confirmation_number: previous }: FilingUpdate,
): Problem | null => {
  if (previous == null) return problems.confirmationFixed;
  if (previous !== confirmation_number) return problems.otherPreviousNumber;
  return corrections.length < problems.correctionsMax ? null : problems.tooManyCorrections;
};

/** Replaces the confirmation number, and records who did it. */
const correct = async (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  to: string,
  call: FilingCall,
): Promise<Decision> => {
  const nowMs = call.ports.now();
  const correction = { at: nextTime(before, nowMs), by: call.caller.credential, from: before.confirmation_number, to };
  const corrections = [...before.corrections, correction];
  const after = { ...before, confirmation_number: to, corrections, version: before.version + 1 };
  const commit = { filing: before, nowMs, head: { before, after } };
  return commitChange({ commit, filing: after, shards }, call);
};

// A filing that is being marked counts as filed.
const hasStatus = ({ status }: StoredFiling, requested: FilingUpdate['status']): boolean =>
  status === requested || (status === 'marking' && requested === 'filed');

/** The filing after the change, before its entries are processed. */
const changed = (filing: StoredFiling, request: FilingUpdate, credential: string, nowMs: number): StoredFiling => ({
  ...filing,
  ...(request.status === 'filed'
    ? {
        status: 'marking',
        confirmation_number: request.confirmation_number ?? null,
        filed_by: credential,
        filed_requested_at: new Date(nowMs).toISOString(),
      }
    : { status: 'canceled', canceled_at: nextTime(filing, nowMs) }),
  isUnfinished: true,
  version: filing.version + 1,
});

const change = async (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  chain: FilingSequence | null,
  request: FilingUpdate,
  call: FilingCall,
): Promise<Decision> => {
  const nowMs = call.ports.now();
  const after = changed(before, request, call.caller.credential, nowMs);
  const phase: Phase = request.status === 'filed' ? 'mark' : 'reopen';
  const progress = shards.map((shard) => ({
    before: shard,
    after: { ...shard, phase, isDone: false, cursor: null, version: shard.version + 1 },
  }));
  const commit: FilingCommit = {
    filing: before,
    nowMs,
    head: { before, after },
    // No other filing of the state starts before the entries are open again.
    chain: chain && { before: chain, after: { ...chain, isBusy: true, version: chain.version + 1 } },
    progress,
  };
  const begun = progress.map((change) => change.after);
  return commitChange({ commit, filing: after, shards: begun }, call);
};
