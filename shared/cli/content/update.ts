import { isHttpUrl } from '../../base/loopback.ts';
import type { GateResult } from '../../catalog/content.ts';
import { environment } from '../../config/environment.ts';
import { gates } from '../../importers/releases/gates.ts';
import { getState } from '../../importers/releases/open-release.ts';
import { compareVersions, type StateUpdate, updateState } from '../../importers/releases/update-state.ts';
import { PublisherClient, PublisherFailure } from '../../importers/updates/publisher-client.ts';
import { type Importable, importable, publishers } from '../../importers/updates/publishers.ts';
import { refuseValue } from '../terminal/arguments.ts';
import { temporaryFolder } from '../terminal/files.ts';
import { counted, print, textTable } from '../terminal/output.ts';
import { terminal } from '../terminal/progress.ts';
import { CommandError, explainError, flag, isOutage, optional, subcommand } from '../terminal/run-command.ts';

// Terminal output of the gates of `content update` and `content import --activate`.

const gateNames: readonly string[] = gates.map(({ name }) => name);

const parseGates = (text: string): ReadonlySet<string> => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !gateNames.includes(name));
  if (unknown !== undefined) refuseValue(`"${unknown}" is not a gate. The gates are ${gateNames.join(', ')}.`);
  return new Set(names);
};

/** The option `--override` of both commands. */
export const override = optional('<gates>', `gates that may fail: ${gateNames.join(', ')}`, parseGates);

const figureText = ({ figure, unit }: Pick<GateResult, 'figure' | 'unit'>): string =>
  `${Number(figure.toFixed(2))}${unit === 'percentage points' ? ' points' : unit}`;

/** Prints the gates as a table, and examples below it. */
export const printGates = (results: readonly GateResult[], examples: readonly string[]): void => {
  print(
    textTable([
      ['gate', 'figure', 'at most', 'result', ''],
      ...results.map((gate) => [
        gate.name,
        figureText(gate),
        figureText({ figure: gate.most, unit: gate.unit }),
        gate.passed ? 'pass' : 'FAIL',
        gate.describe,
      ]),
    ]),
  );
  for (const line of examples) print(line);
};

// `content update`: import the official files of states.

const adviceFor = (letters: string): CommandError => {
  const publisher = publishers.find(({ state }) => state === letters);
  if (!publisher || publisher.format !== null) return new CommandError(`${letters} levies no general sales tax.`);
  return new CommandError(
    `Levy cannot import the rates of ${letters}, which are published as ${publisher.published}. ${publisher.advice}`,
  );
};

const chosen = (state: string | undefined, all: boolean | undefined): readonly Importable[] => {
  if ((state === undefined) === (all !== true))
    throw new CommandError('Pass either --state with codes such as MN,WI, or --all.');
  if (state === undefined) return importable;
  return state.split(',').map((text) => {
    const { letters } = getState(text.trim());
    const found = importable.find((publisher) => publisher.state === letters);
    if (!found) throw adviceFor(letters);
    return found;
  });
};

const getMirror = (mirror = environment.contentMirror): string | null => {
  if (mirror === undefined || mirror === '') return null;
  if (!isHttpUrl(mirror))
    throw new CommandError(`--mirror cannot be "${mirror}". Pass an address such as http://127.0.0.1:9000.`);
  return mirror;
};

/** Describes the outcome of a state's update in one sentence. */
const outcomeText = (update: StateUpdate): string => {
  if (update.outcome === 'failed') return `FAILED. ${update.reason}`;
  if (update.outcome === 'current') return `${update.release} is active and has the current files.`;
  if (update.active) return `${update.release} passed the gates.`;
  const held =
    update.held === null
      ? ''
      : ` ${update.held} Review the release. To override a gate, pass its name with --override.`;
  return `${update.release} is not active.${held} Activate it: npm run content -- activate ${update.release}`;
};

const report = (state: string, result: StateUpdate): void => {
  if (result.outcome === 'imported') printGates(result.gates, result.examples);
  print(`${state}: ${outcomeText(result)}`);
};

const versionTexts = {
  current: 'is current',
  newer: 'has newer files',
  outdated:
    'has a different active release, or another built-in release, since its last update: run the update to import its files again',
  unknown: 'publishes no file version: run the update to compare the files',
} as const;

/**
 * Returns the message of an error that affects one state, so that the other states continue. Rethrows a database
 * outage. Prints the stack of a bug to standard error.
 */
const getMessage = (error: unknown, { state }: Importable): string => {
  if (isOutage(error)) throw error;
  if (error instanceof PublisherFailure) return error.message;
  const explained = explainError(error);
  if (explained !== null) return explained;
  console.error(error);
  return `${state} ended with an internal error: ${String(error)}. Report it with the lines above. Until it is fixed, download the files from the publisher's site and import them with \`content import\`.`;
};

const check = async (states: readonly Importable[], client: PublisherClient): Promise<void> => {
  let newer = 0;
  let failed = 0;
  for (const publisher of states) {
    try {
      const result = await compareVersions(publisher, client);
      if (result === 'newer' || result === 'outdated') newer += 1;
      print(`${publisher.state}: ${versionTexts[result]}`);
    } catch (error) {
      print(`${publisher.state}: ${getMessage(error, publisher)}`);
      failed += 1;
      process.exitCode = 1;
    }
  }
  print(
    `${counted(newer, 'state needs', 'states need')} an update${failed > 0 ? `, ${failed} could not be checked` : ''}.`,
  );
  if (newer > 0) process.exitCode = 2;
};

export const update = subcommand({
  name: 'update',
  summary: "import states' official files as releases",
  description:
    'Find and download the official files of states, import them, and apply the gates. A release is activated only with --activate, and only if it passes. If a state fails, nothing changes for it, and the other states continue.',
  options: {
    state: optional('<codes>', 'states, such as MN,WI'),
    all: flag('every state whose files Levy can import'),
    check: flag('download nothing; list the states that have newer files, and exit with 2 if there are any'),
    activate: flag('activate each release that passes the gates'),
    override,
    mirror: optional('<url>', 'mirror of the publishers, such as http://127.0.0.1:9000; default: LEVY_CONTENT_MIRROR'),
  },
  examples: ['content -- update --state MN,WI --activate'],
  run: async (options) => {
    const states = chosen(options.state, options.all);
    const client = new PublisherClient({ mirror: getMirror(options.mirror), isMirrorTrusted: true });
    if (options.check) return check(states, client);
    const folder = temporaryFolder();
    const updates: StateUpdate[] = [];
    for (const publisher of states) {
      print(`== ${publisher.state}: ${publisher.name}`);
      const result = await updateState(publisher, {
        client,
        folder,
        activate: options.activate ?? false,
        overridden: options.override ?? new Set(),
        reporter: terminal,
      }).catch((error): StateUpdate => ({ outcome: 'failed', reason: getMessage(error, publisher) }));
      report(publisher.state, result);
      updates.push(result);
    }
    const count = (outcome: StateUpdate['outcome']) => updates.filter((one) => one.outcome === outcome).length;
    print(`${count('imported')} imported, ${count('current')} current, ${count('failed')} failed.`);
    if (updates.some((one) => one.outcome === 'failed' || (one.outcome === 'imported' && one.held !== null)))
      process.exitCode = 1;
  },
});
