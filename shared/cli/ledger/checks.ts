import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { toBatches } from '../../base/collections.ts';
import { isSame } from '../../base/json.ts';
import { listCharges } from '../../calculations/figures.ts';
import type { StoredFiling } from '../../filings/filing.ts';
import { type AuditEntry, hashEntry, hashState } from '../../ledger/audit.ts';
import {
  calculateRemaining,
  isNothing,
  moved,
  noAmounts,
  plus,
  remainingShare,
  toCredited,
  zeroShare,
} from '../../ledger/credits/amounts.ts';
import { listLiabilityEntries, statesToFile } from '../../ledger/entries/entries.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { namedExemptions, type Amounts as TaxAmounts } from '../../ledger/entries/entry.ts';
import {
  auditFaults,
  creditableFaults,
  differing,
  type Fault,
  faultText,
  faultUnless,
  overCreditFaults,
  placeFaults,
  refundFaults,
} from '../../ledger/invariants.ts';
import { withoutPersonalData } from '../../ledger/personal-data/fields.ts';
import type { StoredTransaction, Transaction } from '../../ledger/transaction.ts';
import { type Amounts, expireIfDue, isExpiredDraft, isLive, type Share } from '../../ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { type FoundEntry, findEntries } from '../../store/filings/entry-places.ts';
import { auditKey, headKey, type Item, itemPlace, openEntryKey } from '../../store/keys.ts';
import { auditEntryFrom } from '../../store/ledger/audit-item.ts';
import { itemsAt, openEntryItems } from '../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../store/ledger/open-entry-item.ts';
import { transactionFrom, transactionItem } from '../../store/ledger/transaction-item.ts';
import { stateJurisdictions } from '../../vocabulary/jurisdiction.ts';

/** The checks of a ledger, in the order of the report. */
export const checks = ['head', 'chain', 'states', 'totals', 'credits', 'claims', 'entries', 'filings'] as const;
export type Check = (typeof checks)[number];

/** An inconsistency of a transaction or a filing. */
export type Finding = Fault & {
  /** The id of the transaction or the filing. */
  readonly id: string;
  readonly check: Check;
};

export const listFindings = (id: string, check: Check, faults: readonly Fault[]): Finding[] =>
  faults.map((fault) => ({ id, check, ...fault }));

export const findingText = ({ id, check, ...fault }: Finding): string => `${id}  ${check}: ${faultText(fault)}`;

/** The parsed value, or `null` if the stored item cannot be parsed. */
export const parseOrNull = <Value>(read: () => Value): Value | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Whether an error comes from stored content: invalid JSON, amounts, fields or compressed bytes. */
const isOfContent = (error: unknown): boolean => {
  if (error instanceof z.core.$ZodError) return true;
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
};

/** Returns the faults of a check, or one fault if the content cannot be read. Rethrows an outage. */
export const findingIfUnreadable = async (
  what: string,
  check: () => Promise<readonly Fault[]> | readonly Fault[],
): Promise<readonly Fault[]> => {
  try {
    return await check();
  } catch (error) {
    if (!isOfContent(error)) throw error;
    return [{ what, actual: 'not readable', expected: 'what the service writes' }];
  }
};

const readings = 3;

/**
 * Repeats a check that has findings. A ledger in use changes between reads, so a finding counts only if three reads
 * report it identically.
 */
export const confirmed = async <Value extends { readonly findings: readonly Finding[] }>(
  read: () => Promise<Value>,
  pauseMs: number,
): Promise<Value> => {
  let value = await read();
  for (let reading = 2; reading <= readings && value.findings.length > 0; reading++) {
    await pause(pauseMs);
    const before = new Set(value.findings.map((finding) => JSON.stringify(finding)));
    const next = await read();
    value = { ...next, findings: next.findings.filter((finding) => before.has(JSON.stringify(finding))) };
  }
  return value;
};

/**
 * Checks a redacted transaction: an audit entry records the redaction at that time, the digest of the commitments
 * replaces the salt, and no personal data remains. The state hash does not cover the last point.
 */
