import type { Account as StoredAccount } from '../../accounts/account.ts';
import { accept, type Result, refuse } from '../../base/result.ts';
import { unknownFieldWarnings } from '../../calculations/sent-warnings.ts';
import { formatAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { TransactionIndex } from '../ledger.ts';
import { expireIfDue, isExpired, isLive } from '../lifecycle.ts';
import { edge, instants, readPosition, writeCursor } from '../list-filters.ts';
import { cursorProblem } from '../page-limit.ts';
import type { TransactionSummary } from '../transaction.ts';
import { extraIn } from './extra.ts';
import { findHolders, type HolderReads, type Recorded } from './holders.ts';
import type { BilledTransaction, ReconciliationRequest } from './request.ts';
import type { DifferentTransaction, MissingTransaction, ReconciledAmounts, Reconciliation } from './response.ts';

type ReconciliationPorts = {
  readonly holders: HolderReads;
  readonly index: TransactionIndex;
  readonly now: () => number;
};

type Account = Pick<StoredAccount, 'id' | 'cursor_secret' | 'settings'>;

/**
 * Compare a list of the billing system with the ledger: missing invoices, invoices with other amounts, and transactions in
 * a range of tax dates that are not on the list. Stores nothing.
 *
 * Finalized and filed transactions count. Missing and different ones are read from the table: two calls for each hundred,
 * and one small call for each reference without a claim, to distinguish voided from unknown. Refused:
 * `validation_invalid_cursor`.
 */
export const reconcile = async (
  { transactions, from = null, to = null, starting_after }: ReconciliationRequest,
  unknownFields: readonly string[],
  account: Account,
  ports: ReconciliationPorts,
): Promise<Result<Reconciliation>> => {
  const scope = { reconciliation: { from, to } };
  const after = typeof starting_after === 'string' ? readPosition(starting_after, account.cursor_secret, scope) : null;
  if (typeof starting_after === 'string' && after === null) return refuse(invalidCursor);
  const found = await findHolders(
    transactions.map(({ reference_id }) => reference_id),
    account.id,
    ports.holders,
  );
  const nowMs = ports.now();
  const sorted = sortOut(transactions, found, nowMs);
  const missing = await withVoids(sorted.missing, account.id, nowMs, ports.index);
  const ids = new Set([...found.values()].map(({ id }) => id));
  const references = new Set(transactions.map(({ reference_id }) => reference_id));
  // By id as well, because the index may not have the reference yet.
  const isListed = ({ id, reference_id }: TransactionSummary) =>
    ids.has(id) || (reference_id !== null && references.has(reference_id));
  const { time_zone } = account.settings;
  const range = instants({ from: edge(from, 'gte', time_zone), to: edge(to, 'lte', time_zone) });
  const search = { account: account.id, range, after, isListed, nowMs };
  const { extra, next } = from === null ? { extra: null, next: null } : await extraIn(search, ports.index);
  return accept({
    object: 'reconciliation',
    from,
    to,
    matched_count: sorted.matched,
    missing,
    different: sorted.different,
    extra,
    complete: next === null,
    next_cursor: next && writeCursor(next, account.cursor_secret, scope),
    warnings: unknownFieldWarnings(unknownFields),
  });
};

const invalidCursor = cursorProblem('Send the next_cursor of a response to the same from and to.', {
  pointer: '/starting_after',
});

type Sorted = {
  readonly matched: number;
  readonly missing: readonly MissingTransaction[];
  readonly different: DifferentTransaction[];
};

const sortOut = (billed: readonly BilledTransaction[], found: ReadonlyMap<string, Recorded>, nowMs: number): Sorted => {
  const missing: MissingTransaction[] = [];
  const different: DifferentTransaction[] = [];
  let matched = 0;
  for (const row of billed) {
    const holder = found.get(row.reference_id);
    if (!holder || !isLive(holder)) missing.push(toMissing(row.reference_id, holder, nowMs));
    else {
      const difference = findDifference(row, holder);
      if (difference) different.push(difference);
      else matched += 1;
    }
  }
  return { matched, missing, different };
};

// A draft after its deadline counts as void, even before the sweep.
const toMissing = (reference_id: string, holder: Recorded | undefined, nowMs: number): MissingTransaction => ({
  reference_id,
  transaction_id: holder?.id ?? null,
  reason: !holder ? 'not_found' : holder.status === 'draft' && !isExpired(holder, nowMs) ? 'draft' : 'void',
});

const atOnce = 20;

/** Distinguish references of voided transactions from unknown ones. */
const withVoids = async (
  missing: readonly MissingTransaction[],
  account: string,
  nowMs: number,
  index: TransactionIndex,
): Promise<MissingTransaction[]> => {
  const rows = [...missing];
  const waiting = rows.entries();
  const next = async () => {
    for (const [place, row] of waiting)
      if (row.reason === 'not_found') rows[place] = await findVoid(row, account, nowMs, index);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return rows;
};

const findVoid = async (
  row: MissingTransaction,
  account: string,
  nowMs: number,
  { page }: TransactionIndex,
): Promise<MissingTransaction> => {
  const { rows } = await page(account, {
    index: 'by_reference',
    value: row.reference_id,
    from: null,
    to: null,
    after: null,
    limit: 1,
  });
  const newest = rows[0] && expireIfDue(rows[0], nowMs);
  return newest?.status === 'void' ? { ...row, transaction_id: newest.id, reason: 'void' } : row;
};

/** The exact difference with the decimals of the longer operand: `"106.00"` minus `"105.5"` is `"0.50"`. */
const minus = (a: string, b: string): string => {
  const [left, right] = [decimal(a), decimal(b)];
  const scale = Math.max(left.scale, right.scale);
  return formatAmount(rescale(left, scale) - rescale(right, scale), scale);
};

const isZero = (amount: string) => !/[1-9]/.test(amount);

/** The difference of a recorded transaction from the billed amounts; `null` where both amounts are equal. */
const findDifference = (billed: BilledTransaction, recorded: Recorded): DifferentTransaction | null => {
  const { total_amount, tax_amount } = billed;
  const difference: ReconciledAmounts = {
    total_amount: minus(recorded.total_amount, total_amount),
    tax_amount: minus(recorded.tax_amount, tax_amount),
  };
  if (isZero(difference.total_amount) && isZero(difference.tax_amount)) return null;
  return {
    reference_id: billed.reference_id,
    transaction_id: recorded.id,
    type: recorded.type,
    status: recorded.status,
    sent: { total_amount, tax_amount },
    recorded: { total_amount: recorded.total_amount, tax_amount: recorded.tax_amount },
    difference,
  };
};
