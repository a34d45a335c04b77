import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Settings } from '../../accounts/account.ts';
import { toBatches } from '../../base/collections.ts';
import { canonicalJson } from '../../base/json.ts';
import { builtInReleaseById } from '../../catalog/built-in.ts';
import type { Customer } from '../../customers/customer.ts';
import type { FilingSequence, StoredFiling } from '../../filings/filing.ts';
import { ShardProgress, TotalsPart } from '../../filings/ports.ts';
import type { AuditEntry } from '../../ledger/audit.ts';
import { encodeEntry, type LiabilityEntryJson } from '../../ledger/entries/entry.ts';
import type { StoredTransaction } from '../../ledger/transaction.ts';
import { findHead } from '../../store/content/content-store.ts';
import { allFilings, filedEntryPages } from '../../store/filings/entry-places.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { auditEntryFrom } from '../../store/ledger/audit-item.ts';
import { auditItems, findClaimItem, headItem, openEntryItems, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../store/ledger/open-entry-item.ts';
import { type TransactionJson, transactionFrom, transactionToJson } from '../../store/ledger/transaction-item.ts';
import { CommandError } from '../terminal/run-command.ts';

/**
 * File format of an exported ledger: JSON lines with a header, the ledger and a trailer.
 *
 * Every line begins with its `sum`: SHA-256 over the sum of the previous line, a line feed, and the line without its
 * sum. So an import can report the line that was altered, lost, moved or added. The sums detect damage, not forgery,
 * because a forger can recompute them.
 */
export const format = 'levy-ledger';
export const formatVersion = 1;

/** A line of the ledger. No line contains the account id, so an import can use a different id. */
export type Line =
  /** An entry of a transaction's audit chain. The entries come in order, directly before their transaction. */
  | { readonly kind: 'audit_entry'; readonly entry: AuditEntry }
  /** A stored transaction, and whether it has the claim on its reference. */
  | { readonly kind: 'transaction'; readonly holds_reference: boolean; readonly stored: TransactionJson }
  | { readonly kind: 'open_entry'; readonly entry: LiabilityEntryJson }
  | { readonly kind: 'filing'; readonly filing: Omit<StoredFiling, 'account'> }
  /** The progress of a filing's shard. The parts of its totals precede it. */
  | { readonly kind: 'filing_shard'; readonly filing: string; readonly progress: z.input<typeof ShardProgress> }
  | { readonly kind: 'filing_totals'; readonly filing: string; readonly part: z.input<typeof TotalsPart> }
  | { readonly kind: 'filed_entry'; readonly filing: string; readonly entry: LiabilityEntryJson }
  | { readonly kind: 'chain'; readonly chain: Omit<FilingSequence, 'account'> }
  | { readonly kind: 'customer'; readonly customer: Customer };

export const kinds = [
  'audit_entry',
  'transaction',
  'open_entry',
  'filing',
  'filing_shard',
  'filing_totals',
  'filed_entry',
  'chain',
  'customer',
] as const satisfies readonly Line['kind'][];

const count = z.int().check(z.nonnegative());
export const Counts = z.object(
  Object.fromEntries(kinds.map((kind) => [kind, count])) as Record<Line['kind'], typeof count>,
);
export type Counts = z.infer<typeof Counts>;
export const noCounts = (): Counts => Object.fromEntries(kinds.map((kind) => [kind, 0])) as Counts;

/** The first line of an export. */
export const Header = z.object({
  kind: z.literal('header'),
  format: z.literal(format),
  format_version: z.literal(formatVersion),
  account: z.object({ id: z.string(), name: z.string(), created_at: z.string(), settings: Settings }),
  exported_at: z.string(),
});
export type Header = z.infer<typeof Header>;

/** The last line of an export. */
export const Trailer = z.object({
  kind: z.literal('trailer'),
  counts: Counts,
  /** The hash of each release that a transaction used, so that a replay uses the same content. */
  releases: z.record(z.string(), z.string()),
  /** The number of lines before this one, and the SHA-256 of their bytes. */
  lines: z.int(),
  sha256: z.string(),
});
export type Trailer = z.infer<typeof Trailer>;

/** Returns the hash of a built-in or imported release; `null` if it does not exist here. */
export const releaseHash = async (id: string): Promise<string | null> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn) return createHash('sha256').update(canonicalJson(builtIn)).digest('hex');
  return (await findHead(id))?.content_hash ?? null;
};

const computeChecksum = (previous: string, text: string) =>
  createHash('sha256').update(`${previous}\n${text}`).digest('base64url');

