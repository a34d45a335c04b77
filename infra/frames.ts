/** `npm run frames -- FUNCTION FRAME…` prints the source lines of stack frames that a deployed function logged. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { temporaryFolder } from '../shared/cli/terminal/files.ts';
import { print } from '../shared/cli/terminal/output.ts';
import { CommandError, runCommand } from '../shared/cli/terminal/run-command.ts';
import { bundle, type Entry, entries } from './bundling.ts';

/** Returns the source line, such as `shared/tax/calculate.ts:12`. Minification shifts columns, so they are omitted. */
const findSource = (folder: string, frame: string): string => {
  const [, file, line, column] = /([\w.-]+\.js):(\d+):(\d+)/.exec(frame) ?? [];
  if (!file) throw new CommandError(`"${frame}" is not a frame of a bundle. Pass a frame such as index.js:1:2345.`);
  let map: SourceMap;
  try {
    map = new SourceMap(JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')));
  } catch {
    throw new CommandError(
      `The bundle has no ${file}. Check out the deployed commit, and pass the name of the function that logged the frame.`,
    );
  }
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry)) throw new CommandError(`${file} has no line ${line}, column ${column}.`);
  return `${entry.originalSource.replace(/^(\.\.\/)+/, '')}:${entry.originalLine + 1}`;
};

const frames = (entry: Entry, given: readonly string[]): void => {
  const folder = temporaryFolder();
  bundle(entry, folder, folder);
  for (const frame of given) print(`${frame.trim()}  ${findSource(folder, frame)}`);
};

const program = new Command('frames')
  .description(
    'Print the source lines of logged stack frames. A deployment has no source maps, so check out the deployed commit first.',
  )
  .addArgument(new Argument('<function>').choices(entries))
  .argument('<frames...>', 'frames as they are in the log, or index.js:1:2345')
  .addHelpText('after', "\nExample:\n  npm run frames -- create-calculation 'at Xa (/var/task/index.js:1:23456)'")
  .action(frames);

await runCommand(program);
