import { escaped, html, type Markup, raw } from './html.ts';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g;

/** JSON with its names, texts and other values told apart. */
const coloured = (json: string): Markup => {
  let done = 0;
  let text = '';
  for (const match of json.matchAll(token)) {
    const [all, string, colon = '', literal] = match;
    text += escaped(json.slice(done, match.index));
    if (string && colon) text += `<b>${escaped(string)}</b>${colon}`;
    else text += string ? `<i>${escaped(string)}</i>` : `<u>${literal}</u>`;
    done = match.index + all.length;
  }
  return raw(text + escaped(json.slice(done)));
};

// A comment, or a command's own name.
const shell = (text: string): Markup =>
  raw(
    text
      .split('\n')
      .map((line) => {
        const at = /(^|\s)#\s/.exec(line)?.index ?? line.length;
        return escaped(line.slice(0, at)) + (at < line.length ? `<em>${escaped(line.slice(at))}</em>` : '');
      })
      .join('\n'),
  );

const kinds: Readonly<Record<string, (text: string) => Markup>> = { json: coloured, sh: shell };

/** A block of code that can be copied. It takes the focus, so that a keyboard can scroll it. */
export const codeBlock = (text: string, language: string, label = 'Code'): Markup =>
  html`<div class="code" data-copy><pre tabindex="0" role="group" aria-label="${label}"><code class="${language || 'text'}">${kinds[language]?.(text) ?? text}</code></pre></div>`;

/** A value as people read JSON: objects and lists that fit stay on one line. */
export const prettyJson = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return line;
  const isFlat = Object.values(value).every((inner) => typeof inner !== 'object' || inner === null);
  const spaced = isFlat && line.length + indent.length <= 60 ? spacedLine(value) : null;
  if (spaced !== null) return spaced;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((inner) => `${deeper}${prettyJson(inner, deeper)}`)
    : Object.entries(value).map(([name, inner]) => `${deeper}${JSON.stringify(name)}: ${prettyJson(inner, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
};

const spacedLine = (value: object): string => {
  if (Array.isArray(value)) return `[${value.map((inner) => JSON.stringify(inner)).join(', ')}]`;
  const parts = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${JSON.stringify(inner)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
};