const sealed = /^\{"sum":"([\w-]{43})",(".*\})$/s;

/** Adds checksums to lines and verifies them. */
export class LineHashChain {
  #sum = '';

  /** Returns a line with its sum. */
  readonly close = (text: string): string => {
    this.#sum = computeChecksum(this.#sum, text);
    return `{"sum":"${this.#sum}",${text.slice(1)}`;
  };

  /** Returns the line without its sum; `null` if the sum is wrong. */
  readonly open = (line: string): string | null => {
    const [, sum, rest] = sealed.exec(line) ?? [];
    const text = `{${rest}`;
    this.#sum = computeChecksum(this.#sum, text);
    return sum === this.#sum ? text : null;
  };
}

const pageSize = 100;
const atOnce = 16;
// The limit is 400 KB per item and 16 MB per BatchGetItem response.
const partsAtOnce = 25;

/** Returns entries up to the transaction's version. Later entries were written after the transaction was read. */
const readChain = async (account: string, { transaction: { id, version } }: StoredTransaction) => {
  const pages = await Array.fromAsync(auditItems(account, id));
  const entries = pages.flatMap((items) => items.map(auditEntryFrom)).filter((entry) => entry.version <= version);
  if (entries.length !== version)
    throw new CommandError(
      `${id} has ${entries.length} audit entries at version ${version}. Run npm run ledger -- verify --account ${account}.`,
    );
  return entries;
};

const holdsReference = async (account: string, { transaction }: StoredTransaction): Promise<boolean> => {
  const { id, status, reference_id } = transaction;
  if (reference_id === null || status === 'void') return false;
  return (await findClaimItem(account, reference_id))?.['transaction_id'] === id;
};

type Exported = { readonly stored: StoredTransaction; readonly lines: readonly Line[] };

const readExported = async (account: string, id: string): Promise<Exported> => {
  const head = await headItem(account, id);
  if (!head) throw new CommandError(`${id} was deleted during the export. Stop all writers, then export again.`);
  const stored = transactionFrom(head);
  const [entries, holds_reference] = await Promise.all([readChain(account, stored), holdsReference(account, stored)]);
  const chain = entries.map((entry): Line => ({ kind: 'audit_entry', entry }));
  return { stored, lines: [...chain, { kind: 'transaction', holds_reference, stored: transactionToJson(stored) }] };
};

/**
 * Yields an account's transactions with their audit chains as lines, oldest first, from strongly consistent reads of
 * the table.
 */
export const exportedTransactions = async function* (account: string): AsyncGenerator<Exported> {
  for await (const ids of transactionIds(account, pageSize))
    for await (const some of toBatches(ids, atOnce))
      yield* await Promise.all(some.map((id) => readExported(account, id)));
};

/** Yields an account's filings. Refuses an unfinished filing, because some of its entries are still open. */
export const finishedFilings = async (account: string): Promise<readonly StoredFiling[]> => {
  const filings = await allFilings(account);
  const unfinished = filings.find(({ isUnfinished }) => isUnfinished);
  if (!unfinished) return filings;
  const { id, status } = unfinished;
  throw new CommandError(
    `The filing ${id} is unfinished (${status}). Export when GET /filings/${id} returns progress.complete as true.`,
  );
};

const shardLines = async function* (account: string, { id }: StoredFiling): AsyncGenerator<Line> {
  const shards = await filingReads.progress(account, id);
  if (shards.length < filingReads.shards)
    throw new CommandError(`A shard of filing ${id} is missing. Run npm run ledger -- verify.`);
  for (const progress of shards) {
    for await (const froms of toBatches(progress.parts, partsAtOnce)) {
      const places = froms.map((from) => ({ shard: progress.shard, from }));
      const parts = await filingReads.parts(account, id, places);
      if (parts.length < places.length)
        throw new CommandError(`Part of the totals of filing ${id} is missing. Run npm run ledger -- verify.`);
      for (const part of [...parts].sort((a, b) => (a.from < b.from ? -1 : 1)))
        yield { kind: 'filing_totals', filing: id, part: z.encode(TotalsPart, part as z.output<typeof TotalsPart>) };
    }
    yield {
      kind: 'filing_shard',
      filing: id,
      progress: z.encode(ShardProgress, progress as z.output<typeof ShardProgress>),
    };
  }
};

const entryLines = async function* (account: string, { id }: StoredFiling): AsyncGenerator<Line> {
  for (let shard = 0; shard < filingReads.shards; shard++)
    for await (const entries of filedEntryPages({ account, id, shard }, pageSize))
      for (const entry of entries) yield { kind: 'filed_entry', filing: id, entry: encodeEntry(entry) };
};

/** Yields open entries, filings with their entries and shards, and the chains of periods. */
export const filingLines = async function* (
  account: string,
  filings: readonly StoredFiling[],
  states: readonly string[],
): AsyncGenerator<Line> {
  for (const state of states)
    for await (const items of openEntryItems(account, state))
      for (const item of items) yield { kind: 'open_entry', entry: encodeEntry(openEntryFrom(item)) };
  for (const filing of filings) {
    yield* entryLines(account, filing);
    yield* shardLines(account, filing);
    const { account: _, ...stored } = filing;
    yield { kind: 'filing', filing: stored };
  }
  const chains = await filingReads.chains(account, states);
  for (const { account: _, ...chain } of chains.toSorted((a, b) => (a.state < b.state ? -1 : 1)))
    yield { kind: 'chain', chain };
};
