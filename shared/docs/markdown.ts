import { Marked, type Tokens } from 'marked';
import { codeBlock, escaped, type Markup, raw } from './html.ts';
import { errorCodes, operations } from './openapi.ts';

/** The id of a heading. */
export const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

// Code in backticks that becomes a link: `POST /filings`, or an error code.
const targets = new Map([
  ...[...operations.values()].map(({ operationId, method, path }) => [`${method} ${path}`, `#${operationId}`] as const),
  ...Object.keys(errorCodes).map((code) => [code, `#error-${code}`] as const),
]);

// HTML in a text is escaped.
const marked = new Marked({
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    code: ({ text, lang }: Tokens.Code) => codeBlock(text, lang ?? '').text,
    codespan: ({ text }: Tokens.Codespan) => {
      const code = `<code>${escaped(text)}</code>`;
      // A query or a line break does not change the operation.
      const target = targets.get(text.replaceAll(/\s+/g, ' ').split('?')[0] ?? '');
      return target ? `<a href="${target}">${code}</a>` : code;
    },
    heading({ tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/** Render Markdown as blocks. */
export const blocks = (text: string): Markup => raw(marked.parse(text, { async: false }));

/** Render Markdown inside a line. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));
