import { Command } from 'commander';
import { addActivate, addRollback } from './activate.ts';
import { addCheck } from './check.ts';
import { addCoverage } from './coverage.ts';
import { addDiff } from './diff.ts';
import { addDiscard } from './discard.ts';
import { addImport } from './import.ts';
import { addList } from './list.ts';
import { addShow } from './show.ts';
import { addUpdate } from './update/update.ts';
import { addVerify } from './verify.ts';

/** The commands with their options and help. An expected error throws a `CommandError`. */
export const contentProgram = (): Command => {
  const program = new Command('content')
    .usage('[command] [options]')
    .description(
      'Tax content in releases, one per state, in the Content table of AWS, or of the emulator that DYNAMODB_ENDPOINT names.',
    )
    .addHelpText('after', '\nExample:\n  npm run content -- list --state MN')
    .showHelpAfterError('See the options with --help.');
  const commands = [addImport, addUpdate, addList, addShow, addDiff, addCheck, addVerify, addCoverage];
  for (const add of [...commands, addActivate, addRollback, addDiscard]) add(program);
  return program;
};
