import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { accept, mapResult, type Result } from '../base/result.ts';
import { entryTax, grossAmount, type LiabilityEntry } from '../ledger/entries/entry.ts';
import {
  type Caller,
  type Idempotency,
  type Replay,
  repeatResponse,
  type SavedResponse,
  saveUnchanged,
} from '../ledger/ports.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import type { Counts, FilingException, StoredFiling } from './filing.ts';
import { dueStatus, estimateDiscount, findFilingTerms, getDiscount } from './filing-calendar.ts';
import { isReturnDue, isUnregistered } from './periods.ts';
import type { FilingCommit, FilingPorts, FilingReadPorts, ShardProgress } from './ports.ts';
import type { Filing, FilingEntries, FilingWithTotals } from './response.ts';
import { noTotals, type Totals, totalsOfAll } from './totals.ts';
import { filingTotals, type TotalsPage } from './totals-parts.ts';
import { amountsDue, toExceptionSums, toFilingSummary, toReviewSums } from './totals-response.ts';

/** Counts the entries of all shards, by phase. */
export const sumCounts = (shards: readonly ShardProgress[]): Counts => {
  const sum = (phase: keyof Counts) => shards.reduce((total, { entries }) => total + entries[phase], 0);
  return { moved: sum('moved'), marked: sum('marked'), reopened: sum('reopened') };
};

/** Returns the totals of all shards without jurisdictions. */
export const summedUp = (shards: readonly ShardProgress[]): Omit<Totals, 'jurisdictions'> =>
  totalsOfAll(shards.map(({ totals }) => ({ ...totals, jurisdictions: noTotals.jurisdictions })));

/** Converts a filing for the API, with a page of its totals, which are preliminary while it is closing. */
export const toFilingWithTotals = (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  page: TotalsPage,
  account: Account,
  nowMs: number,
  entries: FilingEntries | null = null,
): FilingWithTotals => {
  const totals = summedUp(shards);
  return {
    ...toFilingRow({ ...filing, summary: toFilingSummary(totals) }, sumCounts(shards), account, nowMs),
    ...page,
    exceptions: { ...toExceptionSums(totals), transactions: null },
    review: { ...toReviewSums(totals), transactions: null },
    entries,
  };
};

// The maximum size of a response that can be saved with an Idempotency-Key: an item is limited to 400 KB, compressed.
const savedTotalsBytesMax = 1_000_000;

/**
 * Builds the response to a request that changed a filing or found nothing to change, with the first page of its totals.
 */
export const changeResponse = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  account: Account,
  { filings, now }: FilingReadPorts,
  isNew = false,
): Promise<SavedResponse> => {
  const totals = await filingTotals(filing, shards, account, filings, { bytesMax: savedTotalsBytesMax });
  return filingResponse(toFilingWithTotals(filing, shards, totals, account, now()), isNew);
};

type FilingInStatus = Omit<StoredFiling, 'status'> & Pick<Filing, 'status'>;

const isOpen = (status: Filing['status']): boolean =>
  status === 'closing' || status === 'closed' || status === 'dry_run';

/** The due date of a filing, and the fields that depend on it and on the account's current day. */
const dueFields = (filing: FilingInStatus, account: Account, nowMs: number) => {
  const { state, status, filed_at, filed_requested_at: filedAt = filed_at } = filing;
  const terms = findFilingTerms(state, filing.frequency, filing.period_end);
  const dayAt = (timeMs: number) => taxDateAt(timeMs, account.settings.time_zone).slice(0, 10);
  const due = isReturnDue(account, filing, amountsDue(filing.summary)) ? terms.due_date : null;
  const today = dueStatus(due, dayAt(nowMs));
  const isLate = (filedAt === null ? today : dueStatus(due, dayAt(Date.parse(filedAt)))).overdue;
  return {
    ...terms,
    ...(isOpen(status) ? today : { overdue: false, days_until_due: null }),
    ...estimateDiscount(getDiscount(state), { ...filing, vendor_discount: terms.vendor_discount, isLate }),
  };
};

/** Warns about a filing in a state without a registration, until the filing is filed. */
const filingWarnings = (filing: FilingInStatus, account: Account): Filing['warnings'] => {
  if (!isOpen(filing.status) || !isUnregistered(account, filing)) return [];
  const { state, period_start, period_end } = filing;
  const message = `The account is not registered in ${state} from ${period_start} to ${period_end}. Check the state.`;
  return [{ code: 'state_not_registered', message, pointer: null }];
};

