import { readFileSync } from 'node:fs';
import { methodsType, refusalsType, requestType } from './operation-types.ts';
import { type Document, type Operation, operationsOf } from './operations.ts';
import { comment, type Schema, typeOf } from './schema-type.ts';

const runtime = () => readFileSync(new URL('runtime.ts', import.meta.url), 'utf8');

const schemaTypes = (document: Document): string =>
  Object.entries(document.components.schemas as Record<string, Schema>)
    .map(([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`)
    .join('\n');

const definition = ({ id, method, path, takesKey, changesNothing }: Operation): string =>
  `  ${id}: { method: '${method}', path: '${path}', takesKey: ${takesKey}, changesNothing: ${changesNothing} },\n`;

const versionOf = ({ components }: Document): string => {
  const parameters = components.parameters as Record<string, { readonly schema: Schema } | undefined>;
  const version = parameters['ServiceVersion']?.schema.enum?.at(-1);
  if (typeof version !== 'string') throw new Error('The document names no Service-Version.');
  return version;
};

const refuseSameNames = (text: string): string => {
  const names = [...text.matchAll(/^(?:export )?(?:type|class|const|async function\*) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`These names would stand twice in the client: ${twice.join(', ')}.`);
  return text;
};

/**
 * The TypeScript client of an OpenAPI document: one file that imports nothing.
 *
 * The same document gives the same text. The part that sends requests is `runtime.ts`, as it is.
 */
export const clientText = (document: Document): string => {
  const operations = operationsOf(document);
  return refuseSameNames(`// The client of the Levy API, made by \`npm run client\`. Do not edit: make it again.

${runtime()}
${schemaTypes(document)}
${operations.map((operation) => `${requestType(operation)}${refusalsType(operation)}`).join('\n')}
/** The operations of the API. Each answers what it was refused with (\`ok: false\`), and throws only what nobody answered. */
export type Client = {
${operations.map(methodsType).join('')}};

const operations: { readonly [name: string]: OperationDefinition } = {
${operations.map(definition).join('')}};

/** Make a client: \`createClient({ url: 'http://127.0.0.1:3000', apiKey: 'levy_demo' })\`. */
export const createClient = (settings: Settings): Client => {
  const send = senderOf(settings, '${versionOf(document)}');
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (request?: Sent, options?: CallOptions) => send(name, operation, request, options),
    ]),
  ) as unknown as Client;
};
`);
};
