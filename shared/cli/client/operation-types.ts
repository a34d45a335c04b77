import type { Operation, Parameter, Response } from './operations.ts';
import { comment, propertyName, type Schema, typeOf } from './schema-type.ts';

// The client sends these itself, by its settings.
const ownHeaders = new Set(['Service-Version']);
// Whoever sends it must reckon with 304, and so it has a signature of its own.
const conditional = 'If-None-Match';

const capitalized = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

const parameterType = ({ name, description, required, schema }: Parameter): string => {
  const type = typeOf(schema, '    ');
  // A number is what a caller has; the text of one is what a query carries.
  const accepted = schema.type === 'integer' ? 'number' : type;
  const declared = required ? `: ${accepted}` : `?: ${accepted} | undefined`;
  return `${comment(description, '    ')}    readonly ${propertyName(name)}${declared};\n`;
};

const groupOf = ({ parameters }: Operation, place: Parameter['in'], name: string): string => {
  const own = parameters.filter((one) => one.in === place && !ownHeaders.has(one.name) && one.name !== conditional);
  if (own.length === 0) return '';
  const mark = own.some(({ required }) => required) ? ':' : '?:';
  const end = mark === ':' ? '}' : '} | undefined';
  return `  readonly ${name}${mark} {\n${own.map(parameterType).join('')}  ${end};\n`;
};

/** What an operation is called with, as a type. */
export const requestType = (operation: Operation): string => {
  const groups = [
    groupOf(operation, 'path', 'path'),
    groupOf(operation, 'query', 'query'),
    groupOf(operation, 'header', 'headers'),
    operation.body ? `  readonly body: ${typeOf(operation.body, '  ')};\n` : '',
  ].join('');
  const type = groups === '' ? '{ readonly query?: undefined }' : `{\n${groups}}`;
  return `export type ${capitalized(operation.id)}Request = ${type};\n`;
};

const codesOf = (schema: Schema | undefined): readonly unknown[] | undefined => {
  const code = schema?.properties?.['errors']?.items?.properties?.['code'];
  return code?.enum ?? (code?.const === undefined ? undefined : [code.const]);
};

const refusalType = ({ status, content }: Response): string => {
  const codes = codesOf(content['application/json']?.schema);
  const problem = codes ? `ErrorObject & { readonly code: ${typeOf({ enum: codes })} }` : 'ErrorObject';
  return `  | Refusal<${status}, ${problem}>`;
};

const successesOf = (operation: Operation, type: string): string[] =>
  operation.responses
    .filter(({ status, content }) => status < 300 && content[type])
    .map(({ status, content }) => {
      const data = type === 'application/json' ? typeOf(content[type]?.schema ?? {}, '  ') : 'string';
      return `Success<${status}, ${data}>`;
    });

const refusalsName = ({ id }: Operation) => `${capitalized(id)}Refusal`;

/** Everything that an operation may refuse with, as a type: the status decides which codes there are. */
export const refusalsType = (operation: Operation): string => {
  const refusals = operation.responses.filter(({ status }) => status >= 400).map(refusalType);
  return `export type ${refusalsName(operation)} =\n${refusals.join('\n')};\n`;
};

const isNeeded = ({ parameters, body }: Operation) => body !== undefined || parameters.some(({ required }) => required);

/** An operation as the methods of the client's type: one more for each other type of answer that it has. */
export const methodsType = (operation: Operation): string => {
  const { id, summary, parameters, responses } = operation;
  const request = `${capitalized(id)}Request`;
  const types = [...new Set(responses.flatMap(({ status, content }) => (status < 300 ? Object.keys(content) : [])))];
  const [first = 'application/json', ...others] = types;
  const method = (asked: string, answers: readonly string[]) =>
    `    (request${asked}, options?: CallOptions): Promise<${[...answers, refusalsName(operation)].join(' | ')}>;\n`;
  const plain = successesOf(operation, first);
  const accepting = others.map((type) =>
    method(`: ${request} & { readonly accept: '${type}' }`, successesOf(operation, type)),
  );
  const asking = parameters.some(({ name }) => name === conditional)
    ? method(`: ${request} & { readonly headers: { readonly '${conditional}': string } }`, [
        ...plain,
        'Success<304, null>',
      ])
    : '';
  // The last one is what `everyItem` sees.
  const usual = method(isNeeded(operation) ? `: ${request}` : `?: ${request}`, plain);
  return `${comment(`${operation.method} ${operation.path}: ${summary}`, '  ')}  readonly ${id}: {\n${accepting.join('')}${asking}${usual}  };\n`;
};
