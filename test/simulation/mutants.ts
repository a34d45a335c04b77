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
        const committed = await transact(part, (exception) => findRefusal(commit, part, exception), remainingMs);
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
    `import { isExpired } from '../../ledger/lifecycle.ts';
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
      replace: `  if (isContended(obstacles.map(({ code }) => code)) && writes.some(({ role }) => role === 'take'))
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
      find: '(tellingRoles.has(role) ? [code] : [])',
      replace: '(tellingRoles.has(role) && false ? [code] : [])',
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

/** Seeded bugs of filings. Only the schedules about filings can find them. */
export const filingMutants: Readonly<Record<string, readonly Patch[]>> = {
  'filing counted before its entries are moved': [
    {
      find: '    writeTogether(filingWrites(commit), (exception) => findRefusal(commit, exception), remainingMs);',
      replace: `    (async () => {
      const rest = { idempotency: null, head: null, chain: null, period: null, progress: [], work: null, heads: [] };
      const write = (part: FilingCommit) =>
        writeTogether(filingWrites(part), (exception) => findRefusal(commit, exception), remainingMs);
      const counted = await write({ ...commit, take: [] });
      return counted.kind === 'committed' && commit.take?.length ? write({ ...commit, ...rest }) : counted;
    })();`,
    },
  ],
  'entry filed whatever became of its transaction': [
    {
      find: 'remove(openEntryKey(account, entry), asSeen(entry.version)),',
      replace: 'remove(openEntryKey(account, entry)),',
    },
  ],
  'filing that two work on counted twice': [
    {
      find: 'change(before, filingProgressItem(account, filing.id, after))',
      replace: 'put(filingProgressItem(account, filing.id, after))',
    },
  ],
  'progress of a filing in a second write': [
    {
      find: `  (commit) =>
    writeTogether(filingWrites(commit), (exception) => findRefusal(commit, exception), remainingMs);`,
      replace: `  async (commit) => {
    const refused = (exception) => findRefusal(commit, exception);
    const first = await writeTogether(filingWrites({ ...commit, progress: [] }), refused, remainingMs);
    const none = { idempotency: null, head: null, chain: null, period: null, work: null, take: [], giveBack: [], heads: [] };
    if (first.kind !== 'committed' || !commit.progress?.length) return first;
    return writeTogether(filingWrites({ ...commit, ...none }), refused, remainingMs);
  };`,
    },
  ],
  'filing started on any chain': [
    { find: 'change(chain.before, chainItem(chain.after))', replace: 'put(chainItem(chain.after))' },
    {
      find: 'put({ ...periodKey(account, state, period.put), filing: id }, absent)',
      replace: 'put({ ...periodKey(account, state, period.put), filing: id })',
    },
  ],
  'difference of the tax of the last entry alone': [
    {
      find: '...mapParts((part) => (a[part] ?? 0n) + (b[part] ?? 0n)),',
      replace: '...mapParts((part) => b[part] ?? 0n),',
    },
  ],
  'entry with exceptions reopened under the key of others': [
    {
      find: 'remove(filedEntryKey(account, id, entry), asSeen(entry.version)),',
      replace: 'remove(filedEntryKey(account, id, { ...entry, exceptions: [] }), asSeen(entry.version)),',
    },
  ],
  'return filed with exceptions that nobody acknowledged': [
    {
      find: "if (request.status === 'filed' && isUnacknowledged(shards, request))",
      replace: 'if (request.acknowledge_exceptions != null && isUnacknowledged(shards, request))',
    },
  ],
  'sale without tax left out of the return': [
    {
      find: 'const isPosted = isOfSale || rows.some(isRecorded) || (registered ? registered.includes(state) : isCollecting);',
      replace: 'const isPosted = isOfSale || rows.some(isRecorded);',
    },
  ],
  'work item of a filing forgotten': [{ find: '    ...workWrites(commit),\n', replace: '' }],
  'next period missing in the due index': [
    {
      find: "  if ((await filings.commit({ ...commit, due, settingsAsOf })).kind !== 'committed') return;",
      replace:
        "  if ((await filings.commit({ ...commit, due: { ...due, put: null }, settingsAsOf })).kind !== 'committed') return;",
    },
  ],
  'canceled period closed again by the schedule': [
    { find: 'account && !chain?.isHeld ? followingPeriod(', replace: 'account ? followingPeriod(' },
  ],
  'due entry of a changed setting forgotten': [
    { find: 'writeTogether([{ Update: update }, ...due],', replace: 'writeTogether([{ Update: update }],' },
  ],
  'sweep that skips a page': [
    {
      find: 'const after: SweepPosition = { day, after: next, isDone: next === null };',
      replace: 'const after: SweepPosition = { day, after: next, isDone: true };',
    },
  ],
};

