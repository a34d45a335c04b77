import { type Field, fieldList, schemaFields } from './fields.ts';
import { html, type Markup, type Part } from './html.ts';
import { blocks, inline } from './markdown.ts';
import { components, errorCodes, type Header, isPublic, type Operation, type Response, schemaName } from './openapi.ts';
import { exampleColumn } from './samples.ts';
import { tryForm } from './try-form.ts';

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

const codesOf = ({ content }: Response): readonly string[] => {
  const errors = content?.['application/json']?.schema?.properties?.['errors'];
  return (errors?.items?.properties?.['code']?.enum ?? []).map(String);
};

const responseItem = ([status, response]: readonly [string, Response]): Markup => {
  const isError = status >= '400';
  const [title = ''] = response.description.split('\n');
  const codes = codesOf(response);
  return html`<li><p><span class="${isError ? 'status' : 'status ok'}">${status}</span> ${inline(isError ? title : response.description)} ${!isError && bodyLinks(response)}</p>
${codes.length > 0 && html`<ul class="codes">${codes.map((code) => html`<li><a href="#error-${code}"><code>${code}</code></a> ${inline(errorCodes[code]?.meaning ?? '')}</li>`)}</ul>`}
${headerList(Object.entries(response.headers ?? {}))}</li>`;
};

const responseList = ({ responses }: Operation): Markup => {
  const entries = Object.entries(responses);
  const errors = entries.filter(([status]) => status >= '400');
  const count = errors.reduce((sum, [, response]) => sum + codesOf(response).length, 0);
  return html`<h4>Responses</h4>
<ul class="answers">${entries.filter((entry) => !errors.includes(entry)).map(responseItem)}</ul>
<details class="errors"><summary>${count} error codes: ${errors.map(([status]) => status).join(', ')}</summary><ul class="answers">${errors.map(responseItem)}</ul></details>`;
};

/** An operation: description, parameters, body, responses, examples and a form to try it. */
export const operationArticle = (operation: Operation): Markup => {
  const { operationId: id, method, path, summary } = operation;
  // The description ends with the scope, which the page shows beside the path.
  const [description = '', scope] = operation.description.split(/\n\nThe credential needs the scope `(\w+)`\.$/);
  if (!scope && !isPublic(operation)) throw new Error(`The description of ${id} has no scope.`);
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
