import { setTimeout as pause } from 'node:timers/promises';
import type { Counts } from '../export/format.ts';
import type { Finding } from '../finding.ts';
import { verifyAccount } from '../verify-account.ts';
import type { Counts as Verified } from '../verify-transaction.ts';

const looks = 5;

type Verify = {
  readonly account: string;
  readonly counts: Counts;
  readonly nowMs: () => number;
  readonly pauseMs: number;
};

/** What there is less of than in the file. There may be more: an expired draft is swept here as it is anywhere. */
const missing = (counts: Counts, verified: Verified): string[] => {
  const pairs = [
    ['transactions', counts.transaction, verified.transactions],
    ['audit entries', counts.audit_entry, verified.audit_entries],
    ['filings', counts.filing, verified.filings],
    ['entries', counts.open_entry + counts.filed_entry, verified.entries],
  ] as const;
  return pairs.flatMap(([what, inFile, here]) => (here >= inFile ? [] : [`${here} of ${inFile} ${what} are there`]));
};

/** Check the imported ledger as `ledger verify` does, and that all of the file is there. The lists may be behind for a moment. */
export const verifyImport = async ({ account, counts, nowMs, pauseMs }: Verify) => {
  for (let look = 1; ; look++) {
    const findings: Finding[] = [];
    const verified = await verifyAccount({
      account,
      nowMs,
      pauseMs,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
    });
    const absent = missing(counts, verified);
    if ((absent.length === 0 && findings.length === 0) || look === looks) return { findings, missing: absent };
    await pause(pauseMs * 2 ** look);
  }
};
