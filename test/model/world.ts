import { invoke } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { type Finding, findingText } from '../../shared/cli/ledger/checks.ts';
import { verifyAccount } from '../../shared/cli/ledger/verify-account.ts';
import { advanceClock } from '../../shared/config/clock.ts';
import { redactTransaction } from '../../shared/ledger/personal-data/redact.ts';
import type { Swept } from '../../shared/ledger/sweep-drafts.ts';
import { redactionPorts } from '../../shared/store/ledger/redaction-ports.ts';
import { type Call, type Caller, newCaller } from '../support/api.ts';
import { callHandler } from '../support/handler-calls.ts';
import type { Both, Terms, World } from './book.ts';

/** A client that calls the functions of the endpoints directly. */
const sendEvents =
  (key: string): Call =>
  (method, path, request = {}) =>
    callHandler(method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });

/** The draft lifetimes of the two accounts in hours. */
export const draftHours = [24, 1] as const;

// The schedule finishes filings, but closes no period without a request.
const never = { review_days: 3000, rate_limit: 1_000_000_000 };

const callerWith = ({ draftHours, timeZone, registrations }: Terms): Promise<Caller> =>
  newCaller({ settings: { draft_ttl_hours: draftHours, time_zone: timeZone, registrations, ...never } });

/** Creates the two accounts of a run. */
export const callers = async ([first, second]: Both) => [await callerWith(first), await callerWith(second)] as const;

export const redactIn =
  (accounts: readonly [Caller, Caller]): World['redact'] =>
  (side, id) =>
    redactTransaction(accounts[side].account.id, id, 'operator', redactionPorts());

/** Returns the findings of `npm run ledger -- verify` for the accounts. */
export const verifyIn = (accounts: readonly Caller[]) => async () => {
  const found: string[] = [];
  const onFinding = (finding: Finding) => void found.push(findingText(finding));
  for (const { account } of accounts) await verifyAccount({ account: account.id, pauseMs: 0, onFinding });
  return found;
};

/** Two new accounts; their requests are passed to the functions as events. */
export const worldOfEvents = async (terms: Both): Promise<World> => {
  const [first, second] = await callers(terms);
  const schedule = { functionName: 'sweep-drafts', requestId: 'schedule', timeoutMs: 240_000 };
  return {
    send: [sendEvents(first.key), sendEvents(second.key)],
    redact: redactIn([first, second]),
    verify: verifyIn([first, second]),
    advance: async (byMs) => advanceClock(byMs),
    sweep: () => invoke(handlers.schedules['sweep-drafts'], {}, schedule) as Promise<Swept>,
    work: () => invoke(handlers.schedules['close-periods'], {}, { ...schedule, functionName: 'close-periods' }),
    isAlone: true,
  };
};
