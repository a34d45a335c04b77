// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source code.
import type { Patch } from './platform.ts';

const swap = (find: string, replace: string): readonly Patch[] => [{ find, replace }];

const commitBegins = '    const writes = commitWrites(commit);\n';
const headRead = '  const asRead = before === null ? absent : asSeen(before.transaction.version);\n';

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
        const committed = await transact(part, (exception) => findRefusal(commit, part, exception), remainingMs);
        if (committed.kind !== 'committed') return committed;
      }
      return { kind: 'committed' };
    })();
`,
  },
];

// The reference is looked up before the write, which then has no condition.
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
      return transact(writes, (exception) => findRefusal(commit, writes, exception), remainingMs);
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
    find: headRead,
    replace: `  const isCareless = before !== null && (${when});
  const asRead = before === null ? absent : isCareless ? present : asSeen(before.transaction.version);\n`,
  },
  {
    find: 'put(roles[1], audit, absent)',
    replace:
      'put(roles[1], audit, isCareless ? { ConditionExpression: `${absent.ConditionExpression} OR attribute_exists(pk)` } : absent)',
  },
];

/** Seeded bugs by name, each a change of the service's source, which the simulation must detect. */
const ledgerMutants: Readonly<Record<string, readonly Patch[]>> = {
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
    `import { isExpired } from '../../ledger/transaction.ts';
import { transactionIndex } from './transaction-index.ts';`,
  ),
  'claim in a second write': inASecondWrite(`role === 'take' || role === 'release'`),
  'liability in a second write': inASecondWrite(`role === 'post' || role === 'replace' || role === 'remove'`),
  'idempotency record in a second write': inASecondWrite(`role === 'idempotency'`),
  'counters of a sale in a second write': inASecondWrite(`role === 'parent'`),
  'no idempotency record': swap('  ...idempotencyWrites(commit),\n', ''),
  'finalized without a condition': unconditionally(`roles[0] === 'head' && after.transaction.status === 'finalized'`),
  'sale counted without a condition': unconditionally(`roles[0] === 'parent'`),
  'update lost': unconditionally(`roles[0] === 'head' && entry.fields.includes('metadata')`),
  'sweep over a draft that was finalized': unconditionally(`entry.by === 'draft_expired'`),
  'conflict reported as a duplicate': swap(
    `  const claim = failedAs('take');\n`,
    `  if (isContended(obstacles.map(({ code }) => code)) && writes.some(({ role }) => role === 'take'))
    return { kind: 'reference_taken', transactionId: head.after.transaction.id };
  const claim = failedAs('take');\n`,
  ),
  'lost reply reported as stale': swap(`=== head.entry.hash) return`, `=== head.entry.hash && false) return`),
  'record that others are writing passed over': swap(
    '(tellingRoles.has(role) ? [code] : [])',
    '(tellingRoles.has(role) && false ? [code] : [])',
  ),
  'account missing from a key': swap('pk: `R#${account}#${sha256(', 'pk: `R#${account.slice(0, 0)}#${sha256('),
  'reference kept by what is void': swap('release: holds !== held && !mayHaveLostIt ? held : null', 'release: null'),
  'reference kept by a draft that has ended': swap(
    '`${absent.ConditionExpression} OR ${isOwn} OR ${isPast}`',
    '`${absent.ConditionExpression} OR ${isOwn} OR (${isPast} AND attribute_not_exists(pk))`',
  ),
  'If-Match passed over': swap(
    '  if (!isMatch(request.ifMatch, current))',
    '  if (!isMatch(request.ifMatch, current) && request.ifMatch === null)',
  ),
  'cursor of another account taken': swap(
    'if (others.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;',
    'if (others.length > 0 || actual.length !== expected.length || (actual.length < 0 && !timingSafeEqual(actual, expected))) return null;',
  ),
  'credit of a line unbounded': swap('if (sized.net > left.net) {', 'if (sized.net > left.net * 100n) {'),
  'void credit not given back': swap(
    '...(parent && removed && isCreditFor',
    '...(parent && removed && posted && isCreditFor',
  ),
  'calculated tax of a void credit not given back': swap(
    'calculated: left.calculated + sign * right.calculated',
    'calculated: left.calculated + right.calculated',
  ),
  'calculated tax of a credit taken from the recorded tax': swap(
    'if (!isSupplied && isRecorded(whole) && isRecorded(credited))',
    'if (!isSupplied)',
  ),
};

