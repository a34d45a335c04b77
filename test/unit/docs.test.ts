/** The page of `GET /docs`: its HTML, its contents, and its script in a DOM. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { describe, expect, it, vi } from 'vitest';
import type { Schema } from '../../shared/api/openapi/types.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { errorStatuses } from '../../shared/base/error-codes.ts';
import { blocks, codeBlock, html, inline, prettyJson } from '../../shared/docs/markup.ts';
import { operations } from '../../shared/docs/openapi.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { all, type Element, fire, headers, newDocument, only, page, withId } from '../support/docs-page.ts';

const values = (name: string) => all(`[${name}]`).map((element) => element.getAttribute(name) ?? '');
const getText = (id: string) => withId(id).textContent;
const listRows = (table: string) =>
  all(`${table} tbody tr`).map((row) => all('td, th', row).map(({ textContent }) => textContent));

describe('HTML and Markdown', () => {
  type Node = DefaultTreeAdapterTypes.ChildNode;
  const textIn = (node: Node): string =>
    'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textIn).join('') : '';
  const elementsIn = (nodes: readonly Node[]): readonly DefaultTreeAdapterTypes.Element[] =>
    nodes.flatMap((node) => ('tagName' in node ? [node, ...elementsIn(node.childNodes)] : []));
  const parsed = (text: string) => elementsIn(parseFragment(text).childNodes);
  // An HTML parser converts CRLF and CR to LF, and drops NUL.
  const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll(/[\r\0]/g, '').toWellFormed());
  const dangerous = fc
    .array(fc.constantFrom('<', '>', '&', '"', "'", '</p>', '<script>', '&amp;', '-->', 'a'), { maxLength: 8 })
    .map((parts) => parts.join(''));

  it('escapes any string in an element and an attribute', () => {
    fc.assert(
      fc.property(fc.oneof(text, dangerous), (value) => {
        const [found, ...others] = parsed(html`<p title="${value}">${[value, null, false, undefined]}</p>`.text);
        expect(others).toEqual([]);
        expect(found && [found.tagName, textIn(found), found.attrs]).toEqual(['p', value, [{ name: 'title', value }]]);
      }),
    );
  });

  it('shows any JSON and any command unchanged by indentation and colors', () => {
    const codeIn = (code: string, language: string) =>
      parsed(codeBlock(code, language).text)
        .filter(({ tagName }) => tagName === 'code')
        .map(textIn);
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), text, (value, command) => {
        const shown = prettyJson(value);
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(codeIn(shown, 'json')).toEqual([shown.replaceAll('\0', '')]);
        expect(codeIn(`x${command}`, 'sh')).toEqual([`x${command}`]);
      }),
    );
  });

  it('escapes HTML in Markdown, and links to operations and error codes', () => {
    const found = parsed(blocks('<img src=x onerror=alert(1)>\n\nA <b>bold</b> `<i>` claim').text);
    expect(found.map(({ tagName }) => tagName)).toEqual(['p', 'code']);
    const markdown =
      '`POST /filings`, `GET /product-attributes?ptc=…`, `POST\n/transactions/{id}/replay`, `not_found`, `POST /nothing` and `tax_amount`';
    const links = parsed(inline(markdown).text).flatMap(({ attrs }) => attrs.map(({ value }) => value));
    expect(links).toEqual(['#createFiling', '#listProductAttributes', '#replayTransaction', '#error-not_found']);
  });
});

describe('the page', () => {
  it('contains valid HTML', () => {
    const errors: string[] = [];
    parse(page, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
    expect(errors).toEqual([]);
  });

  it('loads no resources, and its CSP allows only the hashes of its script and style', () => {
    const hash = (tag: string) => `'sha256-${createHash('sha256').update(only(tag).textContent).digest('base64')}'`;
    const { 'Content-Security-Policy': policy = '' } = headers;
    const [scripts, styles] = [`script-src ${hash('script')}`, `style-src ${hash('style')}`];
    expect(policy.split('; ').slice(0, 4)).toEqual(["default-src 'none'", scripts, styles, "connect-src 'self'"]);
    for (const rule of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "trusted-types 'none'"])
      expect(policy).toContain(rule);
    expect(all('[src], [style], iframe, object, embed, base, img')).toEqual([]);
    expect(only('link').getAttribute('href')).toMatch(/^data:/);
    expect(only('style').textContent).not.toMatch(/url\(|@import|@font-face/);
    const handlers = all('*').flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on')));
    expect(handlers).toEqual([]);
    // Relative links also work behind a stage path.
    expect(values('href').filter((link) => !/^(#|data:|(openapi\.json|console)$)/.test(link))).toEqual([]);
  });

  it('stores only the sample language', () => {
    const script = only('script').textContent;
    expect(script.match(/localStorage\.setItem\([^)]*\)/g)).toEqual([expect.stringContaining('"sample-language"')]);
    expect(script).not.toMatch(/sessionStorage|indexedDB|\.cookie|history\.|sendBeacon/);
    expect([only('#api-key').getAttribute('autocomplete'), only('#api-key').getAttribute('name')]).toEqual([
      'off',
      null,
    ]);
  });

  it('contains no duplicate id and no reference to a missing one', () => {
    const ids = values('id');
    const known = new Set(ids);
    expect(ids.length).toBe(known.size);
    const targets = [
      ...values('href').flatMap((href) => (href.startsWith('#') ? [href.slice(1)] : [])),
      ...['for', 'aria-labelledby', 'aria-controls', 'aria-describedby', 'popovertarget'].flatMap(values),
    ];
    expect(targets.length).toBeGreaterThan(500);
    expect(targets.filter((target) => !known.has(target))).toEqual([]);
  });

  it('contains landmarks, no skipped heading level, a label per field, and focusable code', () => {
    for (const tag of ['header', 'nav', 'search', 'main', 'footer', 'h1']) only(`body ${tag}:not(article *)`);
    expect(all('a')[0]?.getAttribute('href')).toBe('#main');
    const levels = all('main :is(h1, h2, h3, h4)').map(({ tagName }) => Number(tagName[1]));
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
    const labels = new Set(values('for'));
    const fields = all(':is(input, select, textarea):not(label > *, [aria-label])');
    expect(fields.filter(({ id }) => !labels.has(id)).map(({ id }) => id)).toEqual([]);
    expect(all('pre:not([tabindex="0"][aria-label])')).toEqual([]);
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
    ...['ink', 'soft', 'accent', 'warn', 'bad'].flatMap((text) => ['paper', 'raised'].map((under) => [text, under])),
    ...['accent', 'warn', 'bad'].map((name) => [name, `${name}-soft`]),
    ['paper', 'accent'],
  ])('has a contrast of at least 4.5:1 for %s on %s, in light and dark mode', (text = '', under = '') => {
    for (const scheme of schemes) expect(contrast(scheme[text] ?? '', scheme[under] ?? '')).toBeGreaterThanOrEqual(4.5);
  });
});

describe('documented items of the page', () => {
  it.each([...operations.values()])('documents $operationId with parameters, responses and errors', (operation) => {
    const { operationId: id, method, path, summary, parameters, responses } = operation;
    const article = withId(id);
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

  it('documents every field of every schema, including in the operations that accept it', () => {
    const schemas: Readonly<Record<string, { readonly type: unknown; readonly properties?: object }>> =
      document.components.schemas;
    const missing = Object.entries(schemas).flatMap(([name, { properties }]) =>
      Object.entries<Schema>({ ...properties }).flatMap(([field, { description = '' }]) => {
        // Markdown removes backticks and asterisks.
        const words = description.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').slice(0, 30);
        const shown = getText(`schema-${name}.${field}`).replaceAll(/\s+/g, ' ');
        return shown.includes(words) ? [] : [`${name}.${field}`];
      }),
    );
    expect(missing).toEqual([]);
    for (const { operationId: id, requestBody } of operations.values()) {
      const name = requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
      for (const field of Object.keys(schemas[name]?.properties ?? {})) withId(`${id}.body.${field}`);
    }
  });

  it('documents every product tax code with its search terms, every error code with its status, and every warning code', () => {
    const codes = listRows('.code-table');
    expect(codes.map(([code]) => code)).toEqual(productTaxCodes.map(({ code }) => code));
    for (const [at, { synonyms }] of productTaxCodes.entries())
      for (const synonym of synonyms) expect(codes[at]?.[2]).toContain(synonym);
    const errors = listRows('.error-table');
    expect(errors.map(([status, code]) => [code, status])).toEqual(
      Object.entries(errorStatuses).map(([code, status]) => [code, String(status)]),
    );
    for (const [, , meaning, remedy] of errors) expect(meaning).not.toBe(remedy);
    const documented = document.components.schemas.Warning.properties.code['x-extensible-enum'];
    expect(listRows('.warning-table').map(([code]) => code)).toEqual(documented);
  });
});

const script = only('script').textContent;

/** Runs the script in the page, with the storage of earlier visits. */
const open = (storage = new Map<string, string>()) => {
  const document = newDocument();
  const sent: Request[] = [];
  const response = { text: '{}' };
  const pageEvents = new Map<string, () => void>();
  // In this DOM, a select without a `selected` option has no value.
  for (const select of all('select', document)) Object.defineProperty(select, 'value', { value: '', writable: true });
  const nav = Object.assign(only('nav', document), { hidePopover: vi.fn() });
  const globals = {
    document,
    location: { href: 'https://tax.example.com/v1/docs#getRates' },
    localStorage: {
      getItem: (name: string) => storage.get(name) ?? null,
      setItem: (name: string, value: string) => void storage.set(name, value),
    },
    navigator: {},
    addEventListener: (event: string, listener: () => void) => void pageEvents.set(event, listener),
    scrollBy: () => {},
    Element: Object,
    Text: Map,
    IntersectionObserver: class {
      observe() {}
    },
    fetch: async (request: Request) => {
      sent.push(request);
      return new Response(response.text);
    },
  };
  new Function(...Object.keys(globals), script)(...Object.values(globals));

  /** Fills in and sends a form. Returns its request and the displayed response. */
  const send = async (method: string, path: string, fields: Readonly<Record<string, string>> = {}) => {
    const form = only(`form[data-method="${method}"][data-path="${path}"]`, document);
    for (const [name, value] of Object.entries(fields))
      only(name === 'body' ? 'textarea' : `[name="${name}"]`, form).value = value;
    const result = only('.result', form);
    // Two responses can have the same text.
    result.textContent = '';
    fire(form, 'submit');
    await vi.waitFor(() => expect(result.textContent).toMatch(/ in \d+ ms|key/));
    return { request: sent.at(-1), shown: result.textContent };
  };
  return { document, nav, sent, response, storage, pageEvents, send };
};