const redactionFaults = ({ transaction, commitments }: StoredTransaction, redactedAt: string | undefined) => {
  const isRedacted = commitments !== undefined && 'digest' in commitments;
  const isEmpty = !isRedacted || isSame(withoutPersonalData(transaction), transaction);
  return [
    ...differing('redacted_at', transaction.redacted_at, redactedAt),
    ...faultUnless(
      isRedacted === (transaction.redacted_at !== undefined),
      'personal data',
      isRedacted ? 'removed, without redacted_at' : 'present, with redacted_at',
      'removed if and only if redacted_at is set',
    ),
    ...faultUnless(isEmpty, 'personal data of a redacted transaction', 'present', 'removed'),
  ];
};

/**
 * Checks the audit entries of a transaction, given in key order: versions without a gap, each hash, the link to the
 * previous entry, allowed status changes, and the state and times of the transaction.
 */
export const checkChain = async (account: string, stored: StoredTransaction, pages: AsyncIterable<readonly Item[]>) => {
  const { id, version: last } = stored.transaction;
  const faults: Fault[] = [];
  /** The entries by version; `null` for an unreadable one. */
  const chain = new Map<number, AuditEntry | null>();
  for await (const items of pages)
    for (const item of items) {
      const sk = String(item['sk']);
      const version = Number(sk.slice(2));
      const isExpected = version >= 1 && version <= last && sk === auditKey(account, id, version).sk;
      faults.push(...faultUnless(isExpected, `entry ${version || sk}`, 'present', 'absent'));
      if (!isExpected) continue;
      const entry = parseOrNull(() => auditEntryFrom(item));
      chain.set(version, entry);
    }
  let next = 1;
  for (const version of [...chain.keys(), last + 1]) {
    const missing = version - next === 1 ? `entry ${next}` : `each of entries ${next} to ${version - 1}`;
    faults.push(...faultUnless(version === next, missing, 'absent', 'present'));
    next = version + 1;
  }
  for (const [version, entry] of chain) {
    faults.push(...faultUnless(entry !== null, `entry ${version}`, 'not readable', 'an audit entry'));
    if (entry === null) continue;
    const { hash: _, ...covered } = entry;
    const before = chain.get(version - 1) ?? null;
    faults.push(...auditFaults(entry, { id, version, before, hash: hashEntry(covered) }));
  }
  return { count: chain.size, faults: [...faults, ...newestFaults(stored, chain)] };
};

/** Compares a transaction with its newest audit entry and with the times of the entries. */
const newestFaults = (stored: StoredTransaction, chain: ReadonlyMap<number, AuditEntry | null>): readonly Fault[] => {
  const { transaction, auditHash } = stored;
  const newest = chain.get(transaction.version);
  if (!newest) return [];
  const entries = [...chain.values()].filter((entry) => entry !== null);
  const reachedAt = (status: string) => entries.findLast(({ from, to }) => to === status && from !== to)?.at;
  const first = chain.get(1);
  return [
    ...differing('hash of the newest entry, as stored with the transaction', auditHash, newest.hash),
    ...differing('hash of the state in the newest entry', newest.stateHash, hashState(stored)),
    ...differing('state in the newest entry', newest.to, transaction.status),
    ...(first ? differing('created_at', transaction.created_at, first.at) : []),
    ...differing('updated_at', transaction.updated_at, newest.at),
    ...differing('finalized_at', transaction.finalized_at, reachedAt('finalized')),
    ...differing('filed_at', transaction.filed_at, reachedAt('filed')),
    ...differing('voided_at', transaction.voided_at, reachedAt('void')),
    ...redactionFaults(stored, entries.findLast(({ fields }) => fields.includes('redacted_at'))?.at),
  ];
};

// Compressed attributes are read but not compared, because a different compressor version may write different bytes.
const isCompressed = (value: unknown) => value instanceof Uint8Array;

/** Checks that the uncompressed attributes (for conditions, lists and operators) match the compressed transaction. */
export const attributeFaults = (account: string, item: Item, stored: StoredTransaction): Fault[] => {
  const expected: Item = transactionItem(account, stored);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(item)])];
  return names
    .filter((name) => !(isCompressed(item[name]) && isCompressed(expected[name])))
    .flatMap((name) => differing(`attribute ${name}`, item[name], expected[name]));
};

