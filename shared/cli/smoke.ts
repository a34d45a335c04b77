/** `npm run smoke -- URL`: run the four workflows on a deployed service and void their transactions. */
import { Command } from 'commander';
import { newSession, runSmoke } from './smoke/workflows.ts';
import { parseAddress } from './terminal/arguments.ts';
import { print } from './terminal/output.ts';
import { CommandError, runCommand } from './terminal/run-command.ts';

const smoke = async (url: string, given: string | undefined): Promise<void> => {
  const key = given ?? process.env['LEVY_API_KEY'];
  if (!key) throw new CommandError('Set LEVY_API_KEY to a key with the scopes read and write.');
  const session = newSession({ url, key, timeoutMs: 30_000, print });
  // The first signal stops the run and voids its transactions; the second one ends the process.
  process.once('SIGINT', session.stop);
  process.once('SIGTERM', session.stop);
  print(`References of this run begin with ${session.prefix}.`);
  const { failure, left } = await runSmoke(session);
  for (const { id, reference, reason } of left)
    print(`Not voided: ${id ?? 'a transaction that may exist'}, ${reference} (${reason}).`);
  const isPassed = failure === null && left.length === 0;
  print(isPassed ? 'Passed. All transactions of this run are void.' : 'Failed.');
  if (!isPassed) process.exitCode = 1;
};

const program = new Command('smoke')
  .description(
    'Run the workflows draft invoice, estimate, full refund and partial refund on a deployed service, check the responses, and void the transactions. Exit code 1 if a check fails.',
  )
  .argument('<url>', 'address of the service: the output Url of the stack, or http://127.0.0.1:3000', parseAddress)
  .argument('[key]', 'an API key; prefer LEVY_API_KEY, because other users of the machine can see arguments')
  .addHelpText(
    'after',
    '\nExample:\n  LEVY_API_KEY=levy_… npm run smoke -- https://example.execute-api.us-east-1.amazonaws.com/v1',
  )
  .action(smoke);

await runCommand(program);
