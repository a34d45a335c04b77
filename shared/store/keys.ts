import { createHash } from 'node:crypto';

/**
 * Every key of the ledger's table, and below those of the accounts' and the content's.
 *
 * The account comes first and is an id of ours, without a `#`; what a client names comes last or hashed, so that a `#`
 * in it cannot reach another item.
 */
export type ItemKey = { readonly pk: string; readonly sk: string };

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const versionDigits = 10;

/** How many partitions the sparse index of drafts has; a partition takes 1,000 writes a second. */
export const draftShards = 8;
/** How many partitions the open entries of an account's state have; those of a filing are the same, so that a move stays in its shard. */
export const openEntryShards = 8;
/** How many partitions the parts of a release have: an import writes to all of them at once. */
export const partShards = 16;

const shardOf = (text: string, shards: number) => sha256(text).readUInt32BE() % shards;

/** Where a transaction is. */
export const headKey = (account: string, id: string): ItemKey => ({ pk: `T#${account}#${id}`, sk: 'H' });

/** Whose transaction an index row of the table is, read back from its `pk`. */
export const headOwner = (pk: string): { readonly account: string; readonly id: string } => {
  const [, account, id] = /^T#([^#]+)#(.+)$/s.exec(pk) ?? [];
  if (account === undefined || id === undefined)
    throw new Error('An index of the ledger holds something other than a head.');
  return { account, id };
};

/** Where the audit entry of a transaction's version is; padded, so that the entries sort by version. */
export const auditKey = (account: string, id: string, version: number): ItemKey => ({
  pk: headKey(account, id).pk,
  sk: `A#${String(version).padStart(versionDigits, '0')}`,
});

/** Where it is written which live transaction has a reference. */
export const claimKey = (account: string, reference: string): ItemKey => ({
  pk: `R#${account}#${sha256(reference).toString('hex')}`,
  sk: 'R',
});

/** Where the answer to a request that may be sent again is kept. */
export const idempotencyKey = (account: string, digest: string): ItemKey => ({ pk: `I#${account}#${digest}`, sk: 'I' });

/** Where it is written which exported ledger was imported into an account, and how far. */
export const importMarkKey = (account: string): ItemKey => ({ pk: `M#${account}`, sk: 'IMPORT' });

type OpenEntryPlace = {
  readonly transactionId: string;
  readonly state: string;
  readonly month: string;
  readonly currency: string;
};

/** The partition of one shard of a state's open entries, which a filing reads shard by shard. */
export const openEntryPartition = (account: string, state: string, shard: number): string =>
  `O#${account}#${state}#${shard}`;

/** All partitions of a state's open entries. */
export const openEntryPartitions = (account: string, state: string): readonly string[] =>
  Array.from({ length: openEntryShards }, (_, shard) => openEntryPartition(account, state, shard));

/** Where a transaction's liability in one state waits for a filing. */
export const openEntryKey = (account: string, { transactionId, state, month, currency }: OpenEntryPlace): ItemKey => ({
  pk: openEntryPartition(account, state, shardOf(transactionId, openEntryShards)),
  sk: `${month}#${transactionId}#${currency}`,
});

/** The partition of an account's filings. */
export const filingPartition = (account: string): string => `F#${account}`;

/** Where a filing is. */
export const filingKey = (account: string, id: string): ItemKey => ({ pk: filingPartition(account), sk: id });

/** Where it is written how far a state's periods are closed. */
export const chainKey = (account: string, state: string): ItemKey => ({ pk: `P#${account}#${state}`, sk: 'CHAIN' });

/** Where it is written which filing has a state's period, by its last day. */
export const periodKey = (account: string, state: string, periodEnd: string): ItemKey => ({
  pk: chainKey(account, state).pk,
  sk: periodEnd,
});

/** The partition of one shard of a filing. */
export const filingShardPartition = (account: string, id: string, shard: number): string =>
  `F#${account}#${id}#${shard}`;

/** Where it is written how far a shard of a filing is: before all of its entries. */
export const filingProgressKey = (account: string, id: string, shard: number): ItemKey => ({
  pk: filingShardPartition(account, id, shard),
  sk: '!',
});

/** Where a filing has an entry: in the shard that it had while it was open. */
export const filedEntryKey = (
  account: string,
  id: string,
  { transactionId, currency }: Pick<OpenEntryPlace, 'transactionId' | 'currency'>,
): ItemKey => ({
  pk: filingShardPartition(account, id, shardOf(transactionId, openEntryShards)),
  sk: `${transactionId}#${currency}`,
});

/** The partition of all accounts' unfinished filings: like the drafts, they are looked for by the schedule alone. */
export const filingWorkPartition = 'W';

