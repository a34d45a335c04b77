/** `npm run content -- …`: import, show, compare, check and activate releases of tax content. */
import { Command } from 'commander';
import { addActivate, addDiscard, addRollback } from './content/activate.ts';
import { addCheck } from './content/check.ts';
import { addCoverage } from './content/coverage.ts';
import { addDiff } from './content/diff.ts';
import { addImport } from './content/import.ts';
import { addList } from './content/list.ts';
import { addShow } from './content/show.ts';
import { addSources } from './content/sources.ts';
import { addTaxability } from './content/taxability.ts';
import { addUpdate } from './content/update.ts';
import { addVerify } from './content/verify.ts';
import { runCommand, withCommands } from './terminal/run-command.ts';

export const contentProgram = (): Command =>
  withCommands(
    new Command('content').description(
      'Tax content in releases, one per state, in the Content table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    ),
    'npm run content -- list --state MN',
    [
      ...[addImport, addUpdate, addSources, addList, addShow, addDiff, addCheck, addVerify, addCoverage, addTaxability],
      ...[addActivate, addRollback, addDiscard],
    ],
  );

if (import.meta.main) await runCommand(contentProgram());
