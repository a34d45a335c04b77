import type { Header, Parameter, Response } from '../api/openapi/types.ts';
import { assert } from '../base/assert.ts';
import { type Field, fieldList, schemaFields } from './fields.ts';
import { blocks, codeBlock, html, inline, type Markup, type Part, prettyJson } from './markup.ts';
import { components, errorCodes, isPublic, type Operation, schemaName } from './openapi.ts';

/** An example request: an operation with example values of its parameters, and a body. */
type Example = Pick<Operation, 'summary' | 'method' | 'path' | 'operationId' | 'tags'> & {
  readonly parameters: readonly Parameter[];
  readonly body?: unknown;
  /** The name of the body's schema. */
  readonly bodySchema?: string;
  readonly isPublic: boolean;
};

const successes = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => status < '300');

/** Returns the example requests of an operation: one per example body, or one without a body. */
const listExamples = (operation: Operation): readonly Example[] => {
  const parameters = operation.parameters.filter(
    ({ in: place, example }) => place !== 'header' && example !== undefined,
  );
  const example = { ...operation, parameters, isPublic: isPublic(operation) };
  const { schema, examples } = operation.requestBody?.content['application/json'] ?? {};
  if (!examples) return [example];
  const bodySchema = schemaName(schema?.$ref ?? '');
  return Object.values(examples).map(({ summary, value }) => ({ ...example, summary, body: value, bodySchema }));
};

const valuesIn = ({ parameters }: Example, place: 'path' | 'query'): Record<string, string> =>
  Object.fromEntries(
    parameters.filter(({ in: at }) => at === place).map(({ name, example }) => [name, String(example)]),
  );

