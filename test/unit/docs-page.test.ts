import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { groups } from '../../shared/docs/groups.ts';
import { errorCodes } from '../../shared/error-codes.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { attribute, elements, elementsIn, headers, page, parseErrors, textOf, withId } from '../support/docs-page.ts';

const policy = headers['Content-Security-Policy'] ?? '';
const named = (tag: string) => elements.filter(({ tagName }) => tagName === tag);
const values = (name: string) => elements.flatMap((element) => attribute(element, name) ?? []);
const ids = values('id');
const only = (tag: string): string => {
  expect(named(tag)).toHaveLength(1);
  return named(tag).map(textOf).join('');
};
const operations: any[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);
const resolved = (value: any): any =>
  value.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((at: any, part: string) => at[part], document)
    : value;

describe('the page', () => {
  it('is HTML that a parser takes without a word', () => {
    expect(parseErrors).toEqual([]);
    expect(named('html').map((element) => attribute(element, 'lang'))).toEqual(['en']);
  });

  it('has one script and one style, whose hashes are all that its policy lets run', () => {
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash(only('script'))}`,
      `style-src ${hash(only('style'))}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('loads nothing, from here or elsewhere: what it needs it holds', () => {
    expect(values('src')).toEqual([]);
    expect(named('link').map((link) => attribute(link, 'rel'))).toEqual(['icon']);
    expect(named('link').every((link) => attribute(link, 'href')?.startsWith('data:'))).toBe(true);
    expect(only('style')).not.toMatch(/url\(|@import|@font-face/);
    const links = named('a').map((link) => attribute(link, 'href') ?? '');
    // Relative, so that they hold behind a stage, too.
    expect(links.filter((link) => !link.startsWith('#') && link !== 'openapi.json')).toEqual([]);
    expect(named('iframe').concat(named('object'), named('embed'), named('base'), named('img'))).toEqual([]);
  });

  it('has nothing inline that the policy would stop', () => {
    const inline = elements.flatMap(({ tagName, attrs }) =>
      attrs.filter(({ name }) => name === 'style' || name.startsWith('on')).map(({ name }) => `${tagName} ${name}`),
    );
    expect(inline).toEqual([]);
  });

  it('keeps the key in its field: the script knows no storage, no cookie, and makes no HTML of text', () => {
    const script = only('script');
    expect(script).toContain('X-API-Key');
    expect(script).not.toMatch(/localStorage|sessionStorage|indexedDB|\.cookie|history\.|sendBeacon/);
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/);
    expect(attribute(withId('api-key'), 'autocomplete')).toBe('off');
    expect(attribute(withId('api-key'), 'name')).toBeNull();
  });

  it('has each id once, and whatever refers to one finds it', () => {
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const targets = [
      ...values('href').flatMap((href) => (href.startsWith('#') ? [href.slice(1)] : [])),
      ...['for', 'aria-labelledby', 'aria-controls', 'aria-describedby'].flatMap(values),
    ];
    expect(targets.length).toBeGreaterThan(500);
    expect([...new Set(targets)].filter((target) => !ids.includes(target))).toEqual([]);
  });
});

describe('the page tells the whole document:', () => {
  it('every operation, in one group, in the way to learn it', () => {
    expect(groups.flatMap((group) => group.operations).sort()).toEqual(
      operations.map(({ operationId }) => operationId).sort(),
    );
    expect(operations).toHaveLength(Object.keys(endpoints).length);
  });

  it.each(operations)('$operationId, with its parameters, fields, answers and error codes', (operation) => {
    const { operationId, method, path, summary, parameters, requestBody, responses } = operation;
    const article = withId(operationId);
    const inside = elementsIn(article);
    const has = (id: string) => inside.some((element) => attribute(element, 'id') === id);
    const text = textOf(article);
    expect(text).toContain(summary);
    expect(text).toContain(`${method.toUpperCase()} ${path}`);
    for (const parameter of parameters.map(resolved)) {
      expect([parameter.name, has(`${operationId}.${parameter.name}`)]).toEqual([parameter.name, true]);
      expect(inside.filter((element) => attribute(element, 'name') === parameter.name)).toHaveLength(1);
    }
    const body = requestBody && resolved(requestBody.content['application/json'].schema);
    for (const field of Object.keys(body?.properties ?? {}))
      expect([field, has(`${operationId}.body.${field}`)]).toEqual([field, true]);
    const statuses = inside.filter((element) => attribute(element, 'class')?.startsWith('status')).map(textOf);
    expect(statuses).toEqual(expect.arrayContaining(Object.keys(responses)));
    const links = inside.flatMap((element) => attribute(element, 'href') ?? []);
    for (const response of Object.values(responses).map(resolved)) {
      const codes =
        response.content?.['application/json']?.schema?.properties?.errors?.items.properties.code.enum ?? [];
      for (const code of codes) expect(links).toContain(`#error-${code}`);
    }
  });

  it('every field of every schema, with its text', () => {
    const told = Object.entries<any>(document.components.schemas).flatMap(([name, { properties }]) =>
      Object.entries<any>(properties).map(([field, { description }]) => {
        const text = textOf(withId(`schema-${name}.${field}`));
        // Markdown leaves no backticks and brackets behind.
        const words = description.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').slice(0, 30);
        return [name, field, text.replaceAll(/\s+/g, ' ').includes(words)];
      }),
    );
    expect(told.length).toBeGreaterThan(400);
    expect(told.filter(([, , isThere]) => !isThere)).toEqual([]);
  });

  it('whether a field that is asked for must be sent, and what it may hold', () => {
    const quantity = textOf(withId('schema-LineItemRequest.quantity'));
    expect(quantity).toMatch(/required.*\n.*\n.*decimal/);
    expect(textOf(withId('schema-LineItemRequest.id'))).toMatch(/optional/);
    expect(textOf(withId('schema-TransactionRequest.line_items'))).toContain('1 to 1,000 items');
    expect(textOf(withId('listTransactions.limit'))).toContain('1 to 100');
    expect(textOf(withId('schema-TransactionRequest.status'))).toContain('one of draft, finalized');
  });

  it('every error code with its status, its meaning and what to do', () => {
    for (const [code, { status }] of Object.entries(errorCodes)) {
      const cells = elementsIn(withId(`error-${code}`)).filter(({ tagName }) => /^t[dh]$/.test(tagName));
      const [told, name, meaning = '', remedy = ''] = cells.map(textOf);
      expect([told, name]).toEqual([String(status), code]);
      for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z].{10,}\.$/);
      expect(remedy).not.toBe(meaning);
    }
  });
});

