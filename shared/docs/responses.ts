import { fieldList } from './fields.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Markdown } from './markdown.ts';
import type { Document, Header } from './openapi.ts';
import { errorCodesOf, schemaName, type Told, type ToldResponse } from './reading.ts';

const headerList = (headers: readonly (readonly [string, Header])[], markdown: Markdown): Part =>
  headers.length > 0 &&
  html`<details class="inside"><summary>${headers.length} headers</summary>${fieldList(
    headers.map(([name, { description, required, schema }]) => ({
      name,
      description,
      schema,
      presence: required ? ('always there' as const) : ('sometimes there' as const),
    })),
    markdown,
  )}</details>`;

const bodyOf = ({ content }: ToldResponse): Part =>
  content.map(([type, { schema }], at) => [
    at > 0 && ', or ',
    schema?.$ref
      ? html`<a href="#schema-${schemaName(schema.$ref)}">${schemaName(schema.$ref)}</a>`
      : html`<code>${type}</code>`,
  ]);

const success = (response: ToldResponse, markdown: Markdown): Markup =>
  html`<li><p><span class="status ok">${response.status}</span> ${markdown.line(response.description)} ${bodyOf(response)}</p>${headerList(response.headers, markdown)}</li>`;

const failure = (
  document: Document,
  { status, description, headers, codes }: ToldResponse,
  markdown: Markdown,
): Markup => {
  const known = errorCodesOf(document);
  const [title = ''] = description.split('\n');
  return html`<li><p><span class="status">${status}</span> ${markdown.line(title)}</p>
<ul class="codes">${codes.map((code) => html`<li><a href="#error-${code}"><code>${code}</code></a> ${markdown.line(known[code]?.meaning ?? '')}</li>`)}</ul>
${headerList(headers, markdown)}</li>`;
};

/** What an operation answers: its successes whole, and its errors folded. */
export const responseList = (document: Document, { responses }: Told, markdown: Markdown): Markup => {
  const good = responses.filter(({ status }) => status < 400);
  const bad = responses.filter(({ status }) => status >= 400);
  const codes = bad.reduce((sum, response) => sum + response.codes.length, 0);
  return html`<h4>Answers</h4>
<ul class="answers">${good.map((response) => success(response, markdown))}</ul>
<details class="errors"><summary>${codes} error codes: ${bad.map(({ status }) => status).join(', ')}</summary><ul class="answers">${bad.map((response) => failure(document, response, markdown))}</ul></details>`;
};
