import { assert } from '../base/assert.ts';
import { codeBlock, prettyJson } from './code.ts';
import { html, type Markup } from './html.ts';
import { isPublic, type Operation } from './openapi.ts';

/** An example request: its path with example values, its body, and whether it needs a key and returns JSON. */
type Example = Pick<Operation, 'summary' | 'method' | 'path'> & {
  readonly body?: unknown;
  readonly key: boolean;
  readonly json: boolean;
};

const pathOf = ({ path, parameters }: Operation): string => {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, example } of parameters) {
    assert(place !== 'path' || example !== undefined, `${path}: the parameter ${name} has no example.`);
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(example)));
    if (place === 'query' && example !== undefined) query.set(name, String(example));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
};

const successes = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => status < '300');

/** The example requests of an operation: one for each example body, or one without a body. */
export const examplesOf = (operation: Operation): readonly Example[] => {
  const { method, summary, requestBody } = operation;
  const json = successes(operation).some(([, { content = {} }]) => 'application/json' in content);
  const example = { summary, method, path: pathOf(operation), key: !isPublic(operation), json };
  const bodies = requestBody?.content['application/json']?.examples;
  if (!bodies) return [example];
  return Object.values(bodies).map((body) => ({ ...example, summary: body.summary, body: body.value }));
};

const curl = ({ method, path, body, key }: Example): string => {
  const parts = [
    `curl -sS${method === 'POST' && !body ? ' -X POST' : ''} "$LEVY${path}"`,
    key && '-H "X-API-Key: $LEVY_KEY"',
    body && "-H 'Content-Type: application/json'",
    body && `-d '${prettyJson(body).replaceAll("'", `'\\''`)}'`,
  ];
  return parts.filter(Boolean).join(' \\\n  ');
};

const typescript = ({ method, path, body, key, json }: Example): string => {
  const headers = [key && '"X-API-Key": LEVY_KEY', body && '"Content-Type": "application/json"'].filter(Boolean);
  const options = [
    method !== 'GET' && `method: "${method}"`,
    key && `headers: { ${headers.join(', ')} }`,
    body && `body: JSON.stringify(${prettyJson(body, '  ')})`,
  ].filter(Boolean);
  return `const { LEVY${key ? ', LEVY_KEY = ""' : ''} } = process.env;
const response = await fetch(\`\${LEVY}${path}\`${options.length > 0 ? `, {\n  ${options.join(',\n  ')},\n}` : ''});
console.log(await response.${json ? 'json' : 'text'}());`;
};

const pythonScalar = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
};

const python = ({ method, path, body, key, json }: Example): string => {
  const args = [
    `f"{os.environ['LEVY']}${path}"`,
    key && `headers={"X-API-Key": os.environ["LEVY_KEY"]}`,
    body && `json=${prettyJson(body, '    ', pythonScalar)}`,
  ];
  return `import os
import requests

response = requests.${method.toLowerCase()}(
    ${args.filter(Boolean).join(',\n    ')},
)
print(response.${json ? 'json()' : 'text'})`;
};

const sample = (example: Example): Markup => {
  const samples = [
    { language: 'sh', label: 'curl', code: curl(example) },
    { language: 'ts', label: 'TypeScript', code: typescript(example) },
    { language: 'py', label: 'Python', code: python(example) },
    ...(example.body ? [{ language: 'json', label: 'JSON', code: prettyJson(example.body) }] : []),
  ];
  return html`<div class="samples"><p class="languages" role="group" aria-label="Language">${samples.map(({ language, label }) => html`<button type="button" data-choose="${language}">${label}</button>`)}</p>
${samples.map(({ language, label, code }) => html`<div data-language="${language}">${codeBlock(code, language, `${example.summary}: ${label}`)}</div>`)}</div>`;
};

const exampleResponses = (operation: Operation): readonly Markup[] =>
  successes(operation).flatMap(([status, { description, content = {} }]) =>
    Object.entries(content)
      .filter(([, { example }]) => example !== undefined)
      .map(([type, { example }]) => {
        const isText = type !== 'application/json';
        const code = isText ? String(example).replaceAll('\r\n', '\n').trimEnd() : prettyJson(example);
        return html`<details class="example"><summary><span class="status ok">${status}</span> ${isText ? `The same as ${type}` : description}</summary>${codeBlock(code, isText ? 'text' : 'json', `Response ${status}`)}</details>`;
      }),
  );

/** The example requests of an operation in each language, and its example responses. */
export const exampleColumn = (operation: Operation): Markup => {
  const examples = examplesOf(operation);
  const responses = exampleResponses(operation);
  return html`<h4>Example</h4>
${examples.map((example) => html`<details class="example" name="${operation.operationId}-examples"${example === examples[0] && html` open`}><summary>${example.summary}</summary>${sample(example)}</details>`)}
${responses.length > 0 && html`<h4>Response</h4>${responses}`}`;
};
