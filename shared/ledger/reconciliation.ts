import * as z from 'zod/mini';
import type { Account as StoredAccount } from '../accounts/account.ts';
import { concurrently, toBatches } from '../base/collections.ts';
import { cursorKeywords } from '../base/cursor.ts';
import { component, described } from '../base/described.ts';
import { asObject, isSent, type JsonObject } from '../base/json.ts';
import {
  accept,
  invalidField,
  invalidFormat,
  type Problem,
  type Result,
  refuse,
  requiredField,
} from '../base/result.ts';
import { decimalString, identifier, instant } from '../calculations/fields.ts';
import { unknownFieldWarnings } from '../calculations/sent-warnings.ts';
import { getSum, isZero, negative } from '../money/currency.ts';
import { edge, instants, readPosition, writeCursor } from './list-transactions.ts';
import { cursorProblem } from './page-limit.ts';
import type { ListPosition, ListQuery, TransactionIndex } from './ports.ts';
import type {
  DifferentTransaction,
  ExtraTransaction,
  MissingTransaction,
  ReconciledAmounts,
  Reconciliation,
} from './response.ts';
import { expireIfDue, isExpired, isLive, type Transaction, type TransactionSummary } from './transaction.ts';

const transactionsMax = 1000;
const countAdvice = `Send an array of 1 to ${transactionsMax.toLocaleString('en-US')} transactions.`;

const BilledTransaction = component(
  'BilledTransactionRequest',
  'An invoice or credit memo of the billing system.',
  {
    reference_id: described(identifier, 'The id of the invoice or credit memo: the `reference_id` of its transaction.'),
    total_amount: described(decimalString, 'The total, with tax. Positive for a credit memo.'),
    tax_amount: described(decimalString, 'The tax. Positive for a credit memo.'),
  },
  'Send an object with reference_id, total_amount and tax_amount.',
);
type BilledTransaction = z.infer<typeof BilledTransaction>;

/** The body of POST /reconciliations. */
export const ReconciliationRequest = component(
  'ReconciliationRequest',
  'The list of the billing system and the range of tax dates that it covers.',
  {
    from: described(
      z.nullish(instant),
      'The start of the range of tax dates that is searched for extra transactions. A date means the whole day. Send it together with `to`.',
    ),
    to: described(
      z.nullish(instant),
      'The end of the range of tax dates. A date means the whole day. Send it together with `from`.',
    ),
    transactions: described(
      z
        .array(BilledTransaction, countAdvice)
        .check(z.minLength(1, countAdvice), z.maxLength(transactionsMax, countAdvice)),
      'The invoices and credit memos of the billing system: 1 to 1,000, with each `reference_id` once.',
    ),
    starting_after: described(
      z.nullish(z.string('Send a next_cursor.').check(z.minLength(1, 'Send a next_cursor.'))),
      'The `next_cursor` of the previous response, sent with the same `from` and `to`.',
      cursorKeywords,
    ),
  },
  'Send an object.',
);
export type ReconciliationRequest = z.infer<typeof ReconciliationRequest>;

const rangeProblems = ({ from, to, starting_after }: JsonObject, timeZone: string): Problem[] => {
  if (isSent(from) !== isSent(to)) {
    const missing = isSent(from) ? 'to' : 'from';
    return [requiredField(`/${missing}`, 'Send `from` and `to` together, or neither.')];
  }
  if (!isSent(from))
    return isSent(starting_after)
      ? [invalidField('/starting_after', 'Send it with the `from` and `to` of the request that returned it.')]
      : [];
  if (typeof from !== 'string' || typeof to !== 'string') return [];
  const [first, last] = [edge(from, 'gte', timeZone), edge(to, 'lte', timeZone)];
  return first !== null && last !== null && first > last
    ? [invalidField('/to', 'Send a `to` that is not before `from`.')]
    : [];
};