describe('somebody who does not see the page, or has no mouse,', () => {
  it('finds its landmarks, one heading of the first level, and no level left out', () => {
    for (const tag of ['header', 'nav', 'main', 'footer', 'h1']) expect(named(tag).length).toBeGreaterThan(0);
    expect(named('h1')).toHaveLength(1);
    expect(elements.find(({ tagName }) => tagName === 'a')?.attrs).toContainEqual({ name: 'href', value: '#main' });
    const main = named('main')[0];
    const levels = (main ? elementsIn(main) : []).flatMap(({ tagName }) =>
      /^h\d$/.test(tagName) ? [Number(tagName[1])] : [],
    );
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
  });

  it('hears what each field is called, and reaches what scrolls', () => {
    const labels = new Set(values('for'));
    const unnamed = [...named('input'), ...named('select'), ...named('textarea')].filter(
      (field) => !labels.has(attribute(field, 'id') ?? '') && !attribute(field, 'aria-label'),
    );
    expect(unnamed).toEqual([]);
    expect(named('pre').filter((block) => attribute(block, 'tabindex') !== '0')).toEqual([]);
    expect(named('pre').filter((block) => !attribute(block, 'aria-label'))).toEqual([]);
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
const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
const long = (color: string) => (color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&') : color);
const schemes = [...page.matchAll(/:root\{([^}]*)\}/g)].map(([, rules = '']) =>
  Object.fromEntries(
    [...rules.matchAll(/--([\w-]+): *(#[0-9a-f]+)/g)].map(([, name = '', color = '']) => [name, long(color)]),
  ),
);
const pairs = [
  ...['ink', 'soft', 'accent', 'write', 'bad'].flatMap((text) => ['paper', 'raised'].map((under) => [text, under])),
  ...['ink', 'soft', 'json-name', 'json-text', 'json-other'].map((text) => [text, 'code']),
  ...['accent', 'write', 'bad'].map((name) => [name, `${name}-soft`]),
  ['paper', 'accent'],
];

it.each(pairs)('%s can be read on %s, by day and by night', (text = '', under = '') => {
  expect(schemes).toHaveLength(2);
  for (const scheme of schemes)
    expect(contrast(scheme[text] as string, scheme[under] as string)).toBeGreaterThanOrEqual(4.5);
});
