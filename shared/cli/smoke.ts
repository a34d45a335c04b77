/** `npm run smoke -- URL`: walk through the four workflows on a service that runs, and void all of it. */
import { Command } from 'commander';
import { CommandError } from './content/command-error.ts';
import { print } from './content/output.ts';
import { runSmoke } from './smoke/run.ts';
import { newSession } from './smoke/session.ts';

const defaultTimeout = 30;

const addressOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isHere)))
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
  // What was made until then is voided; who asks twice means it.
  process.once('SIGINT', session.stop);
  process.once('SIGTERM', session.stop);
  print(`${session.prefix}: the references of this run begin so.`);
  const { failure, left } = await runSmoke(session);
  for (const { id, reference, why } of left)
    print(
      id === null
        ? `LEFT, perhaps: what has the reference ${reference} (${why}).`
        : `LEFT: ${id}, ${reference} (${why}).`,
    );
  print(failure === null && left.length === 0 ? 'Passed: only voided transactions are left.' : 'Failed.');
  if (failure !== null || left.length > 0) process.exitCode = 1;
};

const program = new Command('smoke')
  .description(
    'Walk through draft invoice, estimate, full and partial refund on a service that runs, check what it answers, and void all that was made. Exit code 1 where something is not as it should be.',
  )
  .argument('<url>', 'where the service is: the Url of the stack, or http://127.0.0.1:3000')
  .argument('[key]', 'an API key; better in LEVY_API_KEY, as arguments are visible to everybody on the machine')
  .option('--timeout <seconds>', 'how long one request may take', String(defaultTimeout))
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
