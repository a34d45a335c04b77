// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source code.
import type { Patch } from './platform.ts';

const commitBegins = '    const writes = commitWrites(commit);\n';
const headWritten = `      { ...auditItem(account, entry, answer), ...statusChangeAttribute(entry, after.transaction) },
      isAbsent,
`;
const headChanged = `      : put(roles[0], item, isAsSeen, { ':seen': before.transaction.version }),`;

// The writes of these roles follow in a second transaction.
const inASecondWrite = (isLate: string): readonly Patch[] => [
  {
    find: commitBegins,
    replace: `${commitBegins}
    return (async () => {
      const isLate = ({ role }: RoledWrite) => ${isLate};
      const parts = [writes.filter((write) => !isLate(write)), writes.filter(isLate)];
      for (const part of parts) {
        if (part.length === 0) continue;
        const committed = await transact(part, (exception) => refusalOf(commit, part, exception), remainingMs);
        if (committed.kind !== 'committed') return committed;
      }
      return { kind: 'committed' };
    })();
`,
  },
];

// The reference is looked up before the write, which has no condition then.
const lookedUpBefore = (lookUp: string, importing: string): readonly Patch[] => [
  {
    find: commitBegins,
    replace: `${commitBegins}
    return (async () => {
      for (const { role, write } of writes) {
        if (role !== 'take') continue;
        ${lookUp}
        write.Put = { TableName: write.Put.TableName, Item: write.Put.Item };
      }
      return transact(writes, (exception) => refusalOf(commit, writes, exception), remainingMs);
    })();
`,
  },
  {
    find: `import { answerLinkWrites, commitWrites, idempotencyWrites, type Role, type RoledWrite } from './commit-writes.ts';`,
    replace: `import { answerLinkWrites, commitWrites, idempotencyWrites, type Role, type RoledWrite } from './commit-writes.ts';\n${importing}`,
  },
];

// A head is written without its version condition, and its audit entry overwrites an existing one.
const unconditionally = (when: string): readonly Patch[] => [
  {
    find: headChanged,
    replace: `      : ${when} ? put(roles[0], item, isPresent)\n${headChanged}`,
  },
  {
    find: headWritten,
    replace: `{ ...auditItem(account, entry, answer), ...statusChangeAttribute(entry, after.transaction) }, before !== null && (${when}) ? \`\${isAbsent} OR \${isPresent}\` : isAbsent,
`,
  },
];

/** Seeded bugs by name, each a change of the service's source. The simulation must find them. */
export const ledgerMutants: Readonly<Record<string, readonly Patch[]>> = {
  'reference read, then written': lookedUpBefore(
    `const { pk, sk } = write.Put.Item;
        const { Item } = await database.send(new GetCommand({ TableName: write.Put.TableName, Key: { pk, sk }, ConsistentRead: true }));
        const isTaken = Item && Item['transaction_id'] !== commit.head.after.transaction.id && !(Item['expires_at'] <= new Date(commit.nowMs).toISOString());
        if (isTaken) return { kind: 'reference_taken', transactionId: Item['transaction_id'] };`,
    `import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from '../client/client.ts';`,
  ),
  'reference looked up in an index that is behind': lookedUpBefore(
    `const { id, reference_id: value } = commit.head.after.transaction;
        const { rows } = await transactionIndex.page(commit.account, { index: 'by_reference', value: value as string, from: null, to: null, after: null, limit: 25 });
        const holder = rows.find((row) => row.id !== id && row.status !== 'void' && !isExpired(row, commit.nowMs));
        if (holder) return { kind: 'reference_taken', transactionId: holder.id };`,
    `import { isExpired } from '../../transactions/lifecycle.ts';
import { transactionIndex } from './transaction-index.ts';`,
  ),
  'claim in a second write': inASecondWrite(`role === 'take' || role === 'release'`),
  'liability in a second write': inASecondWrite(`role === 'post' || role === 'replace' || role === 'remove'`),
  'idempotency record in a second write': inASecondWrite(`role === 'idempotency'`),
  'counters of a sale in a second write': inASecondWrite(`role === 'parent'`),
  'no idempotency record': [{ find: '  ...idempotencyWrites(commit),\n', replace: '' }],
  'finalized without a condition': unconditionally(`roles[0] === 'head' && after.transaction.status === 'finalized'`),
  'sale counted without a condition': unconditionally(`roles[0] === 'parent'`),
  'update lost': unconditionally(`roles[0] === 'head' && entry.fields.includes('metadata')`),
  'sweep over a draft that was finalized': unconditionally(`entry.by === 'draft_expired'`),
  'conflict reported as a duplicate': [
    {
      find: `  const claim = failedAs('take');\n`,
      replace: `  if (obstacles.some(({ code }) => contentionCodes.has(code)) && writes.some(({ role }) => role === 'take'))
    return { kind: 'reference_taken', transactionId: head.after.transaction.id };
  const claim = failedAs('take');\n`,
    },
  ],
  'lost reply reported as stale': [
    {
      find: `=== head.entry.hash) return`,
      replace: `=== head.entry.hash && false) return`,
    },
  ],
  'record that others are writing passed over': [
    {
      find: 'tellingRoles.has(role) && contentionCodes.has(code)',
      replace: 'tellingRoles.has(role) && contentionCodes.has(code) && false',
    },
  ],
  'account missing from a key': [
    {
      find: 'pk: `R#${account}#${sha256(',
      replace: 'pk: `R#${account.slice(0, 0)}#${sha256(',
    },
  ],
  'reference kept by what is void': [
    {
      find: 'release: holds !== held && !mayHaveLostIt ? held : null',
      replace: 'release: null',
    },
  ],
  'reference kept by a draft that has ended': [
    {
      find: '`${isAbsent} OR ${isOwn} OR ${isPast}`',
      replace: '`${isAbsent} OR ${isOwn} OR (${isPast} AND attribute_not_exists(pk))`',
    },
  ],
  'If-Match passed over': [
    {
      find: '  if (!isMatch(request.ifMatch, current))',
      replace: '  if (!isMatch(request.ifMatch, current) && request.ifMatch === null)',
    },
  ],
  'cursor of another account taken': [
    {
      find: 'if (others.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;',
      replace:
        'if (others.length > 0 || actual.length !== expected.length || (actual.length < 0 && !timingSafeEqual(actual, expected))) return null;',
    },
  ],
  'credit of a line unbounded': [
    {
      find: 'if (sized.net > left.net) {',
      replace: 'if (sized.net > left.net * 100n) {',
    },
  ],
  'void credit not given back': [
    {
      find: '...(removed ? [{ credit',
      replace: '...(removed && posted ? [{ credit',
    },
  ],
  'calculated tax of a void credit not given back': [
    {
      find: 'calculated: left.calculated + sign * right.calculated',
      replace: 'calculated: left.calculated + right.calculated',
    },
  ],
  'calculated tax of a credit taken from the recorded tax': [
    {
      find: 'if (!isSupplied && isRecorded(whole) && isRecorded(credited))',
      replace: 'if (!isSupplied)',
    },
  ],
};
