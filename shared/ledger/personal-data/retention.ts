import type { Account } from '../../accounts/account.ts';
import { dayMs, toDay } from '../../base/calendar.ts';
import type { SweepPosition } from '../ports.ts';
import { type RedactionPorts, redactTransaction } from './redact.ts';

/** The name in `by` of audit entries that the retention setting caused. */
export const retentionBy = 'retention';

export type RetentionPorts = RedactionPorts & {
  /** A page of the register of accounts. */
  readonly accountIds: (
    after: string | null,
  ) => Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  readonly findAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, () => Account>>;
  readonly position: {
    readonly read: () => Promise<SweepPosition | null>;
    readonly move: (before: SweepPosition | null, after: SweepPosition) => Promise<boolean>;
  };
  /** The last transaction of an account up to which all are redacted; `null` before the first. */
  readonly reached: (account: string) => Promise<string | null>;
  readonly reach: (account: string, after: string) => Promise<void>;
  /** The ids after one, of transactions that were created before an instant, oldest first. */
  readonly olderIds: (
    account: string,
    after: string | null,
    beforeMs: number,
    limit: number,
  ) => Promise<readonly string[]>;
  /** No batch begins with less time left, in milliseconds. */
  readonly batchMsMax: number;
  readonly onFailure: (error: unknown) => void;
};

/** Transactions that were redacted, accounts that failed, and transactions whose state differs from their audit chain. */
export type Retained = { readonly redacted: number; readonly failed: number; readonly inconsistent: number };
type Tally = { redacted: number; failed: number; inconsistent: number };

const batchSize = 25;

/**
 * Once a day, in parts of several runs, remove the personal data of transactions that are older than the account's
 * `retain_personal_data_days`. Each account continues where its last run stopped, so a run reads nothing that is
 * redacted.
 *
 * A failing account does not stop the others. The next run starts the day over, so that the failure is reported until
 * it is fixed.
 */
export const retainPersonalData = async (ports: RetentionPorts): Promise<Retained> => {
  const tally: Tally = { redacted: 0, failed: 0, inconsistent: 0 };
  const day = toDay(ports.now());
  let position = await ports.position.read();
  while (!isTimeUp(ports) && !(position?.day === day && position.isDone)) {
    const { ids, next } = await ports.accountIds(position?.day === day ? position.after : null);
    for (const read of (await ports.findAccounts(ids)).values())
      try {
        if (!(await redactAccount(read(), tally, ports))) return tally;
      } catch (error) {
        ports.onFailure(error);
        tally.failed += 1;
      }
    const moved: SweepPosition = { day, after: next, isDone: next === null && tally.failed === 0 };
    // A concurrent run moved the position and continues from it.
    if (!(await ports.position.move(position, moved)) || next === null) break;
    position = moved;
  }
  return tally;
};

const isTimeUp = ({ remainingMs, batchMsMax }: RetentionPorts): boolean => remainingMs() <= batchMsMax;

/** Redact the old transactions of an account. `false` where the time was up before. */
const redactAccount = async ({ id, settings }: Account, tally: Tally, ports: RetentionPorts): Promise<boolean> => {
  const { retain_personal_data_days: days } = settings;
  if (days === null) return true;
  const beforeMs = ports.now() - days * dayMs;
  for (let after = await ports.reached(id); !isTimeUp(ports); ) {
    const ids = await ports.olderIds(id, after, beforeMs, batchSize);
    const last = ids.at(-1);
    if (last === undefined) return true;
    const outcomes = await Promise.all(
      ids.map((transaction) => redactTransaction(id, transaction, retentionBy, ports)),
    );
    // The account is being deleted. A position written now would never be removed.
    if (outcomes.every((outcome) => outcome === 'unknown')) return true;
    tally.redacted += outcomes.filter((outcome) => outcome === 'redacted').length;
    // `ledger verify` reports the inconsistency. A redaction would hide it.
    tally.inconsistent += outcomes.filter((outcome) => outcome === 'inconsistent').length;
    await ports.reach(id, last);
    after = last;
  }
  return false;
};