const curl = (example: Example): string => {
  const { method, path, body } = example;
  const values = valuesIn(example, 'path');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    assert(value !== undefined, `${path}: the parameter ${name} has no example.`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(valuesIn(example, 'query')).toString();
  const parts = [
    `curl -sS${method === 'POST' && !body ? ' -X POST' : ''} "$LEVY${filled}${query && `?${query}`}"`,
    !example.isPublic && '-H "X-API-Key: $LEVY_KEY"',
    body && "-H 'Content-Type: application/json'",
    body && `-d '${prettyJson(body).replaceAll("'", `'\\''`)}'`,
  ];
  return parts.filter(Boolean).join(' \\\n  ');
};

/** The request with the client of shared/client. */
const typescript = (example: Example): string => {
  const { method, path, body } = example;
  const input = Object.entries({ path: valuesIn(example, 'path'), query: valuesIn(example, 'query'), body })
    .filter(([, value]) => value !== undefined && Object.keys(value ?? {}).length > 0)
    .map(([name, value]) => `  ${name}: ${prettyJson(value, '  ')},\n`);
  return `import { createClient, orThrow } from 'levy-client';

const { LEVY = '', LEVY_KEY = '' } = process.env;
const levy = createClient({ url: LEVY, apiKey: LEVY_KEY });
const result = await levy.${method.toLowerCase()}('${path}'${input.length > 0 ? `, {\n${input.join('')}}` : ''});
console.log(orThrow(result));`;
};

const pythonScalar = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
};

const snakeCase = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll(' ', '_')
    .toLowerCase();

// The generator appends an underscore to keywords of Python.
const pythonName = (name: string): string => (name === 'from' ? 'from_' : name);

const pythonParameter = ({ schema, example }: Parameter): string =>
  schema.format === 'date' ? `date.fromisoformat(${JSON.stringify(example)})` : pythonScalar(example);

/** The request with the client of integrations/python. */
const python = ({ operationId, tags, parameters, body, bodySchema }: Example): string => {
  const name = snakeCase(operationId);
  const args = [
    ...parameters.filter(({ in: place }) => place === 'path').map(pythonParameter),
    'client=levy',
    ...parameters
      .filter(({ in: place }) => place === 'query')
      .map((parameter) => `${pythonName(parameter.name)}=${pythonParameter(parameter)}`),
    ...(bodySchema ? ['body=body'] : []),
  ];
  const lines = [
    'import os',
    ...(args.some((text) => text.includes('date.fromisoformat')) ? ['from datetime import date'] : []),
    '',
    'from levy_client import connect, or_raise',
    `from levy_client.generated.api.${snakeCase(tags[0] ?? '')} import ${name}`,
    ...(bodySchema ? [`from levy_client.generated.models import ${bodySchema}`] : []),
    '',
    'levy = connect(os.environ["LEVY"], api_key=os.environ["LEVY_KEY"])',
    ...(bodySchema ? [`body = ${bodySchema}.from_dict(${prettyJson(body, '', pythonScalar)})`] : []),
    `print(or_raise(${name}.sync_detailed(${args.join(', ')})))`,
  ];
  return lines.join('\n');
};

const sample = (example: Example): Markup => {
  const samples = [
    { language: 'sh', label: 'curl', code: curl(example) },
    ...(example.isPublic
      ? []
      : [
          { language: 'ts', label: 'TypeScript', code: typescript(example) },
          { language: 'py', label: 'Python', code: python(example) },
        ]),
    ...(example.body ? [{ language: 'json', label: 'JSON', code: prettyJson(example.body) }] : []),
  ];
  return html`<div class="samples"><p class="languages" role="group" aria-label="Language">${samples.map(({ language, label }) => html`<button type="button" data-choose="${language}">${label}</button>`)}</p>
${samples.map(({ language, label, code }) => html`<div data-language="${language}">${codeBlock(code, language, `${example.summary}: ${label}`)}</div>`)}</div>`;
};

const exampleResponses = (operation: Operation): readonly Markup[] =>
  successes(operation).flatMap(([status, { description, content = {} }]) =>
    Object.entries(content)
      .filter(([, { example }]) => example !== undefined)
      .map(([type, { example }], at) => {
        const isText = type !== 'application/json';
        const code = isText ? String(example).replaceAll('\r\n', '\n').trimEnd() : prettyJson(example);
        return html`<details class="example"${at === 0 && html` open`}><summary><span class="status ok">${status}</span> ${isText ? `The same as ${type}` : description}</summary>${codeBlock(code, isText ? 'text' : 'json', `Response ${status}`)}</details>`;
      }),
  );

/** Renders the example requests of an operation in each language, and its example responses. */
const exampleColumn = (operation: Operation): Markup => {
  const examples = listExamples(operation);
  const responses = exampleResponses(operation);
  return html`<h4>Example</h4>
${examples.map((example) => html`<details class="example" name="${operation.operationId}-examples"${example === examples[0] && html` open`}><summary>${example.summary}</summary>${sample(example)}</details>`)}
${responses.length > 0 && html`<h4>Response</h4>${responses}`}`;
};

const titles = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

const parametersIn = ({ operationId, parameters }: Operation, place: keyof typeof titles): Part => {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(
      (parameter): Field => ({
        ...parameter,
        id: `${operationId}.${parameter.name}`,
        presence: parameter.required ? 'required' : 'optional',
      }),
    );
  if (fields.length === 0) return null;
  if (place !== 'header') return html`<h4>${titles[place]}</h4>${fieldList(fields)}`;
  // Most operations have the same headers, so they are collapsed.
  return html`<details class="inside"><summary>${fields.length === 1 ? '1 header' : `${fields.length} headers`}: ${fields.map(({ name }) => name).join(', ')}</summary>${fieldList(fields)}</details>`;
};

const bodyFields = ({ operationId, requestBody }: Operation): Part => {
  const name = schemaName(requestBody?.content['application/json']?.schema?.$ref ?? '');
  const schema = components.schemas[name];
  return (
    schema &&
    html`<h4>Body: <a href="#schema-${name}">${name}</a></h4>${schemaFields(schema, { prefix: `${operationId}.body`, isDeep: true })}`
  );
};

const headerList = (headers: readonly (readonly [string, Header])[]): Part =>
  headers.length > 0 &&
  html`<details class="inside"><summary>${headers.length} headers</summary>${fieldList(
    headers.map(([name, header]) => ({
      name,
      ...header,
      presence: header.required ? 'always present' : 'may be absent',
    })),
  )}</details>`;

const bodyLinks = ({ content = {} }: Response): Part =>
  Object.entries(content).map(([type, { schema }], at) => {
    const name = schemaName(schema?.$ref ?? '');
    return [at > 0 && ', or ', name ? html`<a href="#schema-${name}">${name}</a>` : html`<code>${type}</code>`];
  });

const listCodes = (response: Response): readonly string[] => response['x-codes'] ?? [];

const responseItem = ([status, response]: readonly [string, Response]): Markup => {
  const isError = status >= '400';
  const [title = ''] = response.description.split('\n');
  const codes = listCodes(response);
  return html`<li><p><span class="${isError ? 'status' : 'status ok'}">${status}</span> ${inline(isError ? title : response.description)} ${!isError && bodyLinks(response)}</p>
${codes.length > 0 && html`<ul class="codes">${codes.map((code) => html`<li><a href="#error-${code}"><code>${code}</code></a> ${inline(errorCodes[code]?.meaning ?? '')}</li>`)}</ul>`}
${headerList(Object.entries(response.headers ?? {}))}</li>`;
};

const responseList = ({ responses }: Operation): Markup => {
  const entries = Object.entries(responses);
  const errors = entries.filter(([status]) => status >= '400');
  const count = errors.reduce((sum, [, response]) => sum + listCodes(response).length, 0);
  return html`<h4>Responses</h4>
<ul class="responses">${entries.filter((entry) => !errors.includes(entry)).map(responseItem)}</ul>
<details class="errors"><summary>${count} error codes: ${errors.map(([status]) => status).join(', ')}</summary><ul class="responses">${errors.map(responseItem)}</ul></details>`;
};

const control = (id: string, { name, in: place, required, example, schema }: Parameter): Markup => {
  const values = schema.type === 'boolean' ? [true, false] : schema.enum?.filter((value) => value !== null);
  const common = html`id="${id}" name="${name}" data-in="${place}"${required && html` required`}`;
  if (values)
    return html`<select ${common}>${!required && html`<option value="">not sent</option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select>`;
  const isFilledIn = place !== 'header' && (place === 'path' || example !== undefined);
  const value = isFilledIn ? String(example ?? '') : '';
  const hint = isFilledIn ? '' : String(example ?? schema.examples?.[0] ?? schema.default ?? '');
  return html`<input ${common} value="${value}" placeholder="${hint}" autocomplete="off" autocapitalize="off" spellcheck="false">`;
};

const field = (operationId: string, parameter: Parameter): Markup => {
  const id = `try-${operationId}-${parameter.name.replaceAll(/\W+/g, '-')}`;
  return html`<div class="control"><label for="${id}"><code>${parameter.name}</code> <span class="presence">${parameter.in}</span></label>${control(id, parameter)}</div>`;
};

const bodyField = (operation: Operation): Part => {
  if (!operation.requestBody) return null;
  const examples = listExamples(operation);
  const id = `try-${operation.operationId}-body`;
  const text = prettyJson(examples[0]?.body);
  return html`<div class="control"><label for="${id}">Body <span class="presence">JSON</span></label>
${examples.length > 1 && html`<select data-examples aria-label="Start from an example">${examples.map(({ summary, body }) => html`<option value="${prettyJson(body)}">${summary}</option>`)}</select>`}
<textarea id="${id}" data-body rows="${Math.min(18, text.split('\n').length + 1)}" spellcheck="false" autocapitalize="off">${text}</textarea></div>`;
};

/** Renders a form that sends a request with the reader's key. It is hidden if the page's script does not run. */
const tryForm = (operation: Operation, writes: boolean): Markup => {
  const { operationId, method, path, parameters } = operation;
  const getField = (parameter: Parameter) => field(operationId, parameter);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const others = parameters.filter((parameter) => parameter.in !== 'path');
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}"${isPublic(operation) && html` data-public`} autocomplete="off"><div>
${inPath.map(getField)}
${bodyField(operation)}
${others.length > 0 && html`<details class="inside"><summary>${others.length === 1 ? '1 parameter' : `${others.length} parameters and headers`}</summary>${others.map(getField)}</details>`}
<p class="send"><button type="submit" class="primary">Send ${method}</button> <span class="hint">${writes && "Writes to your key's account."}</span></p></div>
<div class="result" role="status" aria-live="polite"><p class="hint">The response appears here: status, headers and body.</p></div>
</form></details>`;
};

/** Renders an operation: description, parameters, body, responses, examples and a form to try it. */
export const operationArticle = (operation: Operation): Markup => {
  const { operationId: id, method, path, summary } = operation;
  // The description ends with the scope, but the page shows the scope next to the path.
  const [description = '', scope] = operation.description.split(/\n\nThe credential needs the scope `(\w+)`\.$/);
  assert(scope !== undefined || isPublic(operation), `The description of ${id} has no scope.`);
  return html`<article class="operation" id="${id}" data-route="${method} ${path}" aria-labelledby="${id}-title">
<header><h3 id="${id}-title"><a class="self" href="#${id}">${summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="scope">${scope ? `scope ${scope}` : 'no key needed'}</span></p></header>
${tryForm(operation, scope === 'write')}
<div class="columns"><div class="tell">
<div class="text">${blocks(description)}</div>
${parametersIn(operation, 'path')}
${bodyFields(operation)}
${parametersIn(operation, 'query')}
${parametersIn(operation, 'header')}
${responseList(operation)}
</div><div class="show">
${exampleColumn(operation)}
</div></div></article>`;
};