const what = 'claim on its reference_id';

/** Checks the claim of a transaction that owns its reference. Only a draft's claim has a deadline. */
export const missingClaimFaults = ({ id, status, expires_at }: Transaction, claim: Item | undefined): Fault[] => {
  if (!claim) return [{ what, actual: 'none', expected: id }];
  // With a deadline, another transaction could take over a finalized transaction's reference.
  const deadline = status === 'draft' && expires_at !== null ? new Date(expires_at).toISOString() : undefined;
  return [
    ...differing(what, claim['transaction_id'], id),
    ...differing('deadline of its claim', claim['expires_at'], deadline),
  ];
};

/**
 * Checks that a transaction that lost its reference has no claim on it, except after the deadline. If another
 * transaction has the claim, it must be live and have the same reference.
 */
export const leftoverClaimFaults = (
  transaction: Transaction,
  claim: Item | undefined,
  holder: Transaction | undefined,
  nowMs: number,
): Fault[] => {
  if (!claim || isPast(claim, nowMs)) return [];
  const owner = String(claim['transaction_id']);
  // An expired draft keeps its claim until another transaction takes the reference (decision 0005).
  if (owner === transaction.id) {
    const isLeft = isExpiredDraft(expireIfDue(transaction, nowMs)) && claim['expires_at'] === transaction.expires_at;
    return faultUnless(isLeft, what, 'kept', 'released');
  }
  const isHeld = holder?.reference_id === transaction.reference_id && holder.status !== 'void';
  return faultUnless(isHeld, what, owner, 'none, or the claim of a live transaction');
};

