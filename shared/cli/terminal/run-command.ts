export { accepted, CommandError } from '../../base/command-error.ts';

import { Command } from 'commander';
import { CommandError } from '../../base/command-error.ts';
import { Contention } from '../../base/contention.ts';
import { ContentCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';
import { printable } from './output.ts';

const missingTable = (): string => {
  const { transactions, accounts, content } = environment.tables;
  return `At least one of the tables ${transactions}, ${accounts} and ${content} does not exist. Create them with \`npm run tables\` (an emulator) or \`npm run deploy\`, or set TABLE_TRANSACTIONS, TABLE_ACCOUNTS and TABLE_CONTENT to the deployed names.`;
};

type Details = Error & { readonly code?: unknown; readonly path?: unknown; readonly $metadata?: unknown };

const isUnreachable = ({ code, name }: Details): boolean =>
  code === 'ECONNREFUSED' || code === 'ENOTFOUND' || name === 'TimeoutError';

/** Whether an error affects the whole database, so a command cannot continue with the next state. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  (isUnreachable(error) || ['ResourceNotFoundException', 'CredentialsProviderError'].includes(error.name));

/** Returns the message of an expected error and how to fix it, or `null` for a bug, whose stack is printed. */
export const explainError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof CommandError) return error.message;
  if (error instanceof ContentCorrupt) return corruptionText(error);
  const { name, message, code, path, $metadata } = error as Details;
  if (name === 'ResourceNotFoundException') return missingTable();
  if (name === 'CredentialsProviderError')
    return 'No AWS credentials found. Sign in, or set DYNAMODB_ENDPOINT to an emulator.';
  if (code === 'ENOENT' && typeof path === 'string') return `There is no file ${path}.`;
  if (code === 'EEXIST' && typeof path === 'string')
    return `The file ${path} already exists. Nothing was overwritten. Delete it, or pass a different name.`;
  if ((code === 'EACCES' || code === 'EISDIR') && message) return `Cannot read the file: ${message}.`;
  if (isUnreachable(error))
    return `Cannot connect to DynamoDB at ${environment.dynamodbEndpoint ?? `the region ${environment.region}`}. Check the address, and that the database is running.`;
  if (error instanceof Contention) return `${message} Run this again.`;
  if ($metadata) return `DynamoDB refused the request: ${name}: ${message}`;
  return null;
};

/** An emulator accepts any credentials, so the operator's credentials are never sent to it. */
const useLocalCredentials = (): void => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
};

/** A command with methods for common options. */
export class LevyCommand extends Command {
  override createCommand(name?: string): LevyCommand {
    return new LevyCommand(name);
  }

  account(): this {
    return this.requiredOption('--account <id>', 'the account, such as acct_demo');
  }

  confirmation(): this {
    return this.option('--yes', 'do not ask for confirmation');
  }

  examples(...lines: readonly string[]): this {
    const title = lines.length === 1 ? 'Example' : 'Examples';
    return this.addHelpText('after', `\n${[`${title}:`, ...lines.map((line) => `npm run ${line}`)].join('\n  ')}`);
  }
}

/** Adds commands to a program, and an example to its help. */
export const withCommands = (
  program: LevyCommand,
  example: string,
  commands: readonly ((program: LevyCommand) => unknown)[],
): LevyCommand => {
  program.usage('[command] [options]').examples(example).showHelpAfterError('See the options with --help.');
  for (const add of commands) add(program);
  return program;
};

/** Runs a program of commands. An expected error prints its message and a bug its stack, both with exit code 1. */
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