/** Returns cross-field problems of an unvalidated body: an incomplete range, and repeated references. */
export const reconciliationProblems = (body: unknown, _nowMs: number, { settings }: Account): Problem[] => {
  const fields = asObject(body);
  if (!fields) return [];
  const { transactions } = fields;
  const seen = new Set<unknown>();
  const repeated = (Array.isArray(transactions) ? transactions : []).flatMap((row: unknown, index) => {
    const reference = asObject(row)?.['reference_id'];
    if (typeof reference !== 'string' || !seen.has(reference)) {
      seen.add(reference);
      return [];
    }
    const detail = 'Send each reference_id once: it names at most one transaction.';
    return [invalidFormat(`/transactions/${index}/reference_id`, 'Repeated reference_id', detail)];
  });
  return [...rangeProblems(fields, settings.time_zone), ...repeated];
};

/** The maximum number of calls per request, and of index rows per call. */
const pagesMax = 4;
const pageRows = 500;
const extraMax = 1000;

/** The unlisted transactions, and the position at which the search stopped; `null` at the end of the range. */
type Extra = { readonly extra: ExtraTransaction[]; readonly next: ListPosition | null };

type Search = {
  readonly account: string;
  /** Timestamps of the tax date, both inclusive. */
  readonly range: Pick<ListQuery, 'from' | 'to'>;
  /** The position at which the previous search stopped. */
  readonly after: ListPosition | null;
  /** Whether the list contains this transaction, by reference or id. */
  readonly isListed: (row: TransactionSummary) => boolean;
  readonly nowMs: number;
};

/**
 * Finds the live transactions in a range of tax dates that the billing system does not list, newest first.
 *
 * Limited to four calls and 1,000 transactions; `next` is the position for the next request. Reads an index, which can
 * lag by seconds.
 */
const extraIn = async (
  { account, range, after, isListed, nowMs }: Search,
  { page }: TransactionIndex,
): Promise<Extra> => {
  const query = { index: 'by_tax_date', value: null, ...range } as const;
  const extra: ExtraTransaction[] = [];
  let position = after;
  for (let call = 1; call <= pagesMax; call++) {
    const { rows, next } = await page(account, { ...query, after: position, limit: pageRows });
    for (const row of rows) {
      const now = expireIfDue(row, nowMs);
      if (!isLive(now) || isListed(now)) continue;
      if (extra.length === extraMax) return { extra, next: position };
      extra.push(toExtra(now));
      position = now;
    }
    if (next === null) return { extra, next: null };
    position = next;
  }
  return { extra, next: position };
};

const toExtra = ({ id: transaction_id, reference_id, type, status, ...row }: TransactionSummary): ExtraTransaction => {
  const { tax_date, currency, total_amount, tax_amount } = row;
  return { transaction_id, reference_id, type, status, tax_date, currency, total_amount, tax_amount };
};

/** The stored fields that a reconciliation compares. An expired draft is still a draft here. */
export type Recorded = Pick<
  Transaction,
  'id' | 'reference_id' | 'type' | 'status' | 'expires_at' | 'total_amount' | 'tax_amount'
>;