// Opening the page is slow.
const openedFirst = open();

describe('request forms', () => {
  const { document, sent, response, storage, pageEvents, send } = openedFirst;
  const key = only('#api-key', document);

  it('sends nothing without a key, or with a key that is invalid in a header', async () => {
    expect((await send('GET', '/transactions')).shown).toMatch(/^Enter your API key/);
    key.value = 'levy_é税';
    expect((await send('GET', '/transactions')).shown).toMatch(/^No response.*ASCII/);
    expect(sent).toEqual([]);
    key.value = ' levy_secret\n';
  });

  it('sends the method, the path relative to the page, the key and the filled fields, but no cookies', async () => {
    const { request, shown } = await send('GET', '/transactions');
    expect(request).toMatchObject({ method: 'GET', url: 'https://tax.example.com/v1/transactions' });
    expect(request).toMatchObject({ credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
    expect([...(request?.headers ?? [])]).toEqual([['x-api-key', 'levy_secret']]);
    expect(shown).toContain('200');
    const list = await send('GET', '/transactions', { limit: '2', reference_id: 'a&b=c d' });
    const query = Object.fromEntries(new URL(list.request?.url ?? '').searchParams);
    expect(query).toEqual({ limit: '2', reference_id: 'a&b=c d' });
  });

  it('sends the body unchanged, and escapes the id as one path segment', async () => {
    const { request } = await send('POST', '/filings', { 'Idempotency-Key': 'mine', body: '{"status": 1e400,}' });
    expect(await request?.text()).toBe('{"status": 1e400,}');
    const own = { 'content-type': 'application/json', 'idempotency-key': 'mine', 'x-api-key': 'levy_secret' };
    expect(Object.fromEntries(request?.headers ?? [])).toEqual(own);
    const history = await send('GET', '/transactions/{id}/history', { id: '../coverage?a=1#税' });
    const segment = '..%2Fcoverage%3Fa%3D1%23%E7%A8%8E';
    expect(history.request?.url).toBe(`https://tax.example.com/v1/transactions/${segment}/history`);
  });

  it.each(['/docs', '/openapi.json'])('sends no key to %s, which needs none', async (path) => {
    const { request } = await send('GET', path);
    expect([request?.url, [...(request?.headers ?? [])]]).toEqual([`https://tax.example.com/v1${path}`, []]);
  });

  it('reuses the id of the last transaction in every form', async () => {
    const ids = (pattern: RegExp) =>
      all('[data-in="path"], [data-body], [data-examples] option', document).flatMap(
        ({ value }) => value.match(pattern) ?? [],
      );
    const [transactions, filings] = [ids(/txn_\w{26}/g), ids(/fil_\w{26}/g)];
    response.text = '{"object":"calculation","id":null}';
    await send('POST', '/calculations');
    expect(ids(/txn_\w{26}/g)).toEqual(transactions);
    const id = 'txn_01KABCDEFGHJKMNPQRSTVWXYZ0';
    response.text = JSON.stringify({ object: 'transaction', id });
    await send('POST', '/transactions');
    expect(transactions.length).toBeGreaterThan(4);
    expect(ids(/txn_\w{26}/g)).toEqual(transactions.map(() => id));
    expect(ids(/fil_\w{26}/g)).toEqual(filings);
  });

  it('clears the key when the user leaves the page, and never stores it', () => {
    expect(key.value).toContain('levy_secret');
    pageEvents.get('pagehide')?.();
    expect([key.value, [...storage]]).toEqual(['', []]);
  });
});

it('shows samples in curl at first, switches all of them at once, and stores the language', () => {
  const shown = (document: Element) => {
    // Operations without a key have only a curl sample.
    const groups = all('.samples', document).filter((group) => all('[data-choose="py"]', group).length > 0);
    const samples = groups.flatMap((group) => all('[data-language]', group)).filter(({ hidden }) => !hidden);
    return [...new Set(samples.map(({ dataset }) => dataset['language']))].sort();
  };
  const { document, storage } = openedFirst;
  expect(shown(document)).toEqual(['sh']);
  all('[data-choose="py"]', document)[0]?.click();
  expect(shown(document)).toEqual(['py']);
  expect(all('[data-choose][aria-pressed="true"]', document)).toHaveLength(all('.samples', document).length);
  expect(shown(open(storage).document)).toEqual(['py']);
  // A request without a body has no JSON sample.
  expect(shown(open(new Map([['sample-language', 'json']])).document)).toEqual(['json', 'sh']);
});

describe('the search', () => {
  const { document, nav } = openedFirst;
  const [box, found] = [only('#search', document), only('#results', document)];
  const search = (query: string) => {
    box.value = query;
    fire(box, 'input');
    const links = all('a', found);
    return { status: only('.count', document).textContent, results: links.map((link) => link.textContent), links };
  };

  it.each([
    ['unit_price', 'unit_priceLineItem'],
    ['Partial refund', 'Partial refundWorkflows'],
    ['idempotency_key_reused', 'idempotency_key_reusedError codes'],
    ['get /rates', 'Retrieve ratesGET /rates'],
    ['replay', 'ReplaySchemas'],
    ['rate limits', 'Rate limitsGuide'],
    ['overlap rotated', 'AuthenticationGuide'],
    // Guides come before fields.
    ['refund', 'Full refundWorkflows'],
    ['webhook', 'EventsGuide'],
    ['vat', 'Getting startedGuide'],
    ['exempt', 'Exempt customerWorkflows'],
    // Guides also come before fields with exactly this name.
    ['shipping', 'Shipping and fulfillmentGuide'],
    ['discounts', 'DiscountsDiscounts, coupons and delivery fees'],
  ])('finds %s', (query, first) => expect(search(query).results[0]).toBe(first));

  it('shows a message if nothing matches, and restores the contents when it is cleared', () => {
    expect(search('zzqq')).toMatchObject({ results: [], status: expect.stringMatching(/^Nothing matches “zzqq”/) });
    expect(only('.contents', document).hidden).toBe(true);
    expect(search('')).toMatchObject({ results: [], status: '' });
    expect([only('.contents', document).hidden, only('#results', document).hidden]).toEqual([false, true]);
  });

  it('shows at most 30 results, and closes the menu on a phone after a selection', () => {
    const { status, links } = search('a');
    expect([links.length, status]).toEqual([30, expect.stringContaining('the best 30')]);
    links[0]?.click();
    expect(nav.hidePopover).toHaveBeenCalled();
  });
});
