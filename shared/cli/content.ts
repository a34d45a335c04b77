/** `npm run content -- …`: import, show, compare, check and activate releases of tax content. */
import { contentProgram } from './content/program.ts';
import { runCommand } from './terminal/run-command.ts';

await runCommand(contentProgram());