const isPast = ({ expires_at }: Item, nowMs: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= nowMs;

/** Whether a credit has an amount above zero. */
export const hasAmounts = (credit: Transaction): boolean =>
  listCharges(credit).some(({ net_amount, tax_amount }) => /[1-9]/.test(net_amount) || /[1-9]/.test(tax_amount));

/**
 * Checks the counters of a sale against the sums of its live credits. Memory use depends on the number of lines, not
 * credits.
 */
export const checkCredits = async (sale: StoredTransaction, credits: AsyncIterable<StoredTransaction>) => {
  const { transaction } = sale;
  const charges = new Map<string, Amounts>();
  let unmatched = zeroShare;
  let [live, taking] = [0, 0];
  for await (const credit of credits) {
    if (!isLive(credit.transaction)) continue;
    live += 1;
    if (hasAmounts(credit.transaction)) taking += 1;
    const taken = toCredited(credit, transaction);
    for (const [id, by] of taken.charges) charges.set(id, moved(charges.get(id) ?? noAmounts, by, 1n));
    unmatched = plus(unmatched, taken.unmatched);
  }
  return { live, faults: [...counterFaults(sale, charges, unmatched), ...creditableFaults(transaction, taking)] };
};

const figures = ['net', 'tax', 'discount', 'third_party_discount', 'taxable', 'exempt'] as const;

/** Compares every amount of a line or shipping charge, because in net and tax alone, two errors could cancel out. */
const figureTexts = (amounts: Amounts, write: (minor: bigint) => string): Readonly<Record<string, string>> => {
  const rows = amounts.rows.map(({ taxable, exempt, tax, calculated }) => [taxable, exempt, tax, calculated]);
  // No rows exist before the first credit, and all rows are zero after the last credit is voided.
  const isCredited = rows.flat().some((minor) => minor !== 0n);
  return {
    ...Object.fromEntries(figures.map((figure) => [figure, write(amounts[figure])])),
    rows: isCredited ? rows.map((row) => row.map(write).join(' / ')).join(', ') : 'nothing',
  };
};

const counterFaults = (sale: StoredTransaction, charges: ReadonlyMap<string, Amounts>, unmatched: Share): Fault[] => {
  const { transaction, credited } = sale;
  const exponent = minorDigits(transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const total = [...charges.values(), unmatched].reduce<Share>(plus, zeroShare);
  return [
    ...differing('credited_amount', transaction.credited_amount, write(total.net)),
    ...differing('credited_tax_amount', transaction.credited_tax_amount, write(total.tax)),
    ...[...new Set([...credited.charges.keys(), ...charges.keys()])].flatMap((id) => {
      const [actual, expected] = [credited.charges, charges].map((byCharge) =>
        figureTexts(byCharge.get(id) ?? noAmounts, write),
      );
      return Object.keys({ ...actual }).flatMap((name) =>
        differing(`credited of ${id}: ${name}`, actual?.[name], expected?.[name]),
      );
    }),
    ...differing('credited without a line: net', write(credited.unmatched.net), write(unmatched.net)),
    ...differing('credited without a line: tax', write(credited.unmatched.tax), write(unmatched.tax)),
    ...boundFaults(sale, total, write),
  ];
};

/** Checks that neither a line nor the sale is credited above its amount, and that `refund_status` matches. */
const boundFaults = (sale: StoredTransaction, credited: Share, write: (minor: bigint) => string): Fault[] => {
  const { charges, total } = calculateRemaining(sale);
  const left = [
    ...[...charges].map(([id, balance]) => [id, remainingShare(balance)] as const),
    ['the sale', total] as const,
  ];
  return [...overCreditFaults(left, write), ...refundFaults(sale.transaction, isNothing(credited), isNothing(total))];
};

/** Returns the entries of a live transaction, one per state and currency, open or in a filing. */
const expectedEntries = (stored: StoredTransaction): readonly LiabilityEntry[] =>
  isLive(stored.transaction) ? listLiabilityEntries(stored) : [];

export const entryPlace = (account: string, entry: LiabilityEntry): string => itemPlace(openEntryKey(account, entry));

/** Returns the keys of all entries that these transactions should have. Skips transactions that cannot be read. */
export const expectedPlaces = async (account: string, ids: Iterable<string>): Promise<ReadonlySet<string>> => {
  const heads = await itemsAt([...new Set(ids)].map((id) => headKey(account, id)));
  const entries = (head: Item) => parseOrNull(() => expectedEntries(transactionFrom(head))) ?? [];
  return new Set([...heads.values()].flatMap(entries).map((entry) => entryPlace(account, entry)));
};

/** Returns the name of an entry or its item. */
export const entryName = ({ state, month, currency }: Item | LiabilityEntry): string =>
  `entry of ${state}, ${month}, ${currency}`;

// Leaves out the reference, which can be set after finalization.
const figuresText = ({ base, amounts, document, exceptions = [], review = [], currency }: LiabilityEntry) => {
  const write = (minor: bigint) => formatAmount(minor, minorDigits(currency));
  const texts = (row: TaxAmounts) => [
    ...[write(row.taxable), write(row.exempt)],
    ...[...namedExemptions, 'not_covered' as const].flatMap((part) =>
      row[part] ? [`${part} ${write(row[part])}`] : [],
    ),
  ];
  const taxTexts = ({ tax, difference, over_collected = 0n }: TaxAmounts) =>
    difference ? [`calculated ${write(tax - difference)}`, `over-collected ${write(over_collected)}`] : [];
  return [
    texts(base).join(' / '),
    ...amounts.map((row) => [row.jurisdiction_code, row.rate, ...texts(row), write(row.tax)].join(' / ')).sort(),
    ...amounts.flatMap(taxTexts).sort(),
    ...exceptions.map(({ reason, gross }) => `${reason} ${write(gross)}`),
    ...review,
    `${document.type} of ${document.tax_day}`,
  ].join(', ');
};

/**
 * Checks that each entry of a transaction exists exactly once, with the sums of the transaction's rows, and checks the
 * transaction's filings.
 */
export const checkEntries = async (account: string, stored: StoredTransaction, filings: readonly StoredFiling[]) => {
  const expected = expectedEntries(stored);
  const places = await findEntries(account, expected, filings);
  const faults = places.flatMap(({ entry, found }) => entryFaults(stored, entry, found));
  const holding = places.flatMap(({ found }) => found.flatMap(({ filing }) => filing ?? []));
  return { count: expected.length, faults: [...faults, ...filingsFaults(stored, holding)] };
};

const entryFaults = (
  { transaction: { version } }: StoredTransaction,
  expected: LiabilityEntry,
  found: readonly FoundEntry[],
): Fault[] => {
  const name = entryName(expected);
  const [first] = found;
  if (!first) return [{ what: name, actual: 'none', expected: figuresText(expected) }];
  const places = found.map(({ filing }) => (filing ? `in ${filing.id}` : 'open'));
  const ofPlaces = placeFaults(name, places);
  const entry = parseOrNull(() => openEntryFrom(first.item));
  if (!entry) return [...ofPlaces, { what: name, actual: 'not readable', expected: figuresText(expected) }];
  return [
    ...ofPlaces,
    ...differing(`transaction of the ${name}`, entry.transactionId, expected.transactionId),
    ...differing(`state of the ${name}`, entry.state, expected.state),
    ...differing(`month of the ${name}`, entry.month, expected.month),
    ...differing(name, figuresText(entry), figuresText(expected)),
    ...faultUnless(entry.version <= version, `version of the ${name}`, `${entry.version}`, `at most ${version}`),
  ];
};

/**
 * Checks that a transaction lists every filed filing of its entries and no filing without its entries, and that its
 * status is `filed` if and only if all its states are filed.
 */
const filingsFaults = (stored: StoredTransaction, holding: readonly StoredFiling[]): Fault[] => {
  const { filings, status } = stored.transaction;
  const isNamed = (id: string) => filings.some((filing) => filing.id === id);
  const isHolding = (id: string) => holding.some((filing) => filing.id === id);
  const states = new Set(filings.map(({ state }) => state));
  const isFiled = states.size > 0 && statesToFile(stored).every((state) => states.has(state));
  const shouldBe = isFiled ? 'filed, because all its states are filed' : 'not filed';
  return [
    ...holding
      .filter((filing) => filing.status === 'filed')
      .flatMap(({ id }) => faultUnless(isNamed(id), `${id} in filings`, 'absent', 'present')),
    ...filings.flatMap(({ id }) =>
      faultUnless(isHolding(id), `${id} in filings`, 'present', 'absent: the filing has no entry of the transaction'),
    ),
    ...faultUnless(isFiled === (status === 'filed'), 'status', status, shouldBe),
  ];
};

const batch = 25;

/**
 * Returns the states whose open entries are read: all states, because sales without content also have entries, and the
 * given states.
 */
export const statesOfEntries = (others: Iterable<string> = []): readonly string[] =>
  [...new Set([...stateJurisdictions, ...others])].sort();

/**
 * Finds unexpected open entries of a state: the transaction is missing, void, or has different entries. The check of
 * transactions finds missing entries.
 */
export const orphanedEntries = async function* (account: string, state: string): AsyncGenerator<Finding> {
  for await (const items of openEntryItems(account, state))
    for await (const some of toBatches(items, batch)) {
      // A transaction may have changed between the reads.
      if ((await orphanedAmong(account, some)).length > 0) yield* await stillOrphaned(account, some);
    }
};

const stillOrphaned = async (account: string, items: readonly Item[]): Promise<readonly Finding[]> => {
  const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
  const read = async () => ({ findings: await orphanedAmong(account, [...(await itemsAt(keys)).values()]) });
  return (await confirmed(read, 0)).findings;
};

const orphanedAmong = async (account: string, items: readonly Item[]): Promise<Finding[]> => {
  const ids = items.map(({ transactionId }) => String(transactionId));
  const expected = await expectedPlaces(account, ids);
  return items
    .filter(({ pk, sk }) => !expected.has(`${pk} ${sk}`))
    .flatMap(({ transactionId, ...entry }) => {
      const what = `open ${entryName(entry)}`;
      return listFindings(String(transactionId), 'entries', [{ what, actual: 'present', expected: 'absent' }]);
    });
};
