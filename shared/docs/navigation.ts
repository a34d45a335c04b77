import { groups } from './groups.ts';
import { guideParts } from './guide.ts';
import { html, type Markup } from './html.ts';
import type { Document } from './openapi.ts';
import { operationsOf } from './reading.ts';

const link = (target: string, title: string): Markup => html`<li><a href="#${target}">${title}</a></li>`;

/** The way to everything on the page; the script makes its field filter the list. */
export const navigation = (document: Document): Markup => {
  const byId = new Map(operationsOf(document).map((told) => [told.id, told]));
  const operation = (id: string): Markup => {
    const { method = '', path = '', operation: { summary = '' } = {} } = byId.get(id) ?? {};
    return html`<li data-words="${[method, path, id, summary].join(' ').toLowerCase()}"><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> ${summary}</a></li>`;
  };
  const schemas = Object.keys(document.components.schemas);
  return html`<nav id="contents" aria-label="Contents">
<div class="filter" hidden data-filter><label for="filter">Search</label><input id="filter" type="search" placeholder="Search, or press /" autocomplete="off" spellcheck="false"><p class="count" role="status" data-count></p></div>
<div><h2>Guide</h2><ul>${guideParts.map(({ id, title }) => link(id, title))}</ul></div>
${groups.map(({ id, title, operations }) => html`<div><h2><a href="#${id}">${title}</a></h2><ul>${operations.map(operation)}</ul></div>`)}
<div><h2>Reference</h2><ul>${link('error-codes', 'Error codes')}${link('schemas', 'Schemas')}</ul>
<details><summary>All ${schemas.length} schemas</summary><ul>${schemas.map((name) => html`<li data-words="${name.toLowerCase()} schema"><a href="#schema-${name}">${name}</a></li>`)}</ul></details></div>
</nav>`;
};
