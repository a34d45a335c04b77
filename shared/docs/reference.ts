import { hasAllFields, schemaFields } from './fields.ts';
import { groups } from './groups.ts';
import { html, type Markup, type Part } from './html.ts';
import { inline, slug } from './markdown.ts';
import { components, errorCodes, operations } from './openapi.ts';
import { operationArticle } from './operation.ts';

const section = (title: string, lead: Part, content: Part): Markup => {
  const id = slug(title);
  return html`<section class="group" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><p class="lead">${lead}</p>${content}</section>`;
};

/** The operations by group. */
export const operationSections = (): readonly Markup[] =>
  groups.map(({ title, text, operations: ids }) => {
    const articles = ids.map((operationId) => {
      const operation = operations.get(operationId);
      if (!operation) throw new Error(`openapi.json has no operation ${operationId}.`);
      return operationArticle(operation);
    });
    return section(title, inline(text), articles);
  });

// A long code may break after an underscore.
const breakable = (code: string): Part => code.split('_').map((part, at) => [at > 0 && html`_<wbr>`, part]);

/** Every error code with its status, meaning and remedy. */
export const errorSection = (): Markup => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, meaning, remedy }]) =>
      html`<tr id="error-${code}"><td><span class="status">${status}</span></td><th scope="row"><code>${breakable(code)}</code></th><td>${inline(meaning)}</td><td>${inline(remedy)}</td></tr>`,
  );
  return section(
    'Error codes',
    html`Programs can rely on the codes: Levy never renames one. Every error has the same <a href="#schema-ErrorResponse">envelope</a>.`,
    html`<table class="error-table"><thead><tr><th>Status</th><th>Code</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
};

/** Every schema with its fields. */
export const schemaSection = (): Markup => {
  const articles = Object.entries(components.schemas).map(
    ([name, schema]) => html`<article class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title">
<h3 id="schema-${name}-title"><a class="self" href="#schema-${name}">${name}</a></h3>
<p>${inline(schema.description ?? '')} ${hasAllFields(schema) && 'All fields are always present.'}</p>
${schemaFields(schema, { prefix: `schema-${name}` })}</article>`,
  );
  return section('Schemas', 'The objects in requests and responses.', articles);
};