export type HolderReads = {
  /** Returns the id of the transaction that claims each reference, strongly consistent. At most 100 references. */
  readonly claimed: (account: string, references: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the transactions that exist, strongly consistent. At most 100 ids. */
  readonly recorded: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Recorded>>;
};

/** The number of passes: a reference can move to a different transaction between the two reads of a pass. */
const readings = 2;

/**
 * Returns the transaction that holds each reference, read from claims and heads to see the newest writes. Makes two
 * calls per 100 references, and two more if a claim moved.
 */
const findHolders = async (
  references: Iterable<string>,
  account: string,
  reads: HolderReads,
): Promise<ReadonlyMap<string, Recorded>> => {
  const batches = await Array.fromAsync(toBatches(references));
  const found = await Promise.all(batches.map((batch) => holdersAmong(batch, account, reads)));
  return new Map(found.flatMap((holders) => [...holders]));
};

const holdersAmong = async (
  references: readonly string[],
  account: string,
  { claimed, recorded }: HolderReads,
): Promise<ReadonlyMap<string, Recorded>> => {
  const holders = new Map<string, Recorded>();
  let waiting = references;
  for (let reading = 1; reading <= readings && waiting.length > 0; reading++) {
    const claims = await claimed(account, waiting);
    if (claims.size === 0) break;
    const transactions = await recorded(account, [...new Set(claims.values())]);
    for (const [reference, id] of claims) {
      const transaction = transactions.get(id);
      // Otherwise the claim moved: its transaction was voided or changed between the reads.
      if (transaction?.reference_id === reference) holders.set(reference, transaction);
    }
    waiting = [...claims.keys()].filter((reference) => isMoved(holders.get(reference)));
  }
  return holders;
};

const isMoved = (holder: Recorded | undefined) => holder === undefined || holder.status === 'void';

type ReconciliationPorts = {
  readonly holders: HolderReads;
  readonly index: TransactionIndex;
  readonly now: () => number;
};

type Account = Pick<StoredAccount, 'id' | 'cursor_secret' | 'settings'>;

/**
 * Compares a list from the billing system with the ledger: missing invoices, invoices with different amounts, and
 * transactions in a range of tax dates that are not on the list. Stores nothing.
 *
 * Only finalized and filed transactions count. Missing and different invoices are read from the table: two calls per
 * 100, and one small call for each reference without a claim, to distinguish voided from unknown. Rejects an invalid
 * cursor with `validation_invalid_cursor`.
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
  const references = new Set(transactions.map(({ reference_id }) => reference_id));
  const found = await findHolders(references, account.id, ports.holders);
  const nowMs = ports.now();
  const billed = Map.groupBy(transactions, ({ reference_id }) => isRecorded(found.get(reference_id)));
  const [present, absent] = [billed.get(true) ?? [], billed.get(false) ?? []];
  const different = present.flatMap((row) => findDifference(row, found.get(row.reference_id) as Recorded) ?? []);
  const missing: MissingTransaction[] = [];
  const lookUp = async ([place, { reference_id }]: [number, BilledTransaction]) => {
    const holder = found.get(reference_id);
    missing[place] = await findMissing(reference_id, holder, account.id, nowMs, ports.index);
  };
  await concurrently(absent.entries(), lookUp, lookUpsAtOnce);
  const ids = new Set([...found.values()].map(({ id }) => id));
  // Also match by id, because the index can lag behind the reference.
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
    matched_count: present.length - different.length,
    missing,
    different,
    extra,
    complete: next === null,
    next_cursor: next && writeCursor(next, account.cursor_secret, scope),
    warnings: unknownFieldWarnings(unknownFields),
  });
};

const isRecorded = (holder: Recorded | undefined): boolean => holder !== undefined && isLive(holder);

const invalidCursor = cursorProblem('Send the next_cursor of a response with the same `from` and `to`.', {
  pointer: '/starting_after',
});

/**
 * Returns why a reference has no finalized or filed transaction, and the draft or the newest void transaction that has
 * it. A draft past its deadline counts as void, even before the sweep.
 */
const findMissing = async (
  reference_id: string,
  holder: Recorded | undefined,
  account: string,
  nowMs: number,
  { page }: TransactionIndex,
): Promise<MissingTransaction> => {
  if (holder) {
    const isDraft = holder.status === 'draft' && !isExpired(holder, nowMs);
    return { reference_id, transaction_id: holder.id, reason: isDraft ? 'draft' : 'void' };
  }
  // A transaction that was voided no longer holds its reference.
  const range = { from: null, to: null, after: null, limit: 1 };
  const { rows } = await page(account, { index: 'by_reference', value: reference_id, ...range });
  const newest = rows[0] && expireIfDue(rows[0], nowMs);
  return newest?.status === 'void'
    ? { reference_id, transaction_id: newest.id, reason: 'void' }
    : { reference_id, transaction_id: null, reason: 'not_found' };
};

const lookUpsAtOnce = 20;

/** Returns the recorded amounts minus the billed amounts; `null` if both are equal. */
const findDifference = (billed: BilledTransaction, recorded: Recorded): DifferentTransaction | null => {
  const { total_amount, tax_amount } = billed;
  const difference: ReconciledAmounts = {
    total_amount: getSum([recorded.total_amount, negative(total_amount)]),
    tax_amount: getSum([recorded.tax_amount, negative(tax_amount)]),
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
