import type { Patch } from './platform.ts';

/** Seeded bugs of filings. Only the schedules about filings can find them. */
export const filingMutants: Readonly<Record<string, readonly Patch[]>> = {
  'filing counted before its entries are moved': [
    {
      find: '    writeTogether(filingWrites(commit), (exception) => refusalOf(commit, exception), remainingMs);',
      replace: `    (async () => {
      const rest = { idempotency: null, head: null, chain: null, period: null, progress: [], work: null, heads: [] };
      const write = (part: FilingCommit) =>
        writeTogether(filingWrites(part), (exception) => refusalOf(commit, exception), remainingMs);
      const counted = await write({ ...commit, take: [] });
      return counted.kind === 'committed' && commit.take.length > 0 ? write({ ...commit, ...rest }) : counted;
    })();`,
    },
  ],
  'entry filed whatever became of its transaction': [
    {
      find: 'remove(openEntryKey(account, entry), asSeen(entry)),',
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
    writeTogether(filingWrites(commit), (exception) => refusalOf(commit, exception), remainingMs);`,
      replace: `  async (commit) => {
    const refused = (exception) => refusalOf(commit, exception);
    const first = await writeTogether(filingWrites({ ...commit, progress: [] }), refused, remainingMs);
    const none = { idempotency: null, head: null, chain: null, period: null, work: null, take: [], giveBack: [], heads: [] };
    if (first.kind !== 'committed' || commit.progress.length === 0) return first;
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
      find: '...partsOf((part) => (a[part] ?? 0n) + (b[part] ?? 0n)),',
      replace: '...partsOf((part) => b[part] ?? 0n),',
    },
  ],
  'entry with exceptions reopened under the key of others': [
    {
      find: 'remove(filedEntryKey(account, id, entry), asSeen(entry)),',
      replace: 'remove(filedEntryKey(account, id, { ...entry, exceptions: [] }), asSeen(entry)),',
    },
  ],
  'return filed with exceptions that nobody acknowledged': [
    {
      find: "if (request.status === 'filed' && isUnacknowledged(shards, request))",
      replace: 'if (request.acknowledge_exceptions !== null && isUnacknowledged(shards, request))',
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
      find: "  if ((await filings.commit({ ...commit, due, settingsAsOf })).kind !== 'committed') return nothing;",
      replace:
        "  if ((await filings.commit({ ...commit, due: { ...due, put: null }, settingsAsOf })).kind !== 'committed') return nothing;",
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
