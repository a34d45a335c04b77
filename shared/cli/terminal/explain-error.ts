import { environment } from '../../config/environment.ts';
import { ContentCorrupt } from '../../content/loading/content-corrupt.ts';
import { CommandError } from './errors.ts';
import { corruptionText } from './corruption.ts';

const missingTable = `There is no table "${environment.tables.content}". Make the tables with \`npm run tables\` (an emulator) or \`npm run deploy\`.`;
const noCredentials = 'There are no AWS credentials. Sign in, or set DYNAMODB_ENDPOINT to an emulator.';

type Details = Error & { readonly code?: unknown; readonly path?: unknown; readonly $metadata?: unknown };

/** What an operator reads of an error: what is wrong and what to do; `null` for a bug, whose stack is wanted. */
export const explainError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof CommandError) return error.message;
  if (error instanceof ContentCorrupt) return corruptionText(error);
  const { name, message, code, path, $metadata } = error as Details;
  if (name === 'ResourceNotFoundException') return missingTable;
  if (name === 'CredentialsProviderError') return noCredentials;
  if (code === 'ENOENT' && typeof path === 'string') return `There is no file ${path}.`;
  if ((code === 'EACCES' || code === 'EISDIR') && message) return `The file cannot be read: ${message}.`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || name === 'TimeoutError')
    return `No DynamoDB answers at ${environment.dynamodbEndpoint ?? `the region ${environment.region}`}. Is it running, and is the address right?`;
  if ($metadata) return `DynamoDB refused the request: ${name}: ${message}`;
  return null;
};
