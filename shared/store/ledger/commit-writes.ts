import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { environment } from '../../config/environment.ts';
import type { HeadChange } from '../../ledger/audit.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import type { Commit, Replay, ResponseOwner, SeenOwner } from '../../ledger/ports.ts';
import { isExpired, type StoredTransaction } from '../../ledger/transaction.ts';
import { absent, asSeen, firstObstacle, present, returned, type Write } from '../client/writes.ts';
import { claimKey, customerKey, headKey, itemPlace, openEntryKey, responseLinkKey } from '../keys.ts';
import { auditItem, statusChangeAttribute } from './audit-item.ts';
import { idempotencyItem, replayFrom, ttlSeconds } from './idempotency-item.ts';
import { openEntryItem } from './open-entry-item.ts';
import { transactionItem } from './transaction-item.ts';

/** The reference_id that a change claims, and the reference_id that it releases. Void transactions have no claim. */
type ClaimChanges = { readonly take: string | null; readonly release: string | null };

const heldBy = (stored: StoredTransaction | null): string | null =>
  stored === null || stored.transaction.status === 'void' ? null : stored.transaction.reference_id;

const becomesFinal = ({ before, after }: HeadChange) =>
  before?.transaction.status === 'draft' && after.transaction.status !== 'draft';

/**
 * Determines which reference_id a change claims and which it releases.
 *
 * Finalizing a draft claims its reference_id again, without the deadline. An expired draft's claim is not released: a
 * different transaction may have taken it over; otherwise its TTL removes it.
 */
const claimChanges = (change: HeadChange, nowMs: number): ClaimChanges => {
  const held = heldBy(change.before);
  const holds = heldBy(change.after);
  const mayHaveLostIt = change.before !== null && isExpired(change.before.transaction, nowMs);
  return {
    take: holds !== held || becomesFinal(change) ? holds : null,
    release: holds !== held && !mayHaveLostIt ? held : null,
  };
};

/** Builds the claim of a live transaction on a reference_id. A draft's claim can be taken over after the draft's deadline. */
export const claimItem = (
  account: string,
  reference: string,
  { transaction: { id, status, expires_at } }: StoredTransaction,
): Record<string, unknown> => ({
  ...claimKey(account, reference),
  transaction_id: id,
  ...(status === 'draft' &&
    expires_at !== null && { expires_at: new Date(expires_at).toISOString(), ttl: ttlSeconds(Date.parse(expires_at)) }),
});

/** The purpose of a write. It determines the meaning of a failed condition. */
export type Role =
  | 'idempotency'
  | 'link'
  | 'take'
  | 'release'
  | 'head'
  | 'audit'
  | 'parent'
  | 'replaced'
  | 'post'
  | 'replace'
  | 'remove';
export type RoledWrite = { readonly role: Role; readonly write: Write };

const TableName = environment.tables.transactions;

const isPast = 'expires_at <= :now';
const isOwn = 'transaction_id = :id';
// Only a redaction writes the digest.
const isUnredacted = { ConditionExpression: 'attribute_not_exists(commitments.digest)' };

// Roles whose stored item is returned if the condition fails. Heads are excluded: they can be 300 KB, and the audit
// entry shows the same conflict.
const returnedRoles = new Set<Role>(['idempotency', 'take', 'audit']);

type Item = Readonly<Record<string, unknown>>;
type Condition = { readonly ConditionExpression: string; readonly ExpressionAttributeValues?: Item };

const put = (role: Role, Item: Item, condition: Condition): RoledWrite => {
  const asked = returnedRoles.has(role) && returned;
  return { role, write: { Put: { TableName, Item, ...condition, ...asked } } };
};

const remove = (role: Role, Key: Item, condition: Condition): RoledWrite => ({
  role,
  write: { Delete: { TableName, Key, ...condition } },
});

const check = (Key: Item, condition: Condition): RoledWrite => ({
  role: 'parent',
  write: { ConditionCheck: { TableName, Key, ...condition } },
});

const toInstant = (milliseconds: number) => new Date(milliseconds).toISOString();

const absentOrPast = (nowMs: number): Condition => ({
  ConditionExpression: `${absent.ConditionExpression} OR ${isPast}`,
  ExpressionAttributeValues: { ':now': toInstant(nowMs) },
});

/** Returns the write of an idempotency record, on the condition that none exists or that it has expired. */
export const idempotencyWrites = ({
  account,
  idempotency,
  nowMs,
}: Pick<Commit, 'account' | 'idempotency' | 'nowMs'>): RoledWrite[] => {
  if (idempotency === null) return [];
  return [put('idempotency', idempotencyItem(account, idempotency, nowMs), absentOrPast(nowMs))];
};

/**
 * Returns the replay if a transaction was canceled because the request's idempotency record exists. The record must be
 * the first write.
 */
