import type { Command } from 'commander';
import { environment } from '../../config/environment.ts';
import { explainError } from './errors.ts';
import { printable } from './output.ts';

/** An emulator needs any credentials. Do not send it the operator's own. */
const useLocalCredentials = (): void => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
};

/** Add commands to a program, with an example in its help. */
export const withCommands = (
  program: Command,
  example: string,
  commands: readonly ((program: Command) => unknown)[],
) => {
  program
    .usage('[command] [options]')
    .addHelpText('after', `\nExample:\n  ${example}`)
    .showHelpAfterError('See the options with --help.');
  for (const add of commands) add(program);
  return program;
};

/**
 * Run a program of commands. An expected error prints its message and a bug its stack, both with exit code 1.
 */
export const runCommand = async (program: Command): Promise<void> => {
  // The reader closed the pipe, such as `| head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  if (environment.dynamodbEndpoint) useLocalCredentials();
  try {
    await program.parseAsync();
  } catch (error) {
    const explained = explainError(error);
    console.error(explained === null ? error : printable(explained));
    process.exitCode = 1;
  }
};
