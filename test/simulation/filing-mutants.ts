import type { Patch } from './mutants.ts';

/** The same of filings, which only some schedules are about. */
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
  'work item of a filing forgotten': [{ find: '    ...workWrites(commit),\n', replace: '' }],
};
