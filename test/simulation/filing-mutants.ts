import type { Patch } from './mutants.ts';

/** The same of filings, which only some schedules are about. */
export const filingMutants: Readonly<Record<string, readonly Patch[]>> = {
  'filing counted before its entries are moved': [
    {
      find: '      await database.send(new TransactWriteCommand({ TransactItems: filingWrites(commit) }));',
      replace: `      const rest = { idempotency: null, head: null, chain: null, period: null, progress: [], work: null, heads: [] };
      await database.send(new TransactWriteCommand({ TransactItems: filingWrites({ ...commit, take: [] }) }));
      if (commit.take.length > 0) await database.send(new TransactWriteCommand({ TransactItems: filingWrites({ ...commit, ...rest }) }));`,
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
  'work item of a filing forgotten': [{ find: '    ...workWrites(commit),\n', replace: '' }],
};
