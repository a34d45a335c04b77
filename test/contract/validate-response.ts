import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '../../shared/api/openapi.json' with { type: 'json' };

/** One request and what was answered, whoever sent it. */
export type Exchange = {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; `null` where there is none. */
  readonly body: unknown;
};

type Reference = { readonly $ref: string };
type Header = { readonly required?: boolean; readonly schema: object };
type Content = Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>;
type Response = {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
  readonly 'x-codes'?: readonly string[];
};
type Operation = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response | Reference>>;
};

const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The value at a JSON Pointer of the document (`#/components/…`); throws if there is none. */
export const resolve = <Value>(reference: string): Value => {
  const parts = reference.split('/').slice(1);
  let value: unknown = document;
  for (const part of parts)
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[
      part.replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  if (value === undefined) throw new Error(`The document has nothing at ${reference}.`);
  return value as Value;
};

const dereferenced = <Value extends object>(value: Value | Reference): Value =>
  '$ref' in value ? resolve(value.$ref) : (value as Value);

// In strict mode ajv would refuse the document's own keywords. Formats are of use with their patterns, which are checked.
const settings = { strict: false, formats: { 'date-time': true, date: /^\d{4}-\d{2}-\d{2}$/ } } as const;

const withOpenEnums = (ajv: Ajv2020): Ajv2020 =>
  // Clients accept new values, but Levy sends only the documented ones.
  ajv.addKeyword({ keyword: 'x-extensible-enum', macro: (values: readonly string[]) => ({ enum: values }) });

/** Validators by schema, each compiled once. References in the document start at its root: each carries the components. */
const compilerOf = (ajv: Ajv2020) => {
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema: object): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile({ allOf: [schema], components: document.components });
    compiled.set(schema, validate);
    return validate;
  };
};
const verdictBy = compilerOf(withOpenEnums(new Ajv2020(settings)));
const problemsBy = compilerOf(withOpenEnums(new Ajv2020({ ...settings, allErrors: true })));

/** The problems of a value by a schema of the document, as text. */
export const schemaProblems = (schema: object, value: unknown): string[] => {
  // Most are right, and the verdict alone is the cheaper one.
  if (verdictBy(schema)(value)) return [];
  const validate = problemsBy(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || '/'} ${message} ${JSON.stringify(params)}`.trim(),
  );
};

const expressionOf = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const templates = Object.keys(paths).map((template) => ({ template, expression: expressionOf(template) }));

// API Gateway ignores a slash at the end.
const templateOf = (path: string) => {
  const plain = path.replace(/\/?(\?.*)?$/s, '');
  return templates.find(({ expression }) => expression.test(plain))?.template;
};

const headerProblems = (response: Response, headers: Headers): string[] =>
  Object.entries(response.headers ?? {}).flatMap(([name, entry]) => {
    const { required, schema } = dereferenced(entry);
    const value = headers.get(name);
    if (value === null) return required ? [`header ${name} is missing`] : [];
    return schemaProblems(schema, value).map((problem) => `header ${name}: ${problem}`);
  });

const codeProblems = ({ 'x-codes': codes }: Response, { status, body }: Exchange): string[] => {
  const { errors = [] } = (body ?? {}) as {
    readonly errors?: readonly { readonly status: string; readonly code: string }[];
  };
  return codes === undefined
    ? []
    : errors
        .filter((error) => error.status !== String(status) || !codes.includes(error.code))
        .map((error) => `the error ${error.status} ${error.code} is not documented`);
};

const bodyProblems = ({ content }: Response, { headers, body }: Exchange): string[] => {
  if (!content) return body === null ? [] : ['a body came where none is documented'];
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
  const media = content[type.trim().toLowerCase()];
  if (!media) return [`the content type "${type}" is not documented`];
  return media.schema ? schemaProblems(media.schema, body) : [];
};

const unknownPath: Response = {
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  'x-codes': ['not_found'],
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
};

/** The documented response of an exchange, or in a word why there is none. */
const responseOf = ({ method, path, status }: Exchange): Response | string => {
  const template = templateOf(path);
  // No operation has it: the gateway answers.
  if (template === undefined) return status === 404 ? unknownPath : 'an unknown path';
  const operation = paths[template]?.[method.toLowerCase()];
  // No operation has it: it is the path that answers.
  if (!operation && status === 405) return resolve('#/components/responses/MethodNotAllowed');
  const response = operation?.responses[String(status)];
  return response ? dereferenced(response) : `${operation?.operationId ?? 'no operation'} has no ${status}`;
};

/** Where an answer differs from the OpenAPI document: nothing, if it keeps the contract. */
export const problemsOf = (exchange: Exchange): string[] => {
  // Only of `npm start`, and no part of the API.
  if (exchange.path.startsWith('/_local/')) return [];
  const response = responseOf(exchange);
  const found =
    typeof response === 'string'
      ? [`not documented: ${response}`]
      : [
          ...headerProblems(response, exchange.headers),
          // HEAD has headers only.
          ...(exchange.method === 'HEAD' ? [] : bodyProblems(response, exchange)),
          ...codeProblems(response, exchange),
        ];
  return found.map((problem) => `${exchange.method} ${exchange.path} ${exchange.status}: ${problem}`);
};
