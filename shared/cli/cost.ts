/** `npm run cost -- …`: what a month costs in an AWS account, by service. */
import { costProgram } from './cost/program.ts';
import { runCommand } from './terminal/run-command.ts';

await runCommand(costProgram());
