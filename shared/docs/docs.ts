import { readFileSync } from 'node:fs';
import { endpoints, groupTexts } from '../../functions/endpoints.ts';
import { operationId } from '../api/endpoint.ts';
import { assert } from '../base/assert.ts';
import { isReviewCode, warningCodes, warnings } from '../calculations/warning-codes.ts';
import { buildPage } from '../packed/page-parts.ts';
import productTaxCodes from '../vocabulary/product-tax-codes.json' with { type: 'json' };
import { hasAllFields, schemaFields } from './fields.ts';
import { blocks, html, inline, type Markup, type Part, raw, slug } from './markup.ts';
import { components, errorCodes, info, type Operation, operations } from './openapi.ts';
import { operationArticle } from './operation.ts';

/** Splits Markdown at its second-level headings. */
const listParts = (text: string) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = ''] = part.split('\n');
      return { id: slug(title), title, text: part.slice(title.length) };
    });

const readText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The parts of guide.md, the conventions of the OpenAPI document, and the changelog. */
const guideParts = [
  ...listParts(readText('./guide.md')),
  ...listParts(info['description'] ?? '').filter(({ title }) => title === 'Conventions'),
  {
    id: 'changelog',
    title: 'Changelog',
    text: readText('../../CHANGELOG.md')
      .replace(/^.*?(?=^## )/ms, '')
      .replaceAll(/^##/gm, '###'),
  },
];

const guideSections = (): readonly Markup[] =>
  guideParts.map(
    ({ id, title, text }) =>
      html`<section class="guide" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title"><a class="self" href="#${id}">${title}</a></h2>${blocks(text)}</section>`,
  );

const section = (title: string, lead: Part, content: Part): Markup => {
  const id = slug(title);
  return html`<section class="group" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><p class="lead">${lead}</p>${content}</section>`;
};

/** Returns the operations of a group, in the order of the endpoints. */
const listOperations = (title: string): readonly Operation[] =>
  Object.values(endpoints)
    .filter(({ group }) => group === title)
    .map(({ name }) => {
      const operation = operations.get(operationId(name));
      assert(operation !== undefined, `openapi.json has no operation ${operationId(name)}.`);
      return operation;
    });

// Allows a line break in a long code after an underscore or a dot.
const breakable = (code: string): Part => code.split(/(?<=[_.])/).map((part, at) => [at > 0 && html`<wbr>`, part]);

const table = (name: string, headings: readonly string[], rows: readonly Markup[]): Markup =>
  html`<table class="${name}-table"><thead><tr>${headings.map((heading) => html`<th>${heading}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;

const errorSection = (): Markup => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, meaning, remedy }]) =>
      html`<tr id="error-${code}"><td><span class="status">${status}</span></td><th scope="row"><code>${breakable(code)}</code></th><td>${inline(meaning)}</td><td>${inline(remedy)}</td></tr>`,
  );
  return section(
    'Error codes',
    html`Error codes are stable: Levy never renames one. Every error has the same <a href="#schema-ErrorResponse">envelope</a>.`,
    table('error', ['Status', 'Code', 'Meaning', 'What to do'], rows),
  );
};

const warningSection = (): Markup => {
  const rows = warningCodes.map(
    (code) =>
      html`<tr id="warning-${code}"><th scope="row"><code>${breakable(code)}</code></th><td>${warnings[code].meaning}</td><td>${inline(warnings[code].remedy)}</td><td>${isReviewCode(code) ? 'yes' : 'no'}</td></tr>`,
  );
  return section(
    'Warning codes',
    html`A response with <a href="#schema-Warning"><code>warnings</code></a> is usable, but is based on an assumption or lacks data. The last column shows whether a filing lists the sale for <a href="#listFilingExceptions">review</a>.`,
    table('warning', ['Code', 'Meaning', 'What to do', 'Review'], rows),
  );
};

/** Renders every product tax code with its search terms. The page's search reads these rows. */
const codeSection = (): Markup => {
  const rows = productTaxCodes.map(
    ({ code, name, description, examples, synonyms }) =>
      html`<tr id="code-${slug(code)}"><th scope="row"><code>${breakable(code)}</code></th><td><strong>${name}.</strong> ${description}</td><td>${[...examples, ...synonyms].join(', ')}</td></tr>`,
  );
  return section(
    'Product tax codes',
    html`Search this page by keywords, or use <a href="#listProductTaxCodes"><code>GET /product-tax-codes</code></a> with <code>q</code>, which ranks the codes, and with <code>state</code>, which shows how a state taxes them.`,
    table('code', ['Code', 'What it covers', 'Examples and synonyms'], rows),
  );
};

