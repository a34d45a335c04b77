import type {
  Document,
  ErrorCodes,
  Header,
  Media,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
} from './openapi.ts';

/** An operation with its address, and nothing left to look up. */
export type Told = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly body: Media | null;
  readonly responses: readonly ToldResponse[];
};

export type ToldResponse = {
  readonly status: number;
  readonly description: string;
  readonly headers: readonly (readonly [string, Header])[];
  readonly content: readonly (readonly [string, Media])[];
  /** Of an error: its codes. */
  readonly codes: readonly string[];
};

/** What stands at a reference of the document; throws where nothing does. */
export const resolve = (document: Document, reference: string): unknown => {
  let value: unknown = document;
  for (const part of reference.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (value === undefined) throw new Error(`The document has nothing at ${reference}.`);
  return value;
};

const dereferenced = <Value extends object>(document: Document, value: Value | Reference): Value =>
  '$ref' in value ? (resolve(document, value.$ref) as Value) : value;

/** The name of the schema that a reference means. */
export const schemaName = (reference: string): string => reference.split('/').at(-1) ?? '';

const codesOf = (schema: Schema | undefined): readonly string[] =>
  (schema?.properties?.['errors']?.items?.properties?.['code']?.enum ?? []).map(String);

const responseOf = (document: Document, status: string, entry: Response | Reference): ToldResponse => {
  const { description, headers = {}, content = {} } = dereferenced(document, entry);
  return {
    status: Number(status),
    description,
    headers: Object.entries(headers).map(([name, header]) => [name, dereferenced(document, header)]),
    content: Object.entries(content),
    codes: codesOf(content['application/json']?.schema),
  };
};

/** Every operation of the document, in its order. */
export const operationsOf = (document: Document): readonly Told[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
      parameters: operation.parameters.map((parameter) => dereferenced(document, parameter)),
      body: operation.requestBody?.content['application/json'] ?? null,
      responses: Object.entries(operation.responses).map(([status, entry]) => responseOf(document, status, entry)),
    })),
  );

/** Every error code, with its status, meaning and remedy. */
export const errorCodesOf = ({ components }: Document): ErrorCodes => {
  const codes = components.schemas['ErrorObject']?.properties?.['code']?.['x-error-codes'];
  if (!codes) throw new Error('The document tells no error codes.');
  return codes;
};

/** The part of a Markdown text under a heading of the second level, or before the first one. */
export const partOf = (text: string, heading: string | null): string => {
  const [lead = '', ...parts] = text.split(/^## /m);
  if (heading === null) return lead.trim();
  const part = parts.find((one) => one.startsWith(`${heading}\n`));
  if (part === undefined) throw new Error(`The introduction has no part "${heading}".`);
  return part.slice(heading.length).trim();
};