/** Seeded bugs in filings, which only schedules about filings can detect. */
export const filingMutants: Readonly<Record<string, readonly Patch[]>> = {
  'filing counted before its entries are moved': swap(
    '    writeTogether(filingWrites(commit), (exception) => findRefusal(commit, exception), remainingMs);',
    `    (async () => {
      const rest = { idempotency: null, head: null, chain: null, period: null, progress: [], work: null, heads: [] };
      const write = (part: FilingCommit) =>
        writeTogether(filingWrites(part), (exception) => findRefusal(commit, exception), remainingMs);
      const counted = await write({ ...commit, take: [] });
      return counted.kind === 'committed' && commit.take?.length ? write({ ...commit, ...rest }) : counted;
    })();`,
  ),
  'reminder stored again by every run': [
    {
      find: '{ Put: { TableName, Item: reminderItem(reminder), ...absent } },',
      replace: '{ Put: { TableName, Item: reminderItem(reminder) } },',
    },
    {
      find: 'return reminders.filter((reminder) => !known.has(itemPlace(reminderKey(reminder.account, reminder))));',
      replace: 'return known.size >= 0 ? reminders : [];',
    },
  ],
  'entry filed whatever became of its transaction': swap(
    'remove(openEntryKey(account, entry), asSeen(entry.version)),',
    'remove(openEntryKey(account, entry)),',
  ),
  'filing that two work on counted twice': swap(
    'change(before, filingProgressItem(account, filing.id, after))',
    'put(filingProgressItem(account, filing.id, after))',
  ),
  'progress of a filing in a second write': swap(
    `  (commit) =>
    writeTogether(filingWrites(commit), (exception) => findRefusal(commit, exception), remainingMs);`,
    `  async (commit) => {
    const refused = (exception) => findRefusal(commit, exception);
    const first = await writeTogether(filingWrites({ ...commit, progress: [] }), refused, remainingMs);
    const none = { idempotency: null, head: null, chain: null, period: null, work: null, take: [], giveBack: [], heads: [] };
    if (first.kind !== 'committed' || !commit.progress?.length) return first;
    return writeTogether(filingWrites({ ...commit, ...none }), refused, remainingMs);
  };`,
  ),
  'filing started on any chain': [
    { find: 'change(chain.before, chainItem(chain.after))', replace: 'put(chainItem(chain.after))' },
    {
      find: 'put({ ...periodKey(account, state, period.put), filing: id }, absent)',
      replace: 'put({ ...periodKey(account, state, period.put), filing: id })',
    },
  ],
  'difference of the tax of the last entry alone': swap(
    '...mapParts((part) => (a[part] ?? 0n) + (b[part] ?? 0n)),',
    '...mapParts((part) => b[part] ?? 0n),',
  ),
  'entry with exceptions reopened under the key of others': swap(
    'remove(filedEntryKey(account, id, entry), asSeen(entry.version)),',
    'remove(filedEntryKey(account, id, { ...entry, exceptions: [] }), asSeen(entry.version)),',
  ),
  'return filed with exceptions that nobody acknowledged': swap(
    "if (request.status === 'filed' && isUnacknowledged(shards, request))",
    'if (request.acknowledge_exceptions != null && isUnacknowledged(shards, request))',
  ),
  'sale without tax left out of the return': swap(
    'const isPosted = isOfSale || rows.some(isRecorded) || (registered ? registered.includes(state) : isCollecting);',
    'const isPosted = isOfSale || rows.some(isRecorded);',
  ),
  'work item of a filing forgotten': swap('    ...workWrites(commit),\n', ''),
  'next period missing in the due index': swap(
    "  if ((await filings.commit({ ...commit, due, settingsAsOf })).kind !== 'committed') return;",
    "  if ((await filings.commit({ ...commit, due: { ...due, put: null }, settingsAsOf })).kind !== 'committed') return;",
  ),
  'canceled period closed again by the schedule': swap(
    'account && !chain?.isHeld ? followingPeriod(',
    'account ? followingPeriod(',
  ),
  'due entry of a changed setting forgotten': swap(
    'Item: change, ...absent } }, ...due];',
    'Item: change, ...absent } }];',
  ),
  'sweep that skips a page': swap(
    'const after: SweepPosition = { day, after: next, isDone: next === null };',
    'const after: SweepPosition = { day, after: next, isDone: true };',
  ),
};

