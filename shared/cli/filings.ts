/** `npm run filings -- …`: preview, close, check, export and file the returns of an account. */
import { listFilingExceptions, listFilings, readWhole } from '../filings/read-filings.ts';
import { filingReadPorts } from '../store/filings/filing-reads.ts';
import { addCancel, addClose, addFile } from './filings/change.ts';
import { addExport } from './filings/export.ts';
import {
  addFilingName,
  addPeriod,
  chooseFiling,
  exceptionsTable,
  type FilingName,
  filingsTable,
  printFiling,
  rowsFrom,
} from './filings/filing.ts';
import { addReturn, addWorksheet } from './filings/return.ts';
import { requireAccount, stateOption } from './terminal/arguments.ts';
import { counted, print, printJson } from './terminal/output.ts';
import { accepted, LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

type ListOptions = { readonly account: string; readonly state?: string; readonly json?: boolean };

const addList = (program: LevyCommand): LevyCommand =>
  program
    .command('list')
    .account()
    .summary('all filings')
    .description('List the filings of an account, newest first, with their due dates and amounts.')
    .option('--state <state>', 'only this state, such as MI', stateOption)
    .option('--json', 'one JSON array of the filings, without totals, as GET /filings returns them')
    .action(async ({ account: id, state, json }: ListOptions) => {
      const account = await requireAccount(id);
      const filters = state === undefined ? {} : { state };
      const filings = await rowsFrom((paging) => listFilings({ ...filters, ...paging }, account, filingReadPorts));
      if (json) return printJson(filings);
      if (filings.length > 0) print(filingsTable(filings));
      print(`${counted(filings.length, 'filing')}.`);
    });

type ShowOptions = FilingName & { readonly json?: boolean };

const show = async (named: string | undefined, { json, ...options }: ShowOptions): Promise<void> => {
  const { read } = await chooseFiling(named, options);
  printFiling(accepted(await readWhole(read)), json);
};

const addShow = (program: LevyCommand): LevyCommand =>
  addFilingName(program.command('show'))
    .summary('one filing with its amounts')
    .description(
      'Show a filing: its due date, its amounts for the whole state and by jurisdiction, and its exceptions.',
    )
    .option('--json', 'the JSON of GET /filings/{id}')
    .action(show);

const addDryRun = (program: LevyCommand): LevyCommand =>
  addPeriod(program.command('dry-run'))
    .summary('the current amounts of a period')
    .description(
      'Show the amounts that closing a period would produce, for any period up to the current one. Stores nothing. For a closed period, shows its filing.',
    )
    .option('--json', 'the JSON of POST /filings')
    .action((options: ShowOptions) => show(undefined, { ...options, dryRun: true }));

type ExceptionOptions = FilingName & { readonly json?: boolean; readonly review?: boolean };

const addExceptions = (program: LevyCommand): LevyCommand =>
  addFilingName(program.command('exceptions'))
    .summary('the sales and credits to review before a return is sent')
    .description(
      'List the sales and credits of a filing that the tax content does not cover, or whose recorded tax differs from the calculated tax.',
    )
    .option('--review', 'instead, the sales and credits with warnings that can change their tax')
    .option('--json', 'one JSON array of the exceptions, as GET /filings/{id}/exceptions returns them')
    .action(async (named: string | undefined, { json, review, ...name }: ExceptionOptions) => {
      const { account, id, read } = await chooseFiling(named, name);
      const { status } = accepted(await read(null));
      const list = review ? 'review' : 'exceptions';
      const exceptions = await rowsFrom((paging) =>
        listFilingExceptions(id, { list, ...paging }, account, filingReadPorts),
      );
      if (json) return printJson(exceptions);
      if (exceptions.length > 0) print(exceptionsTable(exceptions));
      const preliminary = status === 'closing' ? ' The filing is still closing, so there may be more.' : '';
      const found = review
        ? counted(exceptions.length, 'sale or credit', 'sales and credits')
        : counted(exceptions.length, 'exception');
      print(`${found}.${preliminary}`);
    });

export const filingsProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('filings').description(
      'The returns of an account by state and period, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `close`, `file` and `cancel` write to it.',
    ),
    'filings -- dry-run --account acct_demo --state MI --period-end 2026-10-31',
    [addList, addShow, addDryRun, addClose, addExceptions, addExport, addReturn, addWorksheet, addFile, addCancel],
  );

if (import.meta.main) await runCommand(filingsProgram());
