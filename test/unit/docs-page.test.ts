import { createHash } from 'node:crypto';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { errorCodes } from '../../shared/base/error-codes.ts';
import { operations, type Schema } from '../../shared/docs/openapi.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { all, headers, only, page, withId } from '../support/docs-page.ts';

const values = (name: string) => all(`[${name}]`).map((element) => element.getAttribute(name) ?? '');
const textOf = (id: string) => withId(id).textContent;

describe('The page', () => {
  it('is valid HTML', () => {
    const errors: string[] = [];
    parse(page, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
    expect(errors).toEqual([]);
  });

  it('has one script and one style, and its policy allows only their hashes', () => {
    const hash = (tag: string) => `'sha256-${createHash('sha256').update(only(tag).textContent).digest('base64')}'`;
    expect(headers['Content-Security-Policy']?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash('script')}`,
      `style-src ${hash('style')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('loads nothing and has nothing inline that the policy blocks', () => {
    expect(all('[src], [style], iframe, object, embed, base, img')).toEqual([]);
    expect(all('link').map((link) => [link.getAttribute('rel'), link.getAttribute('href')?.slice(0, 5)])).toEqual([
      ['icon', 'data:'],
    ]);
    expect(only('style').textContent).not.toMatch(/url\(|@import|@font-face/);
    expect(all('*').flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on')))).toEqual(
      [],
    );
    // Relative links also work behind a stage.
    const links = all('a').map((link) => link.getAttribute('href') ?? '');
    expect(links.filter((link) => !link.startsWith('#') && link !== 'openapi.json')).toEqual([]);
  });

  it('stores only the language of samples', () => {
    const script = only('script').textContent;
    expect(script.match(/localStorage\.setItem\([^)]*\)/g)).toEqual([expect.stringContaining('"sample-language"')]);
    expect(script).not.toMatch(/sessionStorage|indexedDB|\.cookie|history\.|sendBeacon/);
    expect(only('#api-key').getAttribute('autocomplete')).toBe('off');
    expect(only('#api-key').getAttribute('name')).toBeNull();
  });

  it('has no duplicate id and no reference to a missing one', () => {
    const ids = values('id');
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const targets = [
      ...values('href').flatMap((href) => (href.startsWith('#') ? [href.slice(1)] : [])),
      ...['for', 'aria-labelledby', 'aria-controls', 'aria-describedby', 'popovertarget'].flatMap(values),
    ];
    expect(targets.length).toBeGreaterThan(500);
    const known = new Set(ids);
    expect(targets.filter((target) => !known.has(target))).toEqual([]);
  });
});

describe('The page documents', () => {
  it.each([...operations.values()])('$operationId with its parameters, responses and error codes', (operation) => {
    const { operationId: id, method, path, summary, parameters, responses } = operation;
    const article = only(`[id="${id}"]`);
    expect(article.textContent).toContain(summary);
    expect(article.textContent).toContain(`${method} ${path}`);
    for (const { name } of parameters) {
      only(`[id="${id}.${name}"]`, article);
      only(`[name="${name}"]`, article);
    }
    const statuses = all('.status', article).map(({ textContent }) => textContent);
    expect(statuses).toEqual(expect.arrayContaining(Object.keys(responses)));
    const links = new Set(all('a', article).map((link) => link.getAttribute('href')));
    const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
    expect(codes).not.toEqual([]);
    expect(codes.filter((code) => !links.has(`#error-${code}`))).toEqual([]);
  });

  it('every field of every schema with its description, and again in the operations that take it', () => {
    const schemas: Readonly<Record<string, { readonly type: string | string[]; readonly properties?: object }>> =
      document.components.schemas;
    const fields = Object.entries(schemas).flatMap(([name, { properties }]) =>
      Object.entries<Schema>({ ...properties }).map(([field, { description = '' }]) => {
        // Markdown removes backticks and asterisks.
        const words = description.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').slice(0, 30);
        return [`${name}.${field}`, textOf(`schema-${name}.${field}`).replaceAll(/\s+/g, ' ').includes(words)] as const;
      }),
    );
    expect(fields.length).toBeGreaterThan(400);
    expect(fields.filter(([, isThere]) => !isThere)).toEqual([]);
    for (const { operationId: id, requestBody } of operations.values()) {
      const name = requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
      for (const field of Object.keys(schemas[name]?.properties ?? {})) withId(`${id}.body.${field}`);
    }
  });

  it('required fields first, and the constraints of fields', () => {
    const presence = all('[id="schema-LineItemRequest"] > ul > li :is(.required, .presence)');
    const words = presence.map(({ textContent }) => textContent);
    expect(words.filter((word, at) => word === 'required' && at > words.indexOf('optional'))).toEqual([]);
    expect(words).toContain('required');
    expect(textOf('schema-LineItemRequest.quantity')).toMatch(/required[\s\S]*decimal/);
    expect(textOf('schema-TransactionRequest.line_items')).toContain('1 to 1,000 items');
    expect(textOf('listTransactions.limit')).toContain('1 to 100');
    expect(textOf('schema-TransactionRequest.status')).toContain('one of draft, finalized');
  });

  it('every product tax code with the words that find it', () => {
    const rows = all('.code-table tbody tr').map((row) => all('td, th', row).map(({ textContent }) => textContent));
    expect(rows.map(([code]) => code)).toEqual(productTaxCodes.map(({ code }) => code));
    for (const [at, { synonyms }] of productTaxCodes.entries())
      for (const synonym of synonyms) expect(rows[at]?.[2]).toContain(synonym);
  });

  it('every error code with its status, meaning and remedy', () => {
    const rows = all('.error-table tbody tr').map((row) => all('td, th', row).map(({ textContent }) => textContent));
    expect(rows.map(([status, code]) => [code, status])).toEqual(
      Object.entries(errorCodes).map(([code, { status }]) => [code, String(status)]),
    );
    for (const [, , meaning, remedy] of rows) expect(meaning).not.toBe(remedy);
  });
});

describe('Without sight or a mouse', () => {
  it('there are landmarks, one heading of the first level, and no skipped level', () => {
    for (const tag of ['header', 'nav', 'search', 'main', 'footer', 'h1']) only(`body ${tag}:not(article *)`);
    expect(all('a')[0]?.getAttribute('href')).toBe('#main');
    const levels = all('main :is(h1, h2, h3, h4)').map(({ tagName }) => Number(tagName[1]));
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
  });

  it('every field has a label, and blocks of code can be focused', () => {
    const labels = new Set(values('for'));
    const fields = all(':is(input, select, textarea):not(label > *, [aria-label])');
    expect(fields.filter(({ id }) => !labels.has(id)).map(({ id }) => id)).toEqual([]);
    expect(all('pre:not([tabindex="0"][aria-label])')).toEqual([]);
  });
});

// WCAG 2.2, relative luminance and contrast.
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (...colors: readonly string[]): number => {
  const [dark = 0, light = 0] = colors.map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
const long = (color: string) => (color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&') : color);
const colors = [...page.matchAll(/--([\w-]+): *light-dark\((#[0-9a-f]+), *(#[0-9a-f]+)\)/g)];
const schemes = [2, 3].map((at) => Object.fromEntries(colors.map((match) => [match[1], long(match[at] ?? '')])));

it.each([
  ...['ink', 'soft', 'accent', 'write', 'bad'].flatMap((text) => ['paper', 'raised'].map((under) => [text, under])),
  ...['ink', 'soft', 'json-name', 'json-text', 'json-other'].map((text) => [text, 'code']),
  ...['accent', 'write', 'bad'].map((name) => [name, `${name}-soft`]),
  ['paper', 'accent'],
])('%s on %s has a contrast of 4.5 : 1, light and dark', (text = '', under = '') => {
  for (const scheme of schemes) expect(contrast(scheme[text] ?? '', scheme[under] ?? '')).toBeGreaterThanOrEqual(4.5);
});
