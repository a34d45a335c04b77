/** `npm run filings -- …`: preview, close, check, export and file the returns of an account. */
import { listFilingExceptions, listFilings } from '../filings/read-filings.ts';
import { filingReadPorts } from '../store/filings/filing-reads.ts';
import { cancel, close, file } from './filings/change.ts';
import { exportFiling } from './filings/export.ts';
import {
  chooseFiling,
  exceptionsTable,
  type FilingName,
  filingArgument,
  filingOptions,
  filingsTable,
  periodOptions,
  printFiling,
  rowsFrom,
} from './filings/filing.ts';
import { electronicReturnFile, worksheet } from './filings/return.ts';
import { parseState, requireAccount } from './terminal/arguments.ts';
import { counted, print, printJson } from './terminal/output.ts';
import { accepted, account, createProgram, flag, optional, runCommand, subcommand } from './terminal/run-command.ts';

const list = subcommand({
  name: 'list',
  summary: 'all filings',
  description: 'List the filings of an account, newest first, with their due dates and amounts.',
  options: {
    account,
    state: optional('<state>', 'only this state, such as MI', parseState),
    json: flag('one JSON array of the filings, without totals, as GET /filings returns them'),
  },
  run: async ({ account: id, state, json }) => {
    const account = await requireAccount(id);
    const filters = state === undefined ? {} : { state };
    const filings = await rowsFrom((paging) => listFilings({ ...filters, ...paging }, account, filingReadPorts));
    if (json) return printJson(filings);
    if (filings.length > 0) print(filingsTable(filings));
    print(`${counted(filings.length, 'filing')}.`);
  },
});

const readAndPrint = async (named: string | undefined, name: FilingName, json: boolean | undefined) => {
  const { read } = await chooseFiling(named, name);
  printFiling(accepted(await read()), json);
};

const show = subcommand({
  name: 'show',
  summary: 'one filing with its amounts',
  description: 'Show a filing: its due date, its amounts for the whole state and by jurisdiction, and its exceptions.',
  arguments: filingArgument,
  options: { ...filingOptions, json: flag('the JSON of GET /filings/{id}') },
  run: ({ json, ...name }, named: string | undefined) => readAndPrint(named, name, json),
});

const dryRun = subcommand({
  name: 'dry-run',
  summary: 'the current amounts of a period',
  description:
    'Show the amounts that closing a period would produce, for any period up to the current one. Stores nothing. For a closed period, shows its filing.',
  options: { ...periodOptions, json: flag('the JSON of POST /filings') },
  run: ({ json, ...period }) => readAndPrint(undefined, { ...period, dryRun: true }, json),
});

const exceptions = subcommand({
  name: 'exceptions',
  summary: 'the sales and credits to review before a return is sent',
  description:
    'List the sales and credits of a filing that the tax content does not cover, or whose recorded tax differs from the calculated tax.',
  arguments: filingArgument,
  options: {
    ...filingOptions,
    review: flag('instead, the sales and credits with warnings that can change their tax'),
    json: flag('one JSON array of the exceptions, as GET /filings/{id}/exceptions returns them'),
  },
  run: async ({ json, review, ...name }, named: string | undefined) => {
    const { account, id, read } = await chooseFiling(named, name);
    const { status } = accepted(await read());
    const list = review ? 'review' : 'exceptions';
    const found = await rowsFrom((paging) => listFilingExceptions(id, { list, ...paging }, account, filingReadPorts));
    if (json) return printJson(found);
    if (found.length > 0) print(exceptionsTable(found));
    const preliminary = status === 'closing' ? ' The filing is still closing, so there may be more.' : '';
    const count = review
      ? counted(found.length, 'sale or credit', 'sales and credits')
      : counted(found.length, 'exception');
    print(`${count}.${preliminary}`);
  },
});

export const filingsProgram = () =>
  createProgram(
    'filings',
    'The returns of an account by state and period, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `close`, `file` and `cancel` write to it.',
    'filings -- dry-run --account acct_demo --state MI --period-end 2026-10-31',
    [list, show, dryRun, close, exceptions, exportFiling, electronicReturnFile, worksheet, file, cancel],
  );

if (import.meta.main) await runCommand(filingsProgram());