/** Where it is written that a filing is unfinished. */
export const filingWorkKey = (account: string, id: string): ItemKey => ({
  pk: filingWorkPartition,
  sk: `${account}#${id}`,
});

/** Which filing an item of that partition names. */
export const filingOfWork = (sk: string): { readonly account: string; readonly id: string } => {
  const [account = '', id = ''] = sk.split('#');
  return { account, id };
};

/** The partition of an index that lists what one customer, parent or reference of an account has. */
export const valueOfAccount = (account: string, value: string): string => `${account}#${value}`;

/** The sort key of the index by tax date: the instant with milliseconds, so that all sort alike, and the id. */
export const taxDateId = (taxDate: string, id: string): string => `${new Date(taxDate).toISOString()}#${id}`;

/** The partition of the index of drafts with this number. */
export const draftPartition = (shard: number): string => `D#${shard}`;

/** The partition of the index of drafts that a draft is in. */
export const draftShard = (account: string, id: string): string =>
  draftPartition(shardOf(headKey(account, id).pk, draftShards));

/** Where an account is. */
export const accountKey = (account: string) => ({ pk: `ACCOUNT#${account}`, sk: 'ACCOUNT' });

/** The partition that lists every account: the register that schedules and operators page over. */
export const accountRegister = 'ACCOUNTS';

/** Where an account is in the register. */
export const accountRegisterKey = (account: string) => ({ pk: accountRegister, sk: account });

/** Where an account's API key is found by its name; the item holds the digest. */
export const keyNameKey = (account: string, id: string) => ({ pk: `ACCOUNT#${account}`, sk: `KEY#${id}` });

/** Where an API key is: a request brings nothing but the secret, so this is the one key without its account. */
export const apiKeyKey = (digest: string) => ({ pk: `KEY#${digest}`, sk: 'KEY' });

/** The partition with the last uses of an account's API keys: a function may write here, and never where the keys are. */
export const keyUses = (account: string): string => `USE#${account}`;

/** Where it is written when an API key was last used. */
export const keyUseKey = (account: string, id: string) => ({ pk: keyUses(account), sk: id });

/**
 * Where the requests of an account's window are counted; `windowStart` is in milliseconds since 1970. A large limit has
 * several counters, each in a partition of its own; the first one is that of every other limit.
 */
export const rateWindowKey = (account: string, windowStart: number, counter = 0) => ({
  pk: counter === 0 ? `RATE#${account}` : `RATE#${account}#${counter}`,
  sk: `WINDOW#${windowStart}`,
});

/** Where it is written which release is active for each state. */
export const activeReleasesKey: ItemKey = { pk: 'ACTIVE', sk: 'ACTIVE' };

/** The partition that lists the heads of a state's releases, by its jurisdiction code (`US-MN`), and the claims. */
export const releasePartition = (state: string): string => `R#${state}`;

const counterDigits = 6;

/** The state of a release's id (`US-MN@2026-11-21.1`); `undefined` where the text is no such id. */
export const stateOfRelease = (id: string): string | undefined => releaseParts(id)?.['state'];

const releaseParts = (id: string) =>
  /^(?<state>US-[A-Z]{2})@(?<day>\d{4}-\d{2}-\d{2})\.(?<counter>[1-9]\d{0,5})$/.exec(id)?.groups;

/** Where the head of a release is; its counter padded, so that the releases of a day sort as they came. */
export const releaseHeadKey = (id: string): ItemKey => {
  const { state, day, counter } = releaseParts(id) ?? {};
  if (state === undefined || day === undefined || counter === undefined)
    throw new Error('A release is named by its state, its day and a counter, such as US-MN@2026-11-21.1.');
  return { pk: releasePartition(state), sk: `${day}#${counter.padStart(counterDigits, '0')}` };
};

/** The id of the release whose head has this sort key among those of its state (`US-MN`). */
export const releaseOfHeadKey = (state: string, sk: string): string => {
  const [day, counter] = sk.split('#');
  return `${state}@${day}.${Number(counter)}`;
};

/** What the sort keys of import claims begin with. Those of heads begin with a digit, and so come before them. */
export const importClaimPrefix = 'C#';

/** Where it is written that an import has taken a release's id: beside the heads of the state. */
export const importClaimKey = (id: string): ItemKey => {
  const { pk, sk } = releaseHeadKey(id);
  return { pk, sk: `${importClaimPrefix}${sk}` };
};

/** One of the partitions with the parts of a release. */
export const partPartition = (release: string, shard: number): string => `P#${release}#${shard}`;

/** Where a release keeps what it knows of one ZIP or city. */
export const partKey = (release: string, key: string): ItemKey => ({
  pk: partPartition(release, shardOf(key, partShards)),
  sk: key,
});
