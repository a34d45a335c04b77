import { CommandError } from '../../base/command-error.ts';
import { Contention } from '../../base/contention.ts';
import { ContentCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';

export { accepted, CommandError } from '../../base/command-error.ts';

const missingTable = (): string => {
  const { transactions, accounts, content } = environment.tables;
  return `At least one of the tables ${transactions}, ${accounts} and ${content} does not exist. Create them with \`npm run tables\` (an emulator) or \`npm run deploy\`, or set TABLE_TRANSACTIONS, TABLE_ACCOUNTS and TABLE_CONTENT to the deployed names.`;
};

type Details = Error & { readonly code?: unknown; readonly path?: unknown; readonly $metadata?: unknown };

const isUnreachable = ({ code, name }: Details): boolean =>
  code === 'ECONNREFUSED' || code === 'ENOTFOUND' || name === 'TimeoutError';

/** Whether an error is of the database as a whole, so that a command cannot go on with the next state. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  (isUnreachable(error) || ['ResourceNotFoundException', 'CredentialsProviderError'].includes(error.name));

/** The message of an expected error with its remedy, or `null` for a bug, whose stack is printed. */
export const explainError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof CommandError) return error.message;
  if (error instanceof ContentCorrupt) return corruptionText(error);
  const { name, message, code, path, $metadata } = error as Details;
  if (name === 'ResourceNotFoundException') return missingTable();
  if (name === 'CredentialsProviderError')
    return 'No AWS credentials found. Sign in, or set DYNAMODB_ENDPOINT to an emulator.';
  if (code === 'ENOENT' && typeof path === 'string') return `There is no file ${path}.`;
  if (code === 'EEXIST' && typeof path === 'string') return `The file ${path} already exists. Nothing was overwritten.`;
  if ((code === 'EACCES' || code === 'EISDIR') && message) return `Cannot read the file: ${message}.`;
  if (isUnreachable(error))
    return `Cannot connect to DynamoDB at ${environment.dynamodbEndpoint ?? `the region ${environment.region}`}. Check the address, and that it is running.`;
  if (error instanceof Contention) return `${message} Run this again.`;
  if ($metadata) return `DynamoDB refused the request: ${name}: ${message}`;
  return null;
};
