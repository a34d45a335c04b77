/** `filings return` and `worksheet`: the electronic return of filings as an XML file, and the lines of a state's form. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFormName } from '../../catalog/form-names.ts';
import { isStreamlinedMember } from '../../catalog/streamlined.ts';
import { isReturnDue } from '../../filings/periods.ts';
import { listFilings, readFiling } from '../../filings/read-filings.ts';
import type { Worksheet } from '../../filings/response.ts';
import { amountsDue } from '../../filings/totals-response.ts';
import { electronicReturn, returnHash } from '../../returns/electronic-return.ts';
import { withWorksheet, worksheetCsv } from '../../returns/worksheet.ts';
import { filingReadPorts } from '../../store/filings/filing-reads.ts';
import { parseStates, requireAccount, resolvePath, wholeNumber } from '../terminal/arguments.ts';
import { writeAll } from '../terminal/files.ts';
import { type Columns, counted, formatTable, print, textTable } from '../terminal/output.ts';
import { accepted, CommandError, flag, optional, required, subcommand } from '../terminal/run-command.ts';
import { chooseFiling, type FilingName, filingArgument, filingOptions, rowsFrom } from './filing.ts';

const rootSchema = 'SSTSimplifiedReturnTransmission.xsd';

/**
 * Validates a return with libxml2 against the official schemas in a folder. Throws a CommandError with the errors of an
 * invalid return, or if the folder has no schemas.
 */
export const validateReturn = async (xml: string, folder: string): Promise<void> => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.xsd'));
  if (!names.includes(rootSchema))
    throw new CommandError(`${folder} has no ${rootSchema}. Pass the folder of the official schemas, SST2015V01.`);
  const files = names.map((fileName) => ({ fileName, contents: readFileSync(join(folder, fileName), 'utf8') }));
  const { validateXML } = await import('xmllint-wasm');
  const { valid, errors } = await validateXML({
    xml: { fileName: 'return.xml', contents: xml },
    schema: files.filter(({ fileName }) => fileName === rootSchema),
    preload: files.filter(({ fileName }) => fileName !== rootSchema),
  });
  if (!valid)
    throw new CommandError(
      `The return is not valid:\n${errors.map(({ message }) => message).join('\n')}\nNo file was written.`,
    );
};

/**
 * Returns the account, and the filings of the options with all of their totals. With --all-due, `leftOut` are the
 * filings of months without a registration, in which no tax is due.
 */
const chosenFilings = async (
  named: string | undefined,
  options: FilingName & { readonly allDue: boolean | undefined; readonly without: readonly string[] | undefined },
) => {
  const { account: id, allDue, without, dryRun, state, periodEnd } = options;
  if (!allDue) {
    if (without) throw new CommandError('Pass --without only with --all-due.');
    const { account, read } = await chooseFiling(named, options);
    return { account, filings: [accepted(await read())], leftOut: [] };
  }
  if (named !== undefined || dryRun || state !== undefined || periodEnd !== undefined)
    throw new CommandError('Pass --all-due without a filing, a period or --dry-run.');
  const account = await requireAccount(id);
  const closed = await rowsFrom((paging) => listFilings({ status: 'closed', ...paging }, account, filingReadPorts));
  const ofMembers = closed.filter(({ state }) => isStreamlinedMember(state) && !without?.includes(state));
  const isDue = (filing: (typeof closed)[number]) => isReturnDue(account, filing, amountsDue(filing.summary));
  const due = ofMembers.filter(isDue);
  if (due.length === 0) throw new CommandError('No closed filing is due in a member state of the Agreement.');
  const whole = due.map((filing) => readFiling(filing.id ?? '', account, filingReadPorts));
  return {
    account,
    filings: (await Promise.all(whole)).map(accepted),
    leftOut: ofMembers.filter((filing) => !isDue(filing)),
  };
};

