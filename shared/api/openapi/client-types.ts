import { type Code, errorStatuses } from '../../base/error-codes.ts';
import type { Content, Document, Named, Operation, Parameter, Response, Schema } from './types.ts';

const member = (name: string, type: string, { isOptional = false, description = '' } = {}): string => {
  const comment = description && `/** ${description.replaceAll('*/', '*\\/')} */\n`;
  return `${comment}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isOptional ? '?' : ''}: ${type};`;
};
const block = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`.replaceAll(/\n(?!}$)/g, '\n  ');
const writeBlock = <Value>(values: Named<Value>, toMember: (name: string, value: Value) => string): string =>
  block(Object.entries(values).map(([name, value]) => toMember(name, value)));
const union = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(' | ');

/** `#/components/schemas/Sale` as `components["schemas"]["Sale"]`. */
const indexed = (reference: string): string => {
  const [, first, ...names] = reference.split('/');
  return `${first}${names.map((name) => `["${name}"]`).join('')}`;
};

const objectType = ({ properties, required = [], additionalProperties: others }: Schema): string => {
  const record = `Record<string, ${typeof others === 'object' ? schemaType(others) : 'unknown'}>`;
  if (!properties) return record;
  const own = writeBlock(properties, (name, schema) =>
    member(name, schemaType(schema), { isOptional: !required.includes(name), ...schema }),
  );
  return others ? `${own} & ${record}` : own;
};

const schemaType = (schema: Schema): string => {
  const { $ref, type, anyOf, allOf } = schema;
  const values = 'const' in schema ? [schema.const] : (schema['x-extensible-enum'] ?? schema.enum);
  if ($ref) return indexed($ref);
  if (values) return union(values);
  if (anyOf) return anyOf.map(schemaType).join(' | ');
  if (allOf) return allOf.map(schemaType).join(' & ');
  if (Array.isArray(type)) return type.map((one) => schemaType({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `(${schemaType(schema.items ?? {})})[]`;
  if (type === 'object') return objectType(schema);
  return type === 'integer' ? 'number' : String(type ?? 'unknown');
};

const contentType = (content: Content): string =>
  writeBlock(content, (media, { schema }) => member(media, schemaType(schema)));

/** Returns the type of the errors with these codes and their statuses. */
const errorsType = (codes: readonly Code[]): string => {
  const statuses = new Set(codes.map((code) => String(errorStatuses[code])));
  const own = block([member('status', union([...statuses])), member('code', union(codes))]);
  return block([member('errors', `(components["schemas"]["ErrorObject"] & ${own})[]`)]);
};

const responseType = ({ $ref, content, 'x-codes': codes }: Response): string => {
  if ($ref) return indexed($ref);
  const body = codes ? block([member('application/json', errorsType(codes))]) : content && contentType(content);
  return body ? block([member('content', body)]) : 'unknown';
};

/** The path and query parameters. Headers are options of a client call. */
const parametersType = (parameters: readonly Parameter[]): string =>
  block(
    (['path', 'query'] as const).flatMap((place) => {
      const own = parameters.filter((parameter) => parameter.in === place);
      const members = own.map(({ name, schema, required, description }) =>
        member(name, schemaType(schema), { isOptional: !required, description }),
      );
      return own.length > 0
        ? [member(place, block(members), { isOptional: !own.some(({ required }) => required) })]
        : [];
    }),
  );

const operationType = ({ parameters, requestBody, responses }: Operation): string =>
  block([
    member('parameters', parametersType(parameters)),
    ...(requestBody ? [member('requestBody', block([member('content', contentType(requestBody.content))]))] : []),
    member(
      'responses',
      writeBlock(responses, (status, response) => member(status, responseType(response), response)),
    ),
  ]);

const pathType = (methods: Named<Operation>): string =>
  block(
    ['get', 'post'].map((method) => {
      const operation = methods[method];
      return operation ? member(method, indexed(`#/operations/${operation.operationId}`)) : `${method}?: never;`;
    }),
  );

/**
 * Generates the types of the TypeScript client. Supports only the keywords in Levy's OpenAPI document.
 * openapi-typescript is not used because it requires TypeScript 5, and Levy uses 7.
 */
export const clientTypes = (document: string): string => {
  const { paths, components } = JSON.parse(document) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const schemas = writeBlock(components.schemas, (name, schema) => member(name, schemaType(schema), schema));
  const responses = writeBlock(components.responses, (name, response) =>
    member(name, responseType(response), response),
  );
  return [
    '// Generated by `npm run pack` from the OpenAPI document.',
    `export interface paths ${writeBlock(paths, (path, methods) => member(path, pathType(methods)))}`,
    `export interface components ${block([member('schemas', schemas), member('responses', responses)])}`,
    `export interface operations ${block(operations.map((one) => member(one.operationId, operationType(one), one)))}\n`,
  ].join('\n');
};
