import { Marked, type Tokens } from 'marked';
import { errorCodes, operations } from './openapi.ts';

/** Text that is HTML already. All other text is escaped where it goes into a template. */
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

/** Escape text for an element or for an attribute in quotes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

const rendered = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part ? part.map(rendered).join('') : '';
};

/** A template of HTML that escapes every part except Markup. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((string, at) => string + rendered(parts[at])).join(''));

/** Text of another tool, which must have escaped it. */
export const raw = (text: string): Markup => new Markup(text);

// In escaped text: a string (before a colon: a name), a literal, or a comment to the end of the line.
const token =
  /(&quot;(?:\\.|(?!&quot;)[^\\])*&quot;)(\s*:)?|(?<=[\s[])(true|false|null|True|False|None|-?\d+(?:\.\d+)?)(?=[\s,\]])|(?<=^|\s)#\s.*$/gm;

const highlighted = (code: string): Markup =>
  raw(
    escaped(code).replaceAll(token, (all, string, colon, literal) => {
      if (string) return colon ? `<b>${string}</b>${colon}` : `<i>${string}</i>`;
      return literal ? `<u>${literal}</u>` : `<em>${all}</em>`;
    }),
  );

/** A block of code with a button to copy it. It is focusable, so that the keyboard can scroll it. */
export const codeBlock = (code: string, language: string, label = 'Code'): Markup =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code class="${language || 'text'}">${highlighted(code)}</code></pre></div>`;

/** Indented JSON, with objects and lists that fit on one line. `scalar` writes the values of another language. */
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
