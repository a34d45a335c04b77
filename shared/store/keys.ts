import { createHash } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { wallMs } from '../base/calendar.ts';
import type { ResponseOwner } from '../ledger/ports.ts';

/**
 * The item keys of all three tables.
 *
 * The account id comes first: Levy generates it, and it contains no `#`. Client strings come last or are hashed, so a
 * `#` in them cannot address a different item.
 */
export type ItemKey = { readonly pk: string; readonly sk: string };

/** A stored item. Code that uses the key of a projected item must include it in the projection. */
export type Item = ItemKey & Readonly<Record<string, unknown>>;

/** Returns a key as one string, for use in maps. */
export const itemPlace = ({ pk, sk }: ItemKey): string => `${pk} ${sk}`;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const versionDigits = 10;

/** The number of partitions in the sparse index of drafts. Each supports 1,000 writes per second. */
export const draftShards = 8;
/**
 * The number of partitions for the open entries of an account and state. A filing has the same number, so an entry
 * keeps its shard.
 */
export const openEntryShards = 8;
/** The number of partitions of the due index. All entries of an account are in the same partition. */
export const dueShards = 8;
/** The number of partitions for the parts of a release. An import writes to all of them concurrently. */
export const partShards = 16;

const chooseShard = (text: string, shards: number) => sha256(text).readUInt32BE() % shards;

export const headKey = (account: string, id: string): ItemKey => ({ pk: `T#${account}#${id}`, sk: 'H' });

/** Parses the account and transaction id from the `pk` of an index row. */
export const headOwner = (pk: string): { readonly account: string; readonly id: string } => {
  const [, account, id] = /^T#([^#]+)#(.+)$/s.exec(pk) ?? [];
  assert(account !== undefined && id !== undefined, 'The pk of an index row must be the key of a transaction head.');
  return { account, id };
};

/** Returns the key of the audit entry of a transaction's version. The version is zero-padded, so the entries sort by it. */
export const auditKey = (account: string, id: string, version: number): ItemKey => ({
  pk: headKey(account, id).pk,
  sk: `A#${String(version).padStart(versionDigits, '0')}`,
});

/** Returns the key of a live transaction's claim on a reference_id. */
export const claimKey = (account: string, reference: string): ItemKey => ({
  pk: `R#${account}#${sha256(reference).toString('hex')}`,
  sk: 'R',
});

export const idempotencyKey = (account: string, digest: string): ItemKey => ({ pk: `I#${account}#${digest}`, sk: 'I' });

/** Returns the partition in which a redaction finds a customer's idempotency records. */
export const responsePartition = (account: string, id: string): string =>
  `${customerPartition(account)}#${sha256(id).toString('hex')}`;

/**
 * Returns the key of the link to an idempotency record, by its digest. A redaction finds the record only through this
 * link.
 */
export const responseLinkKey = (account: string, owner: ResponseOwner, digest: string): ItemKey =>
  'customer' in owner
    ? { pk: responsePartition(account, owner.customer), sk: digest }
    : { pk: headKey(account, owner.transaction).pk, sk: `${responseLinkPrefix}${digest}` };

/** Returns the key of the mark with a transaction's counted report amounts. It sorts after the head. */
export const countedKey = (account: string, id: string): ItemKey => ({ pk: headKey(account, id).pk, sk: 'S' });

/** Returns the partition of an account's sums by month, state and currency. */
export const reportPartition = (account: string): string => `S#${account}`;

/** Returns the key of a sum. `month` is `YYYY-MM`, `state` a jurisdiction code. */
export const reportKey = (
  account: string,
  { month, state, currency }: Pick<OpenEntryPlace, 'month' | 'state' | 'currency'>,
): ItemKey => ({ pk: reportPartition(account), sk: `${month}#${state}#${currency}` });

/** The prefix of the sort keys of links in the partition of a transaction. */
export const responseLinkPrefix = 'I#';

/** Returns the key of a ledger import's checkpoint: which export, and the last imported line. */
export const importMarkKey = (account: string): ItemKey => ({ pk: `M#${account}`, sk: 'IMPORT' });

export const customerPartition = (account: string): string => `C#${account}`;

/** Returns the key of a customer. The client's id is the whole sort key, so two ids cannot share a key. */
export const customerKey = (account: string, id: string): ItemKey => ({ pk: customerPartition(account), sk: id });

type OpenEntryPlace = {
  readonly transactionId: string;
  readonly state: string;
  readonly month: string;
  readonly currency: string;
};

export const openEntryPartition = (account: string, state: string, shard: number): string =>
  `O#${account}#${state}#${shard}`;

