/** `content import`: create a release from rate files. */
import { stat } from 'node:fs/promises';
import type { Importer } from '../../importers/importer.ts';
import { type Format, importers } from '../../importers/importers.ts';
import { activate } from '../../importers/releases/activate.ts';
import { failedGates, measureGates } from '../../importers/releases/gates.ts';
import { type Imported, type ImportJob, importFiles } from '../../importers/releases/import-files.ts';
import {
  type ActiveRelease,
  getState,
  openRelease,
  positionOver,
  readActiveRelease,
} from '../../importers/releases/open-release.ts';
import { parseDay, refuseValue, resolvePath } from '../terminal/arguments.ts';
import { temporaryFolder } from '../terminal/files.ts';
import { print } from '../terminal/output.ts';
import { terminal } from '../terminal/progress.ts';
import {
  CommandError,
  explainError,
  flag,
  optional,
  required,
  subcommand,
  type Values,
} from '../terminal/run-command.ts';
import { override, printGates } from './update.ts';

const parseFormat = (text: string): Format =>
  Object.hasOwn(importers, text)
    ? (text as Format)
    : refuseValue(`Allowed choices are ${Object.keys(importers).join(', ')}.`);

const options = {
  format: required('<format>', `the format of the files (choices: ${Object.keys(importers).join(', ')})`, parseFormat),
  state: optional('<state>', 'the state, such as MN; not needed for single-state formats and custom rules'),
  rates: optional('<file>', 'sst: the rate file'),
  boundaries: optional('<file>', 'sst: the boundary file'),
  file: optional('<file>', 'the file of any other format'),
  from: optional('<day>', 'the first day of rates in a file without dates; the default is today', parseDay),
  activate: flag('activate the release after the import, if it passes the gates'),
  override,
  skipBadRows: flag('skip rows that cannot be read, and count them'),
  dryRun: flag('read and report, but write nothing; without a database, assume that the built-in release is active'),
};
type Options = Values<typeof options>;

const fileOptions = ['rates', 'boundaries', 'file'] as const;

const listFiles = ({ format, ...options }: Options): readonly string[] => {
  const needed = importers[format].files.map(({ option }) => option);
  const missing = needed.filter((name) => options[name] === undefined);
  const wrong = fileOptions.filter((name) => options[name] !== undefined && !needed.includes(name));
  if (missing.length + wrong.length > 0)
    throw new CommandError(
      `The format ${format} needs ${needed.map((name) => `--${name}`).join(' and ')}: ${[...missing.map((name) => `--${name} is missing`), ...wrong.map((name) => `leave out --${name}`)].join(', ')}.`,
    );
  return needed.flatMap((name) => options[name] ?? []).map(resolvePath);
};

const requireFile = async (path: string): Promise<void> => {
  const found = await stat(path);
  if (!found.isFile()) throw new CommandError(`${path} is not a file. Pass the path of a file.`);
};

/** Returns the state that the files name, if the format includes it. Refuses files that cannot be read. */
const stateInFiles = async ({ stateIn }: Importer, files: readonly string[]): Promise<string | undefined> => {
  try {
    return (await stateIn?.(files)) ?? undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new CommandError(`${error.message} Nothing was written.`);
  }
};

/** Returns the state of an import: from the option, from a format that has only one state, or from the files. */
const stateFor = async (importer: Importer, text: string | undefined, files: readonly string[]) => {
  const { onlyState, format } = importer;
  const letters = text === undefined ? onlyState : getState(text).letters;
  if (onlyState !== null && letters !== onlyState)
    throw new CommandError(`The format ${format} supports only ${onlyState}, not ${letters}.`);
  for (const file of files) await requireFile(file);
  const named = letters ?? (await stateInFiles(importer, files));
  if (named !== undefined) return getState(named);
  throw new CommandError(`Pass --state: the format ${format} supports any state, and these files do not name one.`);
};

const prepareJob = async (options: Options): Promise<ImportJob> => {
  const importer = importers[options.format];
  const files = listFiles(options);
  const { letters: state } = await stateFor(importer, options.state, files);
  return {
    importer,
    files,
    state,
    active: await (options.dryRun ? activeReleaseOrBuiltIn : readActiveRelease)(state),
    from: options.from ?? null,
    skipBadRows: options.skipBadRows ?? false,
    dryRun: options.dryRun ?? false,
    tempFolder: temporaryFolder(),
    reporter: terminal,
  };
};

/** Works like `readActiveRelease`, but without a database prints a notice and returns the built-in release. */
export const activeReleaseOrBuiltIn = async (letters: string): Promise<ActiveRelease> => {
  try {
    return await readActiveRelease(letters);
  } catch (error) {
    if (error instanceof CommandError || explainError(error) === null) throw error;
    const { builtIn } = getState(letters);
    print(`No database is available, so the import assumes that the built-in release ${builtIn.id} is active.`);
    return { id: builtIn.id, head: null, builtIn, previous: [] };
  }
};

/** Activates an import if it passes the gates against the release below it. Otherwise prints the gates that failed. */
const activateIfPassed = async ({ id, impact }: Imported, { active }: ImportJob, overridden: ReadonlySet<string>) => {
  // If the active release is corrupt, `active` is the built-in release. An import that is already active has passed the
  // gates.
  const over = positionOver(active).below;
  if (over === id) return activate(id, terminal);
  const { gates, examples } = await measureGates(
    await openRelease(id),
    await openRelease(over),
    active.builtIn,
    impact,
  );
  printGates(gates, examples);
  const failed = failedGates(gates, overridden);
  if (failed.length === 0) return activate(id, terminal, { isMeasured: true });
  throw new CommandError(
    `${id} is imported but not active, because ${failed.length === 1 ? 'this gate' : 'these gates'} failed: ${failed.join(', ')}. Review its changes: npm run content -- diff ${over} ${id} --rates. To activate it anyway, run the import again with --override ${failed.join(',')}.`,
  );
};

const formats = Object.values<Importer>(importers)
  .map(
    ({ format, describe, files }) =>
      `  ${format.padEnd(12)} ${describe}: ${files.map((file) => file.describe).join('; ')}`,
  )
  .join('\n');

/** Imports files, then activates the release or prints how to activate it. */
export const importCommand = subcommand({
  name: 'import',
  summary: 'create a release from rate files or custom rules',
  description:
    'Create a release from the rate files of a state or vendor, as text or in a ZIP archive, or from a file of custom rules. Calculations do not use the release until it is activated. A row that cannot be read stops the import before anything is written.',
  options,
  help: `Formats:\n${formats}`,
  examples: ['content -- import --format sst --state MN --rates MNR2026Q2FEB18.csv --boundaries MNB2026Q2FEB18.zip'],
  run: async (options) => {
    if (options.override !== undefined && !options.activate)
      throw new CommandError('--override requires --activate, because only --activate applies gates. Pass both.');
    const job = await prepareJob(options);
    const imported = await importFiles(job);
    if (imported === null) return;
    if (options.activate) return activateIfPassed(imported, job, options.override ?? new Set());
    print(`Check it:    npm run content -- check --release ${imported.id} --against cases.json`);
    print(`Activate it: npm run content -- activate ${imported.id}`);
  },
});
