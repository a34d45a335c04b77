import { Marked, type Tokens } from 'marked';
import { codeBlock } from './code-block.ts';
import { escaped, type Markup, raw } from './html.ts';
import type { Document } from './openapi.ts';
import { errorCodesOf, operationsOf } from './reading.ts';

/** Renders the Markdown of descriptions: as blocks, or as the inside of a line. */
export type Markdown = { readonly block: (text: string) => Markup; readonly line: (text: string) => Markup };

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

// What a description names in backticks, the page links to: `POST /filings`, `createFiling`, an error code.
const targetsOf = (document: Document): ReadonlyMap<string, string> =>
  new Map([
    ...operationsOf(document).map(({ id, method, path }) => [`${method} ${path}`, `#${id}`] as const),
    ...Object.keys(errorCodesOf(document)).map((code) => [code, `#error-${code}`] as const),
  ]);

/** Make the renderer for a document. HTML in a text is text: nothing gets through that Markdown does not know. */
export const markdownOf = (document: Document): Markdown => {
  const targets = targetsOf(document);
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
      code: ({ text, lang }: Tokens.Code) => codeBlock(text, lang ?? '').text,
      codespan: ({ text }: Tokens.Codespan) => {
        const code = `<code>${escaped(text)}</code>`;
        // A query or a line break in between means the same operation.
        const target = targets.get(text.replaceAll(/\s+/g, ' ').split('?')[0] ?? '');
        return target ? `<a href="${target}">${code}</a>` : code;
      },
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token: Tokens.Table) {
        const cells = (tag: string, row: Tokens.TableCell[]) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('');
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells('th', token.header)}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return {
    block: (text) => raw(marked.parse(text, { async: false })),
    line: (text) => raw(marked.parseInline(text, { async: false })),
  };
};
