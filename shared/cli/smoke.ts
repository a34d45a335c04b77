/** `npm run smoke -- URL`: run the four workflows on a deployed service and void their transactions. */
import { Command } from 'commander';
import { newSession } from './smoke/session.ts';
import { runSmoke } from './smoke/workflows.ts';
import { CommandError } from './terminal/errors.ts';
import { print } from './terminal/output.ts';

const defaultTimeout = 30;

const addressOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw new CommandError(
      'Send the address as https://…, or as http://127.0.0.1:3000 on this machine: a key goes with it.',
    );
  if (url.search || url.hash || url.username)
    throw new CommandError('Send the address without a query, fragment or name.');
  return url.href;
};

const keyOf = (given: string | undefined): string => {
  const key = given ?? process.env['LEVY_API_KEY'];
  if (!key) throw new CommandError('Set LEVY_API_KEY to a key with the scopes read and write.');
  return key;
};

const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 300)) throw new CommandError('--timeout takes seconds, such as 30.');
  return seconds;
};

const smoke = async (url: string, given: string | undefined, { timeout }: { timeout: string }): Promise<void> => {
  const session = newSession({ url: addressOf(url), key: keyOf(given), timeoutMs: secondsOf(timeout) * 1000, print });
  // The first signal stops the run and voids its transactions; the second one ends the process.
  process.once('SIGINT', session.stop);
  process.once('SIGTERM', session.stop);
  print(`${session.prefix}: prefix of the references of this run.`);
  const { failure, left } = await runSmoke(session);
  for (const { id, reference, why } of left)
    print(
      id === null
        ? `LEFT, possibly: the transaction with the reference ${reference} (${why}).`
        : `LEFT: ${id}, ${reference} (${why}).`,
    );
  print(failure === null && left.length === 0 ? 'Passed. All transactions of this run are void.' : 'Failed.');
  if (failure !== null || left.length > 0) process.exitCode = 1;
};

const program = new Command('smoke')
  .description(
    'Run the workflows draft invoice, estimate, full refund and partial refund on a deployed service, check the responses, and void the transactions. Exit code 1 if a check fails.',
  )
  .argument('<url>', 'address of the service: the output Url of the stack, or http://127.0.0.1:3000')
  .argument('[key]', 'an API key; prefer LEVY_API_KEY, because other users of the machine can see arguments')
  .option('--timeout <seconds>', 'time limit of one request', String(defaultTimeout))
  .addHelpText(
    'after',
    '\nExample:\n  LEVY_API_KEY=levy_… npm run smoke -- https://example.execute-api.us-east-1.amazonaws.com/v1',
  )
  .action(smoke);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof CommandError ? error.message : error);
  process.exitCode = 1;
}