export const electronicReturnFile = subcommand({
  name: 'return',
  summary: 'the electronic return of the Streamlined Sales Tax states',
  description:
    'Write the simplified electronic return of a filing to a new XML file, with the ids of the setting return_identity. It is a test unless you pass --production. An existing file is not overwritten.',
  arguments: filingArgument,
  options: {
    ...filingOptions,
    out: required('<file>', 'the file to write', resolvePath),
    schema: optional('<folder>', 'validate it with libxml2 against the official schemas in this folder', resolvePath),
    allDue: flag('one file with the returns of all closed filings that are not filed yet'),
    without: optional(
      '<states>',
      'with --all-due: states to leave out, such as KS,WA, whose returns are refused',
      parseStates,
    ),
    dryRun: flag('a test with the current totals of the period, for --state and --period-end'),
    production: flag('a return that the state processes'),
    amended: flag('the return amends one that was sent before'),
    acknowledgeExceptions: optional(
      '<count>',
      'the number of exceptions that you reviewed; --production needs it if there are any',
      wholeNumber(0, 999_999_999),
    ),
  },
  run: async (options, named: string | undefined) => {
    const { production, amended, dryRun, acknowledgeExceptions, schema, out } = options;
    if (production && dryRun) throw new CommandError('A dry run is a test. Close the period before --production.');
    const { account, filings, leftOut } = await chosenFilings(named, options);
    const xml = accepted(
      electronicReturn(filings, account.settings.return_identity, {
        processType: production ? 'P' : 'T',
        returnType: amended ? 'A' : 'O',
        acknowledged: acknowledgeExceptions,
      }),
    );
    if (schema !== undefined) await validateReturn(xml, schema);
    await writeAll([{ path: out, text: xml }]);
    const checked = schema === undefined ? 'not validated: pass --schema' : 'valid';
    print(`${out}: ${counted(filings.length, 'return')}, ${checked}, hash ${returnHash({ xml })}`);
    for (const { state, period_start, period_end } of leftOut)
      print(
        `Left out: ${state}, ${period_start} to ${period_end}. The account was not registered, and no tax is due. To return it, pass --state and --period-end.`,
      );
    const fees = filings.flatMap(({ totals }) => totals).filter(({ tax_due }) => /[1-9]/.test(tax_due.fees));
    for (const { jurisdiction_name, tax_due } of fees)
      print(`Not included: ${jurisdiction_name} ${tax_due.fees}. Report it separately.`);
  },
});

const scheduleColumns: Columns<Worksheet['rows'][number]> = [
  ['reporting code', (row) => row.reporting_code],
  ['name', (row) => row.jurisdiction_name],
  ['taxable', (row) => row.taxable_amount],
  ['tax', (row) => row.tax_amount],
];

export const worksheet = subcommand({
  name: 'worksheet',
  summary: "the lines of the state's form",
  description: "Print a filing on the lines of its state's form, or write them to a new CSV file.",
  arguments: filingArgument,
  options: {
    ...filingOptions,
    out: optional('<file>', 'the CSV file to write, which must not exist', resolvePath),
    dryRun: flag('the current totals of the period, for --state and --period-end'),
  },
  run: async ({ out, ...options }, named: string | undefined) => {
    const { read } = await chooseFiling(named, options);
    const filing = accepted(await read());
    const form = findFormName(filing.state);
    if (form === null)
      throw new CommandError(
        `Levy has no form for ${filing.state}. Export the totals with \`npm run filings -- export\`, and enter them in the state's form.`,
      );
    const { worksheet } = accepted(withWorksheet(filing, form, { parameter: 'form' }));
    if (!worksheet) return;
    if (out !== undefined) {
      await writeAll([{ path: out, text: worksheetCsv(worksheet) }]);
      return print(`${out}: ${worksheet.title}`);
    }
    print(`${worksheet.title}. Edition: ${worksheet.edition}. Confidence: ${worksheet.confidence}.`);
    print(textTable(worksheet.lines.map(({ line, label, amount, note }) => [line, label, amount ?? `(${note})`])));
    if (worksheet.rows.length > 0) print(`\n${worksheet.schedule}\n${formatTable(scheduleColumns, worksheet.rows)}`);
    print(`\nTax due of the filing: ${worksheet.tax_due_amount}. Rounding of the form: ${worksheet.rounding_amount}.`);
    for (const note of worksheet.notes) print(note);
  },
});
