import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { html, type Markup } from './html.ts';
import type { Markdown } from './markdown.ts';
import type { Document } from './openapi.ts';
import { partOf } from './reading.ts';

const guide = (): string => readFileSync(fileURLToPath(new URL('./guide.md', import.meta.url)), 'utf8');

/** The parts of the guide: what the navigation calls them, and where they are. */
export const guideParts = [
  { id: 'start', title: 'Getting started' },
  { id: 'workflows', title: 'Workflows' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'idempotency', title: 'Retries and idempotency' },
  { id: 'errors', title: 'Errors' },
  { id: 'rate-limits', title: 'Rate limits' },
  { id: 'versions', title: 'Versions' },
  { id: 'conventions', title: 'Conventions' },
] as const;

/** What to know before the operations: guide.md, and the conventions as the document itself tells them. */
export const guideSections = (document: Document, markdown: Markdown): readonly Markup[] => {
  const text = guide();
  return guideParts.map(({ id, title }) => {
    const part = id === 'conventions' ? partOf(document.info.description, 'Conventions') : partOf(text, title);
    return html`<section class="guide" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title"><a class="self" href="#${id}">${title}</a></h2>${markdown.block(part)}</section>`;
  });
};