/** Converts a filing for a list, without its totals. */
export const toFilingRow = (
  filing: FilingInStatus,
  { moved, marked, reopened }: Counts,
  account: Account,
  nowMs: number,
): Filing => ({
  object: 'filing',
  id: filing.id,
  state: filing.state,
  period_start: filing.period_start,
  period_end: filing.period_end,
  frequency: filing.frequency,
  ...dueFields(filing, account, nowMs),
  status: filing.status,
  confirmation_number: filing.confirmation_number,
  corrections: [...filing.corrections],
  totals: null,
  totals_next_cursor: null,
  summary: [...filing.summary],
  exceptions: filing.exceptions && { ...filing.exceptions, transactions: null },
  review: filing.review && { ...filing.review, by_code: null, transactions: null },
  progress: {
    entries_moved: moved,
    entries_marked: marked,
    entries_reopened: reopened,
    complete: !filing.isUnfinished,
  },
  asked_by: filing.asked_by,
  filed_by: filing.filed_by,
  created_at: filing.created_at,
  closed_at: filing.closed_at,
  filed_at: filing.filed_at,
  canceled_at: filing.canceled_at,
  warnings: filingWarnings(filing, account),
  entries: null,
});

/** The fields of an entry that describe its transaction. */
export const transactionFields = ({ transactionId, document }: LiabilityEntry) => ({
  transaction_id: transactionId,
  reference_id: document.reference_id,
  type: document.type,
  tax_day: document.tax_day,
  customer_id: document.customer_id,
  postal_code: document.postal_code,
  certificate_numbers: [...(document.certificate_numbers ?? [])],
});

/** Converts an entry that needs attention for the API. */
export const toFilingException = (entry: LiabilityEntry): FilingException => {
  const write = (minor: bigint) => formatAmount(minor, minorDigits(entry.currency));
  return {
    ...transactionFields(entry),
    currency: entry.currency,
    reasons: (entry.exceptions ?? []).map(({ reason, gross }) => ({ reason, gross_amount: write(gross) })),
    review_codes: [...(entry.review ?? [])],
    gross_amount: write(grossAmount(entry.base)),
    tax_amount: write(entryTax(entry)),
  };
};

/** A request that changes filings. */
export type FilingCall = {
  readonly idempotency: Idempotency | null;
  readonly caller: Caller;
  readonly ports: FilingPorts;
};

/** The response to a request, and the filing to process after it. */
type Decided = { readonly response: SavedResponse; readonly filing: StoredFiling | null };

/** Returns 202 with `Location` while work remains, and otherwise 200. */
export const filingResponse = (filing: Filing, isNew = false): SavedResponse => ({
  status: filing.progress.complete ? 200 : 202,
  body: JSON.stringify(filing),
  headers: isNew ? { Location: `filings/${filing.id}` } : {},
});

/** The decision on a request; `stale` if a concurrent write changed the data that it was based on. */
export type Decision = Result<Decided> | 'stale';

/** The saved response to a repeated request, which starts no work. */
export const repeatDecision = (replay: Replay): Result<Decided> =>
  mapResult(repeatResponse(replay), (response) => ({ response, filing: null }));

/** A change of a filing: its writes, and the filing and its shards after it. */
type Change = {
  readonly commit: FilingCommit;
  readonly filing: StoredFiling;
  readonly shards: readonly ShardProgress[];
  readonly isNew?: boolean;
};

/** Commits a change of a filing together with its response, which a repeated request receives. */
export const commitChange = async (
  { commit, filing, shards, isNew }: Change,
  { idempotency, caller, ports }: FilingCall,
): Promise<Decision> => {
  const response = await changeResponse(filing, shards, caller.account, ports, isNew);
  const record = idempotency && { ...idempotency, response };
  const committed = await ports.filings.commit({ ...commit, idempotency: record });
  if (committed.kind === 'stale') return 'stale';
  return committed.kind === 'committed' ? accept({ response, filing }) : repeatDecision(committed);
};

/** The response to a request that changed nothing. Processing of the filing may continue. */
export const unchanged = async (
  filing: StoredFiling,
  response: SavedResponse,
  { idempotency, ports }: FilingCall,
): Promise<Decision> => {
  const saved = await saveUnchanged(filing.account, response, idempotency, ports);
  if (saved === 'stale') return 'stale';
  // A replayed response starts no work.
  return mapResult(saved, (sent) => ({ response: sent, filing: sent === response ? filing : null }));
};
