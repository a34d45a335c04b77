/** `filings export`: the totals and all entries of a filing as CSV files. */
import { join } from 'node:path';
import { readPages } from '../../base/collections.ts';
import { byteOrderMark } from '../../base/csv.ts';
import { csvName, entriesCsv, totalsCsv } from '../../filings/csv.ts';
import { getFiling } from '../../filings/read-filings.ts';
import type { Filing } from '../../filings/response.ts';
import type { Progress } from '../../importers/releases/report.ts';
import { resolvePath } from '../terminal/arguments.ts';
import { writeAll } from '../terminal/files.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { accepted, CommandError, flag, subcommand, withDefault } from '../terminal/run-command.ts';
import { chooseFiling, filingArgument, filingOptions, type Operator } from './filing.ts';

const withoutHeading = (csv: string): string => csv.slice(csv.indexOf('\n') + 1);

/** Yields all entries as CSV, page by page. Throws if the filing changes in the meantime. */
const entriesText = async function* (id: string, before: Filing, { account, ports }: Operator, progress: Progress) {
  const total = before.progress.entries_moved;
  let count = 0;
  const pages = readPages(async (after: string | null) => {
    const query = { expand: 'entries' as const, limit: 100, ...(after !== null && { starting_after: after }) };
    const filing = accepted(await getFiling(id, query, account, ports));
    return { filing, isFirst: after === null, next: filing.entries?.next_cursor ?? null };
  });
  for await (const { filing, isFirst } of pages) {
    if (filing.status !== before.status)
      throw new CommandError(`The filing became ${filing.status} during the export. Run this again.`);
    const entries = filing.entries?.data ?? [];
    const csv = entriesCsv(filing, entries);
    yield isFirst ? byteOrderMark + csv : withoutHeading(csv);
    count += entries.length;
    progress.reach(count, `${count.toLocaleString('en-US')} of ${counted(total, 'entry', 'entries')}`);
  }
  if (count !== total)
    throw new CommandError(
      `The filing has ${counted(total, 'entry', 'entries')}, but ${count} were found. Run \`npm run ledger -- verify --account ${account.id}\`.`,
    );
};

export const exportFiling = subcommand({
  name: 'export',
  summary: 'the totals and all entries as CSV files',
  description:
    'Write the totals and all entries of a filing to two new CSV files, with the columns of GET /filings/{id}, and print their paths. An existing file is not overwritten, and a failed export writes no file.',
  arguments: filingArgument,
  options: {
    ...filingOptions,
    out: withDefault('.', '<folder>', 'the folder of the files; created if it is missing', resolvePath),
    dryRun: flag('the current totals of the period, for --state and --period-end'),
  },
  run: async (options, named: string | undefined) => {
    const { id, read, ...operator } = await chooseFiling(named, options);
    const filing = accepted(await read());
    const { status, progress: work } = filing;
    if (status === 'canceled') throw new CommandError(`The filing ${id} is canceled and has no entries.`);
    if (!work.complete) throw new CommandError(`The filing ${id} is still ${status}. Export it when it is finished.`);
    const path = (content: 'totals' | 'entries') => join(resolvePath(options.out), `${csvName(filing, content)}.csv`);
    const totals = { path: path('totals'), text: byteOrderMark + totalsCsv(filing) };
    if (options.dryRun) {
      await writeAll([totals]);
      return print(totals.path);
    }
    const failed = 'The export failed. No file was written.';
    await withProgress(`Exporting ${id}`, work.entries_moved, failed, async (progress) => {
      await writeAll([totals, { path: path('entries'), text: entriesText(id, filing, operator, progress) }]);
      progress.finish(`${counted(work.entries_moved, 'entry', 'entries')} exported.`);
    });
    print(`${totals.path}\n${path('entries')}`);
  },
});
