import { guideSections } from './guide.ts';
import { html, type Markup, raw } from './html.ts';
import { markdownOf } from './markdown.ts';
import { navigation } from './navigation.ts';
import type { Document } from './openapi.ts';
import { partOf } from './reading.ts';
import { errorSection, operationSections, schemaSection } from './reference.ts';

/** The texts that go into the page as they are, and whose hashes its policy allows. */
export type Inline = { readonly style: string; readonly script: string };

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230f6149'/%3E%3Cpath d='M11 7v17h11' fill='none' stroke='white' stroke-width='4'/%3E%3C/svg%3E";

const head = ({ info }: Document, { style }: Inline): Markup => html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${info.summary}">
<meta name="robots" content="noindex">
<title>${info.title} API</title>
<link rel="icon" href="${raw(icon)}">
<style>${raw(style)}</style>
</head>`;

const keyField = html`<div class="key" hidden data-key><label for="api-key">Your API key</label>
<input id="api-key" type="text" placeholder="levy_…" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="key-help">
<button type="button" aria-pressed="false" aria-controls="api-key">Show</button>
<p id="key-help">For “Try it”. It stays in this page's memory, is sent only to this service, and is gone when you leave. <a href="#authentication">Get a key</a></p></div>`;

/** The whole page. */
export const page = (document: Document, inline: Inline): string => {
  const markdown = markdownOf(document);
  const { info } = document;
  return html`<!doctype html>
<html lang="en">
${head(document, inline)}
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="#main">${info.title}</a><span class="edition">API ${info.version}</span>
<span class="shortcuts"><a href="#api-key">API key</a><a href="openapi.json">openapi.json</a></span>
<button type="button" class="menu" hidden aria-expanded="false" aria-controls="contents">Contents</button></header>
<div class="frame">
${navigation(document)}
<main id="main" tabindex="-1">
<section class="hero" aria-labelledby="title"><h1 id="title">${info.summary}</h1>
<div class="text">${markdown.block(partOf(info.description, null))}</div>
<p class="links"><a href="openapi.json">openapi.json</a><a href="#start">Getting started</a><a href="#workflows">Workflows</a><a href="#error-codes">Error codes</a></p>
${keyField}</section>
${guideSections(document, markdown)}
${operationSections(document, markdown)}
${errorSection(document, markdown)}
${schemaSection(document, markdown)}
<footer><p>${info.title} ${info.version}. ${info.license.name}. Made of <a href="openapi.json">openapi.json</a>; loads nothing from anywhere else.</p></footer>
</main></div>
<script>${raw(inline.script)}</script>
</body>
</html>
`.text;
};
