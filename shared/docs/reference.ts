import { hasAll, schemaFields } from './fields.ts';
import { groups } from './groups.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Markdown } from './markdown.ts';
import type { Document, Schema } from './openapi.ts';
import { operationArticle } from './operation.ts';
import { errorCodesOf, operationsOf } from './reading.ts';

/** The operations, group by group. */
export const operationSections = (document: Document, markdown: Markdown): readonly Markup[] => {
  const byId = new Map(operationsOf(document).map((told) => [told.id, told]));
  return groups.map(({ id, title, text, operations }) => {
    const articles = operations.map((operation) => {
      const told = byId.get(operation);
      if (!told) throw new Error(`The document has no operation ${operation}.`);
      return operationArticle(document, told, markdown);
    });
    return html`<section class="group" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><p class="lead">${markdown.line(text)}</p>${articles}</section>`;
  });
};

// A long name may break after an underscore, and is still copied as it is.
const breakable = (code: string): Part => code.split('_').map((part, at) => [at > 0 && html`_<wbr>`, part]);

/** Every error code: its status, what it means, and what to do. */
export const errorSection = (document: Document, markdown: Markdown): Markup => {
  const rows = Object.entries(errorCodesOf(document)).map(
    ([code, { status, meaning, remedy }]) =>
      html`<tr id="error-${code}"><td><span class="status">${status}</span></td><th scope="row"><code>${breakable(code)}</code></th><td>${markdown.line(meaning)}</td><td>${markdown.line(remedy)}</td></tr>`,
  );
  return html`<section class="group" id="error-codes" aria-labelledby="error-codes-title"><h2 id="error-codes-title">Error codes</h2>
<p class="lead">A code is a promise: it is never renamed, and programs may rely on it. The <a href="#schema-ErrorResponse">envelope</a> is the same for all.</p>
<table class="error-table"><thead><tr><th>Status</th><th>Code</th><th>What it means</th><th>What to do</th></tr></thead><tbody>${rows}</tbody></table></section>`;
};

const presenceNote = (schema: Schema): string | false => hasAll(schema) && 'All of these fields are always there.';

/** Every schema of the document by its name, with its fields. */
export const schemaSection = (document: Document, markdown: Markdown): Markup => {
  const articles = Object.entries(document.components.schemas).map(
    ([name, schema]) => html`<article class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title">
<h3 id="schema-${name}-title"><a class="self" href="#schema-${name}">${name}</a></h3>
<p>${markdown.line(schema.description ?? '')} ${presenceNote(schema)}</p>
${schemaFields(document, markdown, schema, { prefix: `schema-${name}` })}</article>`,
  );
  return html`<section class="group" id="schemas" aria-labelledby="schemas-title"><h2 id="schemas-title">Schemas</h2><p class="lead">What requests and answers are made of.</p>${articles}</section>`;
};
