import { Marked, type Tokens } from 'marked';
import { warningCodes } from '../calculations/warning-codes.ts';
import { errorCodes, operations } from './openapi.ts';

/** A string that is already HTML. All other strings are escaped when inserted into a template. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | false | null | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for an element or a quoted attribute. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

const rendered = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part ? part.map(rendered).join('') : '';
};

/** Renders an HTML template. Escapes every value except Markup. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((string, at) => string + rendered(parts[at])).join(''));

/** Wraps HTML from a different tool, which must have escaped it. */
export const raw = (text: string): Markup => new Markup(text);

// Matches in escaped text: a string (a name if a colon follows), a literal, or a comment to the end of the line.
const token =
  /(&quot;(?:\\.|(?!&quot;)[^\\])*&quot;)(\s*:)?|(?<=[\s[])(true|false|null|True|False|None|-?\d+(?:\.\d+)?)(?=[\s,\]])|(?<=^|\s)#\s.*$/gm;

const highlighted = (code: string): Markup =>
  raw(
    escaped(code).replaceAll(token, (all, string, colon, literal) => {
      if (string) return colon ? `<b>${string}</b>${colon}` : `<i>${string}</i>`;
      return literal ? `<u>${literal}</u>` : `<em>${all}</em>`;
    }),
  );

/** Renders a block of code with a copy button. It is focusable, so the keyboard can scroll it. */
export const codeBlock = (code: string, language: string, label = 'Code'): Markup =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code class="${language || 'text'}">${highlighted(code)}</code></pre></div>`;

/**
 * Formats JSON with indentation; objects and lists that fit are on one line. `scalar` formats values for a different
 * language.
 */
export const prettyJson = (
  value: unknown,
  indent = '',
  scalar: (value: unknown) => string = JSON.stringify,
): string => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  const isArray = Array.isArray(value);
  const deeper = `${indent}  `;
  const parts = Object.entries(value).map(([name, inner]) => {
    const text = prettyJson(inner, deeper, scalar);
    return isArray ? text : `${JSON.stringify(name)}: ${text}`;
  });
  const line = parts.join(', ');
  const isFlat = Object.values(value).every((inner) => typeof inner !== 'object' || inner === null);
  if (isFlat && indent.length + line.length <= 56) return isArray ? `[${line}]` : (line && `{ ${line} }`) || '{}';
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
};

/** Returns the id of a heading. */
export const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

// Matches code in backticks that becomes a link: `POST /filings`, an error code, or a warning code.
const targets = new Map([
  ...[...operations.values()].map(({ operationId, method, path }) => [`${method} ${path}`, `#${operationId}`] as const),
  ...Object.keys(errorCodes).map((code) => [code, `#error-${code}`] as const),
  ...warningCodes.map((code) => [code, `#warning-${code}`] as const),
]);

// HTML in Markdown is escaped.
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

/** Renders Markdown as blocks. */
export const blocks = (text: string): Markup => raw(marked.parse(text, { async: false }));

/** Renders inline Markdown. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));
