import { environment } from '../../config/environment.ts';
import { explainError as explainContentError } from '../terminal/explain-error.ts';

const missingTable = `There is no table "${environment.tables.accounts}". Make the tables with \`npm run tables\` (an emulator) or \`npm run deploy\`; name a deployed one with TABLE_ACCOUNTS.`;

/** What an operator reads of an error: what is wrong and what to do; `null` for a bug, whose stack is wanted. */
export const explainError = (error: unknown): string | null =>
  error instanceof Error && error.name === 'ResourceNotFoundException' ? missingTable : explainContentError(error);
