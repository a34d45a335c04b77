import type { Command } from 'commander';
import { environment } from '../../config/environment.ts';

/** An emulator wants credentials and looks at none; the operator's own stay out of it. */
const useLocalCredentials = (): void => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
};

/**
 * Run an operator's program to its end.
 *
 * What `explain` knows is one line, with exit code 1; anything else is a bug, and keeps its stack.
 */
export const runCommand = async (program: Command, explain: (error: unknown) => string | null): Promise<void> => {
  // Who reads the output has seen enough: `… | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  if (environment.dynamodbEndpoint) useLocalCredentials();
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(explain(error) ?? error);
    process.exitCode = 1;
  }
};
