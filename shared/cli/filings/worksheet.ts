/** `filings worksheet`: a filing on the lines of its state's form. */

import { accept } from '../../base/result.ts';
import { findFormName } from '../../catalog/form-names.ts';
import { getFiling } from '../../filings/read-filings.ts';
import { readWorksheet, worksheetCsv } from '../../returns/worksheet.ts';
import { filingReadPorts } from '../../store/filings/filing-reads.ts';
import { pathOf } from '../terminal/arguments.ts';
import { print, textTable } from '../terminal/output.ts';
import { accepted, CommandError, type LevyCommand } from '../terminal/run-command.ts';
import { writeAll } from './export.ts';
import { addFilingName, dryRunPage, type FilingName, operatorFor, requireFiling } from './filing.ts';

type Options = FilingName & { readonly dryRun?: boolean; readonly out?: string };

const writeWorksheet = async (named: string | undefined, options: Options): Promise<void> => {
  const { dryRun, state, periodEnd, out } = options;
  if (dryRun && (named !== undefined || state === undefined || periodEnd === undefined))
    throw new CommandError('Pass --dry-run with --state and --period-end, without the id of a filing.');
  const operator = await operatorFor(options.account);
  const id = dryRun ? '' : (await requireFiling(named, options)).id;
  const page = dryRunPage({ state: state ?? '', periodEnd: periodEnd ?? '' }, operator);
  const read = async (cursor: string | null) =>
    dryRun
      ? accept(await page(cursor))
      : getFiling(id, cursor === null ? {} : { totals_starting_after: cursor }, operator.account, filingReadPorts);
  const { state: code } = accepted(await read(null));
  const form = findFormName(code);
  if (form === null)
    throw new CommandError(`Levy has no form of ${code}. Enter the totals: npm run filings -- export.`);
  const { worksheet } = accepted(await readWorksheet(read, form, { parameter: 'form' }));
  if (!worksheet) return;
  if (out !== undefined) {
    await writeAll([{ path: pathOf(out), text: worksheetCsv(worksheet) }]);
    print(`${pathOf(out)}: ${worksheet.title}`);
    return;
  }
  print(`${worksheet.title}. Edition: ${worksheet.edition}. Confidence: ${worksheet.confidence}.`);
  print(textTable(worksheet.lines.map(({ line, label, amount, note }) => [line, label, amount ?? `(${note})`])));
  for (const note of worksheet.notes) print(note);
};

export const addWorksheet = (program: LevyCommand): LevyCommand =>
  addFilingName(program.command('worksheet'))
    .summary("the lines of the state's form")
    .description("Print a filing on the lines of its state's form, or write them to a new CSV file.")
    .option('--out <file>', 'the CSV file to write, which must not exist')
    .option('--dry-run', 'the current totals of the period, for --state and --period-end')
    .action(writeWorksheet);