export const openEntryPartitions = (account: string, state: string): readonly string[] =>
  Array.from({ length: openEntryShards }, (_, shard) => openEntryPartition(account, state, shard));

/** Returns the key of an open entry: a transaction's liability in one state, not yet in a filing. */
export const openEntryKey = (account: string, { transactionId, state, month, currency }: OpenEntryPlace): ItemKey => ({
  pk: openEntryPartition(account, state, chooseShard(transactionId, openEntryShards)),
  sk: `${month}#${transactionId}#${currency}`,
});

type PartPlace = { readonly shard: number; readonly from: string };

export const filingPartition = (account: string): string => `F#${account}`;

export const filingKey = (account: string, id: string): ItemKey => ({ pk: filingPartition(account), sk: id });

/** Returns the key of a state's chain: its last closed period. */
export const chainKey = (account: string, state: string): ItemKey => ({ pk: `P#${account}#${state}`, sk: 'CHAIN' });

export const reminderPartition = (account: string): string => `P#${account}`;

/** Returns the key of a reminder of a period's return, by its occasion. */
export const reminderKey = (
  account: string,
  { state, period_end, occasion }: { readonly state: string; readonly period_end: string; readonly occasion: string },
): ItemKey => ({ pk: reminderPartition(account), sk: `REMINDER#${state}#${period_end}#${occasion}` });

export const filingShardPartition = (account: string, id: string, shard: number): string =>
  `F#${account}#${id}#${shard}`;

/** Returns the key of a shard's progress. It sorts before the shard's entries. */
export const filingProgressKey = (account: string, id: string, shard: number): ItemKey => ({
  pk: filingShardPartition(account, id, shard),
  sk: '!',
});

/** Returns the partition of a filing shard's totals, if they do not fit into its progress item. */
export const totalsPartition = (account: string, id: string, shard: number): string =>
  `${filingShardPartition(account, id, shard)}#TOTALS`;

/**
 * Returns the key of a part of a shard's totals, by its first jurisdiction. The first part has no jurisdiction in its
 * key.
 */
export const totalsPartKey = (account: string, id: string, { shard, from }: PartPlace): ItemKey => ({
  pk: totalsPartition(account, id, shard),
  sk: `#${from}`,
});

/**
 * Returns the key of a filed entry, in the same shard as the open entry. Entries with exceptions sort first, then
 * entries to review, so listing either kind reads no other entries.
 */
export const filedEntryKey = (
  account: string,
  id: string,
  {
    transactionId,
    currency,
    exceptions = [],
    review = [],
  }: Pick<OpenEntryPlace, 'transactionId' | 'currency'> & {
    readonly exceptions?: readonly unknown[] | undefined;
    readonly review?: readonly unknown[] | undefined;
  },
): ItemKey => ({
  pk: filingShardPartition(account, id, chooseShard(transactionId, openEntryShards)),
  sk: `${exceptions.length > 0 ? '!' : review.length > 0 ? '"' : ''}${transactionId}#${currency}`,
});

/** These keys sort after the entries with exceptions, after the entries to review, and before all others. */
export const filedEnds = { exceptions: '"', review: '#' } as const;

export const duePartition = (shard: number): string => `DUE#${shard}`;

type DuePlace = { readonly account: string; readonly subject: string; readonly at: string };

/** Returns the key of a due-index entry: a state or filing of an account, by the time from which it is processed. */
export const dueKey = ({ account, subject, at }: DuePlace): ItemKey => ({
  pk: duePartition(chooseShard(account, dueShards)),
  sk: `${at}#${account}#${subject}`,
});

/** Parses the account, subject and time from the `sk` of a due-index item. */
export const parseDueKey = (sk: string): DuePlace => {
  const [at = '', account = '', subject = ''] = sk.split('#');
  return { account, subject, at };
};

/** The key of the position of the daily sweep over all accounts. */
export const dueSweepKey: ItemKey = { pk: 'DUE#SWEEP', sk: 'SWEEP' };

const retentionPartition = 'DUE#RETENTION';

/** The key of the position of the daily sweep that removes old personal data. */
export const retentionSweepKey: ItemKey = { pk: retentionPartition, sk: '!' };

/** Returns the key of the account's last transaction whose personal data the retention sweep has processed. */
export const retentionKey = (account: string): ItemKey => ({ pk: retentionPartition, sk: account });

/** Returns the index partition of one customer, parent or reference of an account. */
export const valueOfAccount = (account: string, value: string): string => `${account}#${value}`;