/** Seeded bugs in redactions. */
export const redactionMutants: Readonly<Record<string, readonly Patch[]>> = {
  'salt kept by a redaction': swap(
    'commitments: { digest: committedState(transaction, commitments).digest },',
    'commitments,',
  ),
  'commitments made anew by a redaction': swap(
    'commitments: { digest: committedState(transaction, commitments).digest },',
    "commitments: { digest: committedState(transaction, { salt: 'other' }).digest },",
  ),
  'saved answers left by a redaction': swap(
    'const answer = redactedAnswer(record, now());',
    'const answer: Uint8Array | null = null;',
  ),
  'entries left by a redaction': swap(
    'after: entryWithout(place.entry, version) }));',
    'after: { ...place.entry, version } }));',
  ),
  'entries looked for among the open ones alone': swap(
    'const all = isOpen(open) ? open : await findEntries(account, expected, await allFilings(account));',
    'const all = open;',
  ),
  'entry that a filing moves passed over': swap('if (places.length !== expected.length) return null;', ''),
  'entry moved back as it was before its redaction': [
    {
      find: 'remove(filedEntryKey(account, id, entry), asSeen(entry.version)),',
      replace: 'remove(filedEntryKey(account, id, entry), present),',
    },
    { find: 'return { ...entry, version, document', replace: 'return { ...entry, document' },
  ],
  'redacted draft credit recomputed with the data of its sale': swap(
    'const kept = next.redacted_at === undefined ? next : redactedForm(next);',
    'const kept = next;',
  ),
  'new data taken by a redacted transaction': swap('if (ofRedacted.length > 0) return ofRedacted;', ''),
};

/**
 * Seeded bugs in time zones, registrations, currencies and customer redactions, which only varied schedules can detect.
 */
export const variedMutants: Readonly<Record<string, readonly Patch[]>> = {
  'tax day of an instant in UTC': swap(
    'tax_date: inTimeZone(body.tax_date, settings.time_zone)',
    "tax_date: inTimeZone(body.tax_date, 'UTC')",
  ),
  'tax day of a credit without a date in UTC': swap(
    'tax_date: request.tax_date ?? taxDateAt(now, settings.time_zone),',
    "tax_date: request.tax_date ?? taxDateAt(now, 'UTC'),",
  ),
  'period over by the day in UTC': swap(
    'end < taxDateAt(nowMs, settings.time_zone).slice(0, 10);',
    "end < taxDateAt(nowMs, settings.time_zone && 'UTC').slice(0, 10);",
  ),
  'period closed at midnight in UTC': swap(
    'return startOfDay(addDays(end, 1 + review_days), time_zone);',
    "return startOfDay(addDays(end, 1 + review_days), time_zone && 'UTC');",
  ),
  'closing day kept after a change of the time zone': swap("'review_days', 'time_zone']);", "'review_days']);"),
  'period goes on after its frequency changed': swap(
    'while (last < latest && frequencyIn(last + 1, registrations) === frequency) last += 1;',
    'while (last < latest) last += 1;',
  ),
  'empty months between two registrations closed': swap(
    'while (isUnregistered(period) && isEmpty(period))',
    'while (isUnregistered(period) && isEmpty(period) && registrations.length === 0)',
  ),
  'entries between two registrations left to the next period': swap(
    'while (isUnregistered(period) && isEmpty(period))',
    'while (isUnregistered(period) && (isEmpty(period) || true))',
  ),
  'period closed by settings that changed meanwhile': swap('    ...settingsChecks(commit),\n', ''),
  'refund without tax left out of the return of its sale': swap(
    'return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;',
    'return alone;',
  ),
  'jurisdictions added up over all currencies': swap(
    '`${currency} ${jurisdiction_code}`;',
    '`${currency && "USD"} ${jurisdiction_code}`;',
  ),
  'exceptions added up over all currencies': swap('      `${reason} ${currency}`,\n', '      `${reason} USD`,\n'),
  'summary of a filing in one currency': swap(
    'summary: new Map([[currency, whole]]),',
    "summary: new Map([['USD', whole]]),",
  ),
  'draft credit with the customer of a sale that is being redacted': swap('  ...unredactedCheck(commit),\n', ''),
  'selection of a redaction read once': swap(
    'outcome.left = await countRemaining(account, selection, outcome);\n    if (outcome.left === 0) break;',
    'if (outcome.left === 0) break;',
  ),
  'customer of a line passed over by a redaction': swap(
    'line_items.some((line) => line.customer?.id === id || line.applied_exemption?.customer_id === id);',
    'line_items.some((line) => line.applied_exemption?.customer_id === id);',
  ),
};

/** All seeded bugs, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = {
  ...ledgerMutants,
  ...filingMutants,
  ...redactionMutants,
  ...variedMutants,
};
