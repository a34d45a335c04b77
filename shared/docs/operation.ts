import { exampleColumn } from './examples.ts';
import { type Field, fieldList, schemaFields } from './fields.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Markdown } from './markdown.ts';
import type { Document, Parameter } from './openapi.ts';
import { schemaName, type Told } from './reading.ts';
import { responseList } from './responses.ts';
import { tryIt } from './try-it.ts';

const places = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

const parameterField = ({ id }: Told, { name, description, schema, required }: Parameter): Field => ({
  id: `${id}.${name}`,
  name,
  description,
  schema,
  presence: required ? 'required' : 'optional',
});

const parametersIn = (told: Told, place: keyof typeof places, markdown: Markdown): Part => {
  const here = told.parameters.filter((parameter) => parameter.in === place);
  if (here.length === 0) return null;
  const list = fieldList(
    here.map((parameter) => parameterField(told, parameter)),
    markdown,
  );
  // Those of nearly every operation are told again and again: folded.
  if (place === 'header')
    return html`<details class="inside"><summary>${here.length === 1 ? '1 header' : `${here.length} headers`}: ${here.map(({ name }) => name).join(', ')}</summary>${list}</details>`;
  return html`<h4>${places[place]}</h4>${list}`;
};

const bodyFields = (document: Document, { id, body }: Told, markdown: Markdown): Part => {
  const name = body?.schema?.$ref ? schemaName(body.schema.$ref) : null;
  const schema = name === null ? undefined : document.components.schemas[name];
  if (name === null || !schema) return null;
  return html`<h4>Body: <a href="#schema-${name}">${name}</a></h4>${schemaFields(document, markdown, schema, { prefix: `${id}.body`, deep: true })}`;
};

const scopeOf = ({ operation }: Told): Part => {
  if (operation.security?.length === 0) return html`<span class="scope">no key needed</span>`;
  const [, scope] = /needs the scope `(\w+)`/.exec(operation.description) ?? [];
  if (!scope) throw new Error(`${operation.operationId} does not tell its scope.`);
  return html`<span class="scope">scope ${scope}</span>`;
};

// It stands beside the path.
const withoutScope = (text: string): string => text.replace(/\n\nThe credential needs the scope `\w+`\.$/, '');

/** An operation whole: what it does, what it takes and answers, examples, and a form to try it. */
export const operationArticle = (document: Document, told: Told, markdown: Markdown): Markup => {
  const { id, method, path, operation } = told;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<header><h3 id="${id}-title"><a class="self" href="#${id}">${operation.summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> ${scopeOf(told)}</p></header>
${tryIt(told)}
<div class="columns"><div class="tell">
<div class="text">${markdown.block(withoutScope(operation.description))}</div>
${parametersIn(told, 'path', markdown)}
${bodyFields(document, told, markdown)}
${parametersIn(told, 'query', markdown)}
${parametersIn(told, 'header', markdown)}
${responseList(document, told, markdown)}
</div><div class="show">
${exampleColumn(told)}
</div></div></article>`;
};
