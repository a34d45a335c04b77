/** `npm run cost -- …`: what a month costs in an AWS account, by service. */
import { explainError } from './content/explain-error.ts';
import { costProgram } from './cost/program.ts';
import { runCommand } from './run-command.ts';

await runCommand(costProgram(), explainError);
