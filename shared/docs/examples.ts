import { codeBlock, prettyJson } from './code-block.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Told, ToldResponse } from './reading.ts';

/** One request that works once what it refers to is there. */
export type Example = { readonly summary: string; readonly path: string; readonly body?: unknown };

const queryOf = (parameters: Told['parameters']): string => {
  const pairs = parameters.flatMap(({ name, in: place, example }): [string, string][] =>
    place === 'query' && example !== undefined ? [[name, String(example)]] : [],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
};

const pathWith = ({ path, parameters }: Told): string =>
  `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    if (example === undefined) throw new Error(`The path parameter ${name} of ${path} has no example.`);
    return encodeURIComponent(String(example));
  })}${queryOf(parameters)}`;

/** The requests that the document shows of an operation: one for each example of its body, or the one without a body. */
export const examplesOf = (told: Told): readonly Example[] => {
  const path = pathWith(told);
  if (!told.body) return [{ summary: told.operation.summary, path }];
  return Object.values(told.body.examples ?? {}).map(({ summary, value }) => ({ summary, path, body: value }));
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a command to paste, with the address and the key in variables. */
export const curlOf = ({ method, operation }: Told, { path, body }: Example): string => {
  const isPublic = operation.security?.length === 0;
  const parts = [
    `curl -sS${method === 'POST' && body === undefined ? ' -X POST' : ''} "$LEVY${path}"`,
    ...(isPublic ? [] : ['-H "X-API-Key: $LEVY_KEY"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(prettyJson(body))}`]),
  ];
  return parts.join(' \\\n  ');
};

const requestOf = (told: Told, example: Example): Markup => {
  const curl = codeBlock(curlOf(told, example), 'sh', `${example.summary}, as curl`);
  if (example.body === undefined) return curl;
  const json = codeBlock(prettyJson(example.body), 'json', `${example.summary}, as JSON`);
  return html`<div class="tabs" data-tabs><section data-tab="curl">${curl}</section><section data-tab="JSON">${json}</section></div>`;
};

const requestsOf = (told: Told): Part => {
  const examples = examplesOf(told);
  const [only] = examples;
  if (only && examples.length === 1)
    return [only.body !== undefined && html`<p class="caption">${only.summary}</p>`, requestOf(told, only)];
  return examples.map(
    (example, at) =>
      html`<details class="example" name="${told.id}-examples"${at === 0 && html` open`}><summary>${example.summary}</summary>${requestOf(told, example)}</details>`,
  );
};

const isSuccess = ({ status }: ToldResponse): boolean => status < 300;

const answersOf = ({ responses }: Told): readonly Markup[] =>
  responses.filter(isSuccess).flatMap(({ status, description, content }) =>
    content
      .filter(([, { example }]) => example !== undefined)
      .map(([type, { example }]) => {
        const isJson = type === 'application/json';
        const text = isJson ? prettyJson(example) : String(example).replaceAll('\r\n', '\n').trimEnd();
        return html`<details class="example"><summary><span class="status ok">${status}</span> ${isJson ? description : `The same as ${type}`}</summary>${codeBlock(text, isJson ? 'json' : 'text', `Answer ${status}`)}</details>`;
      }),
  );

/** The example requests of an operation as commands and as JSON, and what is answered. */
export const exampleColumn = (told: Told): Markup => {
  const answers = answersOf(told);
  return html`<h4>Example</h4>
${requestsOf(told)}
${answers.length > 0 && html`<h4>Answer</h4>${answers}`}`;
};