const schemaSection = (): Markup => {
  const articles = Object.entries(components.schemas).map(
    ([name, schema]) => html`<article class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title">
<h3 id="schema-${name}-title"><a class="self" href="#schema-${name}">${name}</a></h3>
<p>${inline(schema.description ?? '')} ${hasAllFields(schema) && 'All fields are always present.'}</p>
${schemaFields(schema, { prefix: `schema-${name}` })}</article>`,
  );
  return section('Schemas', 'The objects in requests and responses.', articles);
};

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230f6149'/%3E%3Cpath d='M11 7v17h11' fill='none' stroke='white' stroke-width='4'/%3E%3C/svg%3E";

const title = info['title'] ?? '';

const link = (id: string, text: string): Markup => html`<li><a href="#${id}">${text}</a></li>`;

const operationLink = ({ operationId: id, method, summary }: Operation): Markup =>
  html`<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> ${summary}</a></li>`;

const navigation = (): Markup => {
  const schemas = Object.keys(components.schemas);
  return html`<nav id="contents" aria-label="Contents" popover>
<search><label class="unseen" for="search">Search</label><input id="search" type="search" placeholder="Search, or press /" autocomplete="off" spellcheck="false" aria-controls="results"><p class="count" role="status"></p><ol id="results" hidden></ol></search>
<div class="contents"><h2>Guide</h2><ul>${guideParts.map((part) => link(part.id, part.title))}</ul>
${groupTexts.map(({ title }) => html`<h2><a href="#${slug(title)}">${title}</a></h2><ul>${listOperations(title).map(operationLink)}</ul>`)}
<h2>Reference</h2><ul>${link('product-tax-codes', 'Product tax codes')}${link('error-codes', 'Error codes')}${link('warning-codes', 'Warning codes')}${link('schemas', 'Schemas')}</ul>
<details><summary>All ${schemas.length} schemas</summary><ul>${schemas.map((name) => link(`schema-${name}`, name))}</ul></details></div>
</nav>`;
};

const keyField = html`<div class="key"><label for="api-key">Your API key</label>
<input id="api-key" type="text" placeholder="levy_…" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="key-help">
<label><input id="show-key" type="checkbox"> Show</label>
<p id="key-help">For “Try it”. The key stays in the memory of this page, is sent only to this service, and is cleared when you leave. <a href="#authentication">Get a key</a></p></div>`;

/** Renders the whole page as HTML. Its policy contains the hashes of the script and the style. */
const page = (script: string, style: string): string => {
  const [introduction = ''] = (info['description'] ?? '').split(/^## /m);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${info['summary']}">
<meta name="robots" content="noindex">
<title>${title} API</title>
<link rel="icon" href="${raw(icon)}">
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="#main">${title}</a><span class="edition">API ${info['version']}</span>
<span class="shortcuts"><a href="#api-key">API key</a><a href="openapi.json">openapi.json</a><a href="console">Console</a></span>
<button type="button" class="menu" popovertarget="contents">Contents</button></header>
<div class="frame">
${navigation()}
<main id="main" tabindex="-1">
<section class="hero" aria-labelledby="title"><h1 id="title">${info['summary']}</h1>
<div class="text">${blocks(introduction)}</div>
<p class="links"><a href="openapi.json">openapi.json</a><a href="#getting-started">Getting started</a><a href="#workflows">Workflows</a><a href="#error-codes">Error codes</a></p>
${keyField}</section>
${guideSections()}
${groupTexts.map(({ title, text }) => section(title, inline(text), listOperations(title).map(operationArticle)))}
${codeSection()}
${errorSection()}
${warningSection()}
${schemaSection()}
<footer><p>${title} ${info['version']}. ${info.license.name}. Generated from <a href="openapi.json">openapi.json</a>.</p></footer>
</main></div>
<script>${raw(script)}</script>
</body>
</html>
`.text;
};

/**
 * Builds the page of `GET /docs` from openapi.json, and its Content-Security-Policy, which allows no other script,
 * style or host.
 */
export const docs = () =>
  buildPage(new URL('./client/main.ts', import.meta.url), new URL('./style.css', import.meta.url), page);
