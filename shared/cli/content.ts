/** `npm run content -- …`: import, look at, compare, check and activate releases of tax content. */
import { explainError } from './terminal/explain-error.ts';
import { contentProgram } from './content/program.ts';
import { runCommand } from './terminal/run-command.ts';

await runCommand(contentProgram(), explainError);
