/** `npm run accounts -- …`: create accounts and their API keys, and change their settings. */
import { accountsProgram } from './accounts/program.ts';
import { runCommand } from './terminal/run-command.ts';

await runCommand(accountsProgram());