/** Returns the sort key of the tax date index: the time with milliseconds, for a fixed length, and the id. */
export const taxDateId = (taxDate: string, id: string): string => `${new Date(wallMs(taxDate)).toISOString()}#${id}`;

export const draftPartition = (shard: number): string => `D#${shard}`;

export const draftShard = (account: string, id: string): string =>
  draftPartition(chooseShard(headKey(account, id).pk, draftShards));

export const accountKey = (account: string) => ({ pk: `ACCOUNT#${account}`, sk: 'ACCOUNT' });

/** The partition that lists every account, for schedules and operators. */
export const accountRegister = 'ACCOUNTS';

export const accountRegisterKey = (account: string) => ({ pk: accountRegister, sk: account });

/** Returns the key of the item that maps an API key's id to its digest. */
export const keyNameKey = (account: string, id: string) => ({ pk: `ACCOUNT#${account}`, sk: `KEY#${id}` });

/** Returns the key of an API key. It contains no account, because a request contains only the secret. */
export const apiKeyKey = (digest: string) => ({ pk: `KEY#${digest}`, sk: 'KEY' });

/**
 * Returns the key of a console session. It is read with the permission for API keys. No digest of an API key begins
 * with this prefix, so a function that writes sessions cannot write keys.
 */
export const sessionKey = (digest: string) => ({ pk: `KEY#SESSION#${digest}`, sk: 'SESSION' });

/**
 * Returns the partition with the last uses of an account's API keys. Functions can write here, but not to the keys
 * themselves.
 */
export const keyUses = (account: string): string => `USE#${account}`;

/** The partition with the changes of an account's settings. */
export const settingChanges = (account: string): string => `SETTINGS#${account}`;

export const keyUseKey = (account: string, id: string) => ({ pk: keyUses(account), sk: id });

/**
 * Returns the key of a request counter in an account's rate limit window. `windowStart` is in milliseconds since 1970.
 * A high limit has several counters in separate partitions; other limits use only counter 0.
 */
export const rateWindowKey = (account: string, windowStart: number, counter = 0) => ({
  pk: counter === 0 ? `RATE#${account}` : `RATE#${account}#${counter}`,
  sk: `WINDOW#${windowStart}`,
});

export const activeReleasesKey: ItemKey = { pk: 'ACTIVE', sk: 'ACTIVE' };

/** The partition with the last update from each state's publisher. */
const contentSources = 'SOURCES';

/** Returns the key of the record of a state's official files. */
export const contentSourceKey = (state: string): ItemKey => ({ pk: contentSources, sk: state });

/** Returns the partition with the heads of a state's releases, by its jurisdiction code (`US-MN`), and the claims. */
export const releasePartition = (state: string): string => `R#${state}`;

const counterDigits = 6;

/** Returns the state of a release id (`US-MN@2026-11-21.1`); `undefined` if the string is not a release id. */
export const stateOfRelease = (id: string): string | undefined => releaseParts(id)?.['state'];

const releaseParts = (id: string) =>
  /^(?<state>US-[A-Z]{2})@(?<day>\d{4}-\d{2}-\d{2})\.(?<counter>[1-9]\d{0,5})$/.exec(id)?.groups;

/** Returns the key of a release's head. The counter is zero-padded, so the releases of a day sort by it. */
export const releaseHeadKey = (id: string): ItemKey => {
  const { state, day, counter } = releaseParts(id) ?? {};
  assert(
    state !== undefined && day !== undefined && counter !== undefined,
    'A release id must have a state, a day and a counter, such as US-MN@2026-11-21.1.',
  );
  return { pk: releasePartition(state), sk: `${day}#${counter.padStart(counterDigits, '0')}` };
};

/** Returns the id of the release whose head has this sort key in its state's partition (`US-MN`). */
export const releaseOfHeadKey = (state: string, sk: string): string => {
  const [day, counter] = sk.split('#');
  return `${state}@${day}.${Number(counter)}`;
};

/** The prefix of the sort keys of import claims. The sort keys of heads begin with a digit and sort before it. */
export const importClaimPrefix = 'C#';

/** Returns the key of an import's claim on a release id, in the partition of the state's heads. */
export const importClaimKey = (id: string): ItemKey => {
  const { pk, sk } = releaseHeadKey(id);
  return { pk, sk: `${importClaimPrefix}${sk}` };
};

export const partPartition = (release: string, shard: number): string => `P#${release}#${shard}`;

export const partKey = (release: string, key: string): ItemKey => ({
  pk: partPartition(release, chooseShard(key, partShards)),
  sk: key,
});
