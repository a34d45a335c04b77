/** `filings export`: the totals and all entries of a filing as CSV files. */
import { existsSync, rmSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account } from '../../accounts/account.ts';
import { mapResult } from '../../base/result.ts';
import { csvName, entriesCsv, totalsCsv } from '../../filings/csv.ts';
import { getFiling } from '../../filings/read-filings.ts';
import type { Filing } from '../../filings/response.ts';
import type { Progress } from '../../importers/releases/report.ts';
import { filingReadPorts } from '../../store/filings/filing-reads.ts';
import { pathOf } from '../terminal/arguments.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { CommandError, type LevyCommand } from '../terminal/run-command.ts';
import { exitOnSignals } from '../terminal/temporary-folder.ts';
import {
  addFilingName,
  dryRunPage,
  type FilingName,
  operatorFor,
  pagesFrom,
  requireFiling,
  totalsOf,
  totalsPages,
} from './filing.ts';

// Entries contain customer ids.
const ownerOnly = 0o600;

type NewFile = { readonly path: string; readonly text: AsyncIterable<string> | string };

/** Writes new files, all or none. Each file gets its final name only after all files are complete. */
export const writeAll = async (files: readonly NewFile[]): Promise<void> => {
  const partial = (path: string) => `${path}.partial`;
  const taken = files.flatMap(({ path }) => [path, partial(path)]).find((path) => existsSync(path));
  if (taken)
    throw new CommandError(`The file ${taken} already exists. Remove it, or pass a different folder with --out.`);
  const unfinished = new Set<string>();
  const create = async (path: string) => {
    await writeFile(path, '', { flag: 'wx', mode: ownerOnly });
    unfinished.add(path);
  };
  const remove = () => {
    for (const path of unfinished) rmSync(path, { force: true });
  };
  process.once('exit', remove);
  exitOnSignals();
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true });
      await create(partial(path));
      await writeFile(partial(path), text, { flush: true });
    }
    // Creating the file fails if another process created it concurrently; renaming alone would overwrite it.
    for (const { path } of files) {
      await create(path);
      await rename(partial(path), path);
    }
    unfinished.clear();
  } finally {
    process.off('exit', remove);
    remove();
  }
};

const withoutHeading = (csv: string): string => csv.slice(csv.indexOf('\n') + 1);

/** Yields all totals as CSV, page by page. */
const totalsText = async function* (first: Filing, read: (cursor: string) => Promise<Filing>) {
  for await (const page of totalsPages(first, read)) {
    const text = totalsCsv(page);
    yield page === first ? text : withoutHeading(text);
  }
};

/** Yields all entries as CSV, page by page. Throws if the filing changes in the meantime. */
const entriesText = async function* (id: string, before: Filing, account: Account, progress: Progress) {
  const total = before.progress.entries_moved;
  let count = 0;
  let isFirst = true;
  const pages = pagesFrom(async (paging) =>
    mapResult(await getFiling(id, { expand: 'entries', ...paging }, account, filingReadPorts), (filing) => ({
      filing,
      next_cursor: filing.entries?.next_cursor ?? null,
    })),
  );
  for await (const { filing } of pages) {
    if (filing.status !== before.status)
      throw new CommandError(`The filing became ${filing.status} during the export. Run this again.`);
    const text = entriesCsv(filing);
    yield isFirst ? text : withoutHeading(text);
    isFirst = false;
    count += filing.entries?.data.length ?? 0;
    progress.reach(count, `${count.toLocaleString('en-US')} of ${counted(total, 'entry', 'entries')}`);
  }
  if (count !== total)
    throw new CommandError(
      `The filing has ${counted(total, 'entry', 'entries')}, but ${count} were found. Run \`npm run ledger -- verify --account ${account.id}\`.`,
    );
};

type Options = FilingName & { readonly dryRun?: boolean; readonly out: string };

const pathTo = (filing: Filing, content: 'totals' | 'entries', { out }: Options): string =>
  join(pathOf(out), `${csvName(filing, content)}.csv`);

const exportDryRun = async (named: string | undefined, options: Options): Promise<void> => {
  const { account, state, periodEnd } = options;
  if (named !== undefined || state === undefined || periodEnd === undefined)
    throw new CommandError('Pass --dry-run with --state and --period-end, without the id of a filing.');
  const operator = await operatorFor(account);
  const read = dryRunPage({ state, periodEnd }, operator);
  const filing = await read(null);
  const path = pathTo(filing, 'totals', options);
  const readNext = filing.id === null ? read : totalsOf(filing.id, operator.account);
  await writeAll([{ path, text: totalsText(filing, readNext) }]);
  print(path);
};

const exportFiling = async (named: string | undefined, options: Options): Promise<void> => {
  const { account, filing, id } = await requireFiling(named, options);
  const { status, progress: work } = filing;
  if (status === 'canceled') throw new CommandError(`The filing ${id} is canceled and has no entries.`);
  if (!work.complete) throw new CommandError(`The filing ${id} is still ${status}. Export it when it is finished.`);
  const [totals, entries] = [pathTo(filing, 'totals', options), pathTo(filing, 'entries', options)];
  const failed = 'The export failed. No file was written.';
  await withProgress(`Exporting ${id}`, work.entries_moved, failed, async (progress) => {
    await writeAll([
      { path: totals, text: totalsText(filing, totalsOf(id, account)) },
      { path: entries, text: entriesText(id, filing, account, progress) },
    ]);
    progress.finish(`${counted(work.entries_moved, 'entry', 'entries')} exported.`);
  });
  print(`${totals}\n${entries}`);
};

export const addExport = (program: LevyCommand): LevyCommand =>
  addFilingName(program.command('export'))
    .summary('the totals and all entries as CSV files')
    .description(
      'Write the totals and all entries of a filing to two new CSV files, with the columns of GET /filings/{id}, and print their paths. An existing file is not overwritten, and a failed export writes no file.',
    )
    .option('--out <folder>', 'the folder of the files; created if it is missing', '.')
    .option('--dry-run', 'the current totals of the period, for --state and --period-end')
    .action((named: string | undefined, options: Options) =>
      (options.dryRun ? exportDryRun : exportFiling)(named, options),
    );