/** Seeded bugs of redactions. */
export const redactionMutants: Readonly<Record<string, readonly Patch[]>> = {
  'salt kept by a redaction': [
    { find: 'commitments: { digest: committedState(transaction, commitments).digest },', replace: 'commitments,' },
  ],
  'commitments made anew by a redaction': [
    {
      find: 'commitments: { digest: committedState(transaction, commitments).digest },',
      replace: "commitments: { digest: committedState(transaction, { salt: 'other' }).digest },",
    },
  ],
  'saved answers left by a redaction': [
    { find: 'const answer = redactedAnswer(record, now());', replace: 'const answer: Uint8Array | null = null;' },
  ],
  'entries left by a redaction': [
    { find: 'after: entryWithout(place.entry, version) }));', replace: 'after: { ...place.entry, version } }));' },
  ],
  'entries looked for among the open ones alone': [
    {
      find: 'const all = isOpen(open) ? open : await findEntries(account, expected, await allFilings(account));',
      replace: 'const all = open;',
    },
  ],
  'entry that a filing moves passed over': [
    { find: 'if (places.length !== expected.length) return null;', replace: '' },
  ],
  'entry moved back as it was before its redaction': [
    {
      find: 'remove(filedEntryKey(account, id, entry), asSeen(entry.version)),',
      replace: 'remove(filedEntryKey(account, id, entry), present),',
    },
    { find: 'return { ...entry, version, document', replace: 'return { ...entry, document' },
  ],
  'redacted draft credit recomputed with the data of its sale': [
    {
      find: 'const kept = next.redacted_at === undefined ? next : redactedForm(next);',
      replace: 'const kept = next;',
    },
  ],
  'new data taken by a redacted transaction': [{ find: 'if (ofRedacted.length > 0) return ofRedacted;', replace: '' }],
};

/** Seeded bugs of time zones, registrations, currencies and redactions of customers. Only varied schedules can find them. */
export const variedMutants: Readonly<Record<string, readonly Patch[]>> = {
  'tax day of an instant in UTC': [
    {
      find: 'tax_date: inTimeZone(body.tax_date, settings.time_zone)',
      replace: "tax_date: inTimeZone(body.tax_date, 'UTC')",
    },
  ],
  'tax day of a credit without a date in UTC': [
    {
      find: 'tax_date: request.tax_date ?? taxDateAt(now, settings.time_zone),',
      replace: "tax_date: request.tax_date ?? taxDateAt(now, 'UTC'),",
    },
  ],
  'period over by the day in UTC': [
    {
      find: 'end < taxDateAt(nowMs, settings.time_zone).slice(0, 10);',
      replace: "end < taxDateAt(nowMs, settings.time_zone && 'UTC').slice(0, 10);",
    },
  ],
  'period closed at midnight in UTC': [
    {
      find: 'return startOfDay(addDays(end, 1 + review_days), time_zone);',
      replace: "return startOfDay(addDays(end, 1 + review_days), time_zone && 'UTC');",
    },
  ],
  'closing day kept after a change of the time zone': [
    { find: "'review_days', 'time_zone']);", replace: "'review_days']);" },
  ],
  'period goes on after its frequency changed': [
    {
      find: 'while (last < latest && frequencyIn(last + 1, registrations) === frequency) last += 1;',
      replace: 'while (last < latest) last += 1;',
    },
  ],
  'empty months between two registrations closed': [
    {
      find: 'while (isUnregistered(period) && isEmpty(period))',
      replace: 'while (isUnregistered(period) && isEmpty(period) && registrations.length === 0)',
    },
  ],
  'entries between two registrations left to the next period': [
    {
      find: 'while (isUnregistered(period) && isEmpty(period))',
      replace: 'while (isUnregistered(period) && (isEmpty(period) || true))',
    },
  ],
  'period closed by settings that changed meanwhile': [{ find: '    ...settingsChecks(commit),\n', replace: '' }],
  'refund without tax left out of the return of its sale': [
    { find: 'return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;', replace: 'return alone;' },
  ],
  'jurisdictions added up over all currencies': [
    { find: '`${currency} ${jurisdiction_code}`;', replace: '`${currency && "USD"} ${jurisdiction_code}`;' },
  ],
  'exceptions added up over all currencies': [
    { find: '      `${reason} ${currency}`,\n', replace: '      `${reason} USD`,\n' },
  ],
  'summary of a filing in one currency': [
    { find: 'summary: new Map([[currency, whole]]),', replace: "summary: new Map([['USD', whole]])," },
  ],
  'draft credit with the customer of a sale that is being redacted': [
    { find: '  ...unredactedCheck(commit),\n', replace: '' },
  ],
  'selection of a redaction read once': [
    {
      find: 'outcome.left = await countRemaining(account, selection, outcome);\n    if (outcome.left === 0) break;',
      replace: 'if (outcome.left === 0) break;',
    },
  ],
  'customer of a line passed over by a redaction': [
    {
      find: 'line_items.some((line) => line.customer?.id === id || line.applied_exemption?.customer_id === id);',
      replace: 'line_items.some((line) => line.applied_exemption?.customer_id === id);',
    },
  ],
};

/** All seeded bugs, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = {
  ...ledgerMutants,
  ...filingMutants,
  ...redactionMutants,
  ...variedMutants,
};
