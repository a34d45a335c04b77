import type { oas31 } from 'zod-openapi';
import { type Code, statusOf } from '../../problem.ts';
import { codeMeanings } from './code-meanings.ts';
import { codeRemedies } from './code-remedies.ts';

type Schemas = Record<string, oas31.SchemaObject>;

const table = () =>
  Object.fromEntries(
    (Object.keys(statusOf) as Code[]).map((code) => [
      code,
      { status: statusOf[code], meaning: codeMeanings[code], remedy: codeRemedies[code] },
    ]),
  );

/** Tell beside the list of the error codes what each comes with, means, and asks for. OpenAPI has no place of its own for that. */
export const withErrorCodes = (schemas: Schemas): Schemas => {
  const error = schemas['ErrorObject'];
  const code = error?.properties?.['code'];
  if (!error || !code) throw new Error('An error has a code.');
  const told = { ...code, 'x-error-codes': table() } as oas31.SchemaObject;
  return { ...schemas, ErrorObject: { ...error, properties: { ...error.properties, code: told } } };
};