export const replayOfCanceled = (
  exception: TransactionCanceledException,
  { idempotency, nowMs }: Partial<Pick<Commit, 'idempotency'>> & Pick<Commit, 'nowMs'>,
): Replay | undefined => (idempotency ? replayFrom(firstObstacle(exception), idempotency, nowMs) : undefined);

/** Returns the write of the link to a record whose digest is in no audit entry. The link expires with the record. */
export const responseLinkWrites = (
  account: string,
  owner: ResponseOwner,
  { idempotency, nowMs }: Pick<Commit, 'idempotency' | 'nowMs'>,
): RoledWrite[] => {
  if (idempotency === null) return [];
  const { expires_at, ttl } = idempotencyItem(account, idempotency, nowMs);
  const item = { ...responseLinkKey(account, owner, idempotency.digest), expires_at, ttl };
  return [put('link', item, absentOrPast(nowMs))];
};

/** Returns the condition that the owner of a saved response has the version that was read. */
export const ownerCheck = (account: string, owner: SeenOwner): RoledWrite => {
  const Key = 'customer' in owner ? customerKey(account, owner.customer) : headKey(account, owner.transaction);
  return check(Key, asSeen(owner.version));
};

const getId = ({ after }: HeadChange) => after.transaction.id;

const claimWrites = ({ account, head, replaced, nowMs }: Commit): RoledWrite[] => {
  const { take, release } = claimChanges(head, nowMs);
  const left = replaced ? claimChanges(replaced, nowMs).release : null;
  const isLeft = left !== null && left === take;
  const isFree = `${absent.ConditionExpression} OR ${isOwn} OR ${isPast}`;
  const free = {
    ConditionExpression: isLeft ? `${isFree} OR transaction_id = :replaced` : isFree,
    ExpressionAttributeValues: {
      ':id': getId(head),
      ':now': toInstant(nowMs),
      ...(replaced && isLeft && { ':replaced': getId(replaced) }),
    },
  };
  const released = (reference: string, id: string) => {
    const own = { ConditionExpression: isOwn, ExpressionAttributeValues: { ':id': id } };
    return remove('release', claimKey(account, reference), own);
  };
  return [
    ...(take === null ? [] : [put('take', claimItem(account, take, head.after), free)]),
    ...(release === null ? [] : [released(release, getId(head))]),
    ...(replaced && left !== null && !isLeft ? [released(left, getId(replaced))] : []),
  ];
};

/**
 * Returns the writes of a head and its audit entry. An existing head must have the version that was read and is
 * replaced as a whole. `response` is the digest of the idempotency record with the transaction, so a redaction can find
 * it.
 */
export const headWrites = (
  account: string,
  { before, after, entry }: HeadChange,
  roles: [Role, Role],
  response?: string,
): RoledWrite[] => {
  const audit = { ...auditItem(account, entry, response), ...statusChangeAttribute(entry, after.transaction) };
  const asRead = before === null ? absent : asSeen(before.transaction.version);
  return [put(roles[0], transactionItem(account, after), asRead), put(roles[1], audit, absent)];
};

// An entry whose amounts change is removed and posted under the same key, but a DynamoDB transaction can contain a key
// only once.
const openEntryWrites = ({ account, openEntries: { post, remove: removed } }: Commit): RoledWrite[] => {
  const entryPlace = (entry: LiabilityEntry) => itemPlace(openEntryKey(account, entry));
  const postedPlaces = new Set(post.map(entryPlace));
  const removedPlaces = new Set(removed.map(entryPlace));
  return [
    ...post.map((entry) =>
      removedPlaces.has(entryPlace(entry))
        ? put('replace', openEntryItem(account, entry), present)
        : put('post', openEntryItem(account, entry), absent),
    ),
    ...removed
      .filter((entry) => !postedPlaces.has(entryPlace(entry)))
      .map((entry) => remove('remove', openEntryKey(account, entry), present)),
  ];
};

const unredactedCheck = ({ account, unredacted: id }: Commit): RoledWrite[] =>
  id === undefined ? [] : [check(headKey(account, id), isUnredacted)];

/**
 * Returns the writes of a commit, for one DynamoDB transaction. The idempotency record is first, because its
 * cancellation reason is checked first.
 */
export const commitWrites = (commit: Commit): RoledWrite[] => [
  ...idempotencyWrites(commit),
  ...claimWrites(commit),
  ...headWrites(commit.account, commit.head, ['head', 'audit'], commit.idempotency?.digest),
  ...(commit.replaced ? headWrites(commit.account, commit.replaced, ['replaced', 'replaced']) : []),
  ...(commit.parent === null ? [] : headWrites(commit.account, commit.parent, ['parent', 'parent'])),
  ...unredactedCheck(commit),
  ...openEntryWrites(commit),
];
