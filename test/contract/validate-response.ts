import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Document, Header, Named, Operation, Response } from '../../shared/api/openapi/types.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { getOrAdd } from '../../shared/base/collections.ts';
import type { Code } from '../../shared/base/error-codes.ts';

/** One request and its response, from any client. */
export type Exchange = {
  readonly method: string;
  /** Path, with or without a query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; `null` without a body. */
  readonly body: unknown;
};

const paths: Named<Named<Operation>> = (document as unknown as Document).paths;

/** Returns the value at a JSON Pointer of the document (`#/components/…`); throws if there is none. */
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

/** Resolves a part of the document that may be a reference. */
export const dereferenced = <Value extends object>(value: Value & { readonly $ref?: string }): Value =>
  value.$ref === undefined ? value : resolve(value.$ref);

// ajv's strict mode would reject the document's custom keywords. Formats are annotations; their patterns are checked.
const formats = { 'date-time': true, date: /^\d{4}-\d{2}-\d{2}$/ } as const;
// document.test.ts validates the schemas, and optimizing their code takes longer than it saves.
const settings = { strict: false, formats, validateSchema: false, meta: false, code: { optimize: false } } as const;

const withOpenEnums = (ajv: Ajv2020): Ajv2020 =>
  // Clients accept new enum values, but Levy sends only the documented ones.
  ajv.addKeyword({ keyword: 'x-extensible-enum', macro: (values: readonly string[]) => ({ enum: values }) });

/**
 * Validators by schema. Equal schemas share a validator, and all of them share the validators of components, so each is
 * compiled once.
 */
const getCompiler = (ajv: Ajv2020) => {
  ajv.addSchema({ $id: 'openapi', components: document.components });
  const byText = new Map<string, ValidateFunction>();
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema: object): ValidateFunction =>
    getOrAdd(compiled, schema, () => {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
      return getOrAdd(byText, text, () => ajv.compile(JSON.parse(text)));
    });
};
const verdictBy = getCompiler(withOpenEnums(new Ajv2020(settings)));
const problemsBy = getCompiler(withOpenEnums(new Ajv2020({ ...settings, allErrors: true })));

/** Returns the validation errors of a value against a schema of the document. */
export const schemaProblems = (schema: object, value: unknown): string[] => {
  // Most values are valid, and a check without error messages is faster.
  if (verdictBy(schema)(value)) return [];
  const validate = problemsBy(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || '/'} ${message} ${JSON.stringify(params)}`.trim(),
  );
};

const getExpression = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const templates = Object.keys(paths).map((template) => ({ template, expression: getExpression(template) }));

// API Gateway ignores a trailing slash.
const getTemplate = (path: string) => {
  const plain = path.replace(/\/?(\?.*)?$/s, '');
  return templates.find(({ expression }) => expression.test(plain))?.template;
};

const headerProblems = (response: Partial<Response>, headers: Headers): string[] =>
  Object.entries(response.headers ?? {}).flatMap(([name, entry]) => {
    const { required, schema } = dereferenced(entry);
    const value = headers.get(name);
    if (value === null) return required ? [`header ${name} is missing`] : [];
    return schemaProblems(schema, value).map((problem) => `header ${name}: ${problem}`);
  });

const codeProblems = ({ 'x-codes': codes }: Partial<Response>, { status, body }: Exchange): string[] => {
  const { errors = [] } = (body ?? {}) as {
    readonly errors?: readonly { readonly status: string; readonly code: Code }[];
  };
  return codes === undefined
    ? []
    : errors
        .filter((error) => error.status !== String(status) || !codes.includes(error.code))
        .map((error) => `the error ${error.status} ${error.code} is not documented`);
};

const bodyProblems = ({ content }: Partial<Response>, { headers, body }: Exchange): string[] => {
  if (!content) return body === null ? [] : ['a body came where none is documented'];
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
  const media = content[type.trim().toLowerCase()];
  if (!media) return [`the content type "${type}" is not documented`];
  return media.schema ? schemaProblems(media.schema, body) : [];
};

const unknownPath: Partial<Response> = {
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } as Header },
  'x-codes': ['not_found'],
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
};

/** Returns the documented response of an exchange, or why there is none. */
const getResponse = ({ method, path, status }: Exchange): Partial<Response> | string => {
  const template = getTemplate(path);
  // No operation has the path or method, so the gateway responds.
  if (template === undefined) return status === 404 ? unknownPath : 'an unknown path';
  const operation = paths[template]?.[method.toLowerCase()];
  // No operation has the method, so the ANY method of the path responds.
  if (!operation && status === 405) return resolve('#/components/responses/MethodNotAllowed');
  const response = operation?.responses[String(status)];
  return response ? dereferenced(response) : `${operation?.operationId ?? 'no operation'} has no ${status}`;
};

/** Returns the differences between a response and the OpenAPI document; empty if it matches. */
export const listProblems = (exchange: Exchange): string[] => {
  // Exists only in `npm start` and is not part of the API.
  if (exchange.path.startsWith('/_local/')) return [];
  const response = getResponse(exchange);
  const found =
    typeof response === 'string'
      ? [`not documented: ${response}`]
      : [
          ...headerProblems(response, exchange.headers),
          // HEAD returns headers only.
          ...(exchange.method === 'HEAD' ? [] : bodyProblems(response, exchange)),
          ...codeProblems(response, exchange),
        ];
  return found.map((problem) => `${exchange.method} ${exchange.path} ${exchange.status}: ${problem}`);
};
