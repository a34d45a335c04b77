import type { RemainingMs } from '../../base/contention.ts';
import { contendedMsMax } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import type { ClosePorts, FilingPorts } from '../../filings/ports.ts';
import { failureLine } from '../../observability/failure-line.ts';
import { findAccounts, listAccountIds } from '../accounts/account-store.ts';
import { callMsMax } from '../client/client.ts';
import { ledgerWithin } from '../ledger/ledger-store.ts';
import { newFilingId } from '../ledger/new-id.ts';
import { storedSize } from '../ledger/transaction-item.ts';
import { dueIndexWithin, firstTaxDay } from './due-index.ts';
import { commitFilingWithin } from './filing-commit.ts';
import { filingReadsWithin } from './filing-reads.ts';

// A transaction takes 100 writes: two for each entry, and one for the shard.
const stepEntriesMax = 49;
// An item has at most 400 KB. So many rows take about 20 KB compressed, and 210 KB with 12 random amounts of 28 digits
// each.
const totalsRowsMax = 1000;
// A step reads entries, their parts of the totals and their transactions, and writes once.
const stepMsMax = 2 * callMsMax + contendedMsMax(callMsMax);

const failureReporter = (what: string) => (error: unknown) => console.error({ filings: what, ...failureLine(error) });

/** The ports of the use cases that change filings, for an invocation with this much time left. */
export const filingPorts = (remainingMs: RemainingMs): FilingPorts => ({
  filings: { ...filingReadsWithin(remainingMs), commit: commitFilingWithin(remainingMs) },
  ledger: ledgerWithin(remainingMs),
  now,
  newId: newFilingId,
  storedSize,
  remainingMs,
  inlineMs: 3000,
  stepMsMax,
  stepEntriesMax,
  totalsRowsMax,
  onFailure: failureReporter('work'),
});

export const closePorts = (remainingMs: RemainingMs): ClosePorts => ({
  ...filingPorts(remainingMs),
  onFailure: failureReporter('close-periods'),
  due: dueIndexWithin(remainingMs),
  accountIds: listAccountIds,
  findAccounts,
  firstTaxDay,
});
