/** The script of the page, run in a DOM of the page. */
import { describe, expect, it, vi } from 'vitest';
import { all, type Element, fire, newDocument, only } from '../support/docs-page.ts';

const script = only('script').textContent;
const id = 'txn_01KABCDEFGHJKMNPQRSTVWXYZ0';

/** Open the page, with the storage of earlier visits. */
const open = (storage = new Map<string, string>()) => {
  const document = newDocument();
  const sent: Request[] = [];
  const answer = { text: '{}' };
  const pageEvents = new Map<string, () => void>();
  // In this DOM a select without a `selected` option has no value.
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
      return new Response(answer.text);
    },
  };
  new Function(...Object.keys(globals), script)(...Object.values(globals));

  const form = (method: string, path: string) => only(`form[data-method="${method}"][data-path="${path}"]`, document);
  /** Fill in and send a form, and return its request and what the page shows. */
  const send = async (method: string, path: string, fields: Readonly<Record<string, string>> = {}) => {
    for (const [name, value] of Object.entries(fields))
      only(name === 'body' ? 'textarea' : `[name="${name}"]`, form(method, path)).value = value;
    const result = only('.result', form(method, path));
    // Two responses can show the same text.
    result.textContent = '';
    fire(form(method, path), 'submit');
    await vi.waitFor(() => expect(result.textContent).toMatch(/ in \d+ ms|key/));
    return { request: sent.at(-1), shown: result.textContent };
  };
  const search = (query: string) => {
    only('#search', document).value = query;
    fire(only('#search', document), 'input');
    const results = all('#results a', document);
    return {
      status: only('.count', document).textContent,
      results: results.map((link) => link.textContent),
      links: results,
    };
  };
  return { document, nav, sent, answer, storage, pageEvents, send, search };
};

describe('A form', () => {
  const { document, sent, answer, storage, pageEvents, send } = open();
  const key = only('#api-key', document);

  it('sends nothing without a key, or with one that a header cannot carry', async () => {
    expect(key.value).toBe('');
    expect((await send('GET', '/transactions')).shown).toMatch(/^Enter your API key/);
    key.value = 'levy_é税';
    expect((await send('GET', '/transactions')).shown).toMatch(/^No response.*ASCII/);
    expect(sent).toEqual([]);
    key.value = ' levy_secret\n';
  });

  it('sends the method, the path beside the page, the key and no cookies', async () => {
    const { request, shown } = await send('GET', '/transactions');
    expect(request).toMatchObject({ method: 'GET', url: 'https://tax.example.com/v1/transactions' });
    expect(request).toMatchObject({ credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
    expect([...(request?.headers ?? [])]).toEqual([['x-api-key', 'levy_secret']]);
    expect(shown).toContain('200');
  });

  it('sends the filled fields, and the body unchanged', async () => {
    const list = await send('GET', '/transactions', { limit: '2', reference_id: 'a&b=c d' });
    expect([...new URL(list.request?.url ?? '').searchParams].sort()).toEqual([
      ['limit', '2'],
      ['reference_id', 'a&b=c d'],
    ]);
    const { request } = await send('POST', '/filings', { 'Idempotency-Key': 'mine', body: '{"status": 1e400,}' });
    expect(await request?.text()).toBe('{"status": 1e400,}');
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'content-type': 'application/json',
      'idempotency-key': 'mine',
      'x-api-key': 'levy_secret',
    });
  });

  it('encodes the id as one segment of the path', async () => {
    const { request } = await send('GET', '/transactions/{id}/history', { id: '../coverage?a=1#税' });
    expect(request?.url).toBe('https://tax.example.com/v1/transactions/..%2Fcoverage%3Fa%3D1%23%E7%A8%8E/history');
  });

  it.each(['/docs', '/openapi.json'])('sends no key to %s, which needs none', async (path) => {
    const { request } = await send('GET', path);
    expect([request?.url, [...(request?.headers ?? [])]]).toEqual([`https://tax.example.com/v1${path}`, []]);
  });

  it('reuses the id of the last transaction in every form', async () => {
    const ids = (pattern: RegExp) => {
      const fields = all('[data-in="path"], [data-body], [data-examples] option', document);
      return fields.flatMap(({ value }) => value.match(pattern) ?? []);
    };
    const [transactions, filings] = [ids(/txn_\w{26}/g), ids(/fil_\w{26}/g)];
    answer.text = '{"object":"calculation","id":null}';
    await send('POST', '/calculations');
    expect(ids(/txn_\w{26}/g)).toEqual(transactions);
    answer.text = JSON.stringify({ object: 'transaction', id });
    await send('POST', '/transactions');
    expect(transactions.length).toBeGreaterThan(4);
    expect(ids(/txn_\w{26}/g)).toEqual(transactions.map(() => id));
    expect(ids(/fil_\w{26}/g)).toEqual(filings);
  });

  it('clears the key when the reader leaves the page, and never stores it', () => {
    expect(key.value).toContain('levy_secret');
    pageEvents.get('pagehide')?.();
    expect([key.value, [...storage]]).toEqual(['', []]);
  });
});

describe('The language of samples', () => {
  const shown = (document: Element) => {
    const samples = all('.samples [data-language]', document).filter(({ hidden }) => !hidden);
    return [...new Set(samples.map(({ dataset }) => dataset['language']))];
  };

  it('is curl at first, changes everywhere at once, and is remembered', () => {
    const { document, storage } = open();
    expect(shown(document)).toEqual(['sh']);
    all('[data-choose="py"]', document)[0]?.click();
    expect(shown(document)).toEqual(['py']);
    expect(all('[data-choose][aria-pressed="true"]', document)).toHaveLength(all('.samples', document).length);
    expect(shown(open(storage).document)).toEqual(['py']);
  });

  it('falls back to curl where a request has no body to show as JSON', () => {
    const { document } = open(new Map([['sample-language', 'json']]));
    expect(shown(document).sort()).toEqual(['json', 'sh']);
  });
});

describe('The search', () => {
  const { document, nav, search } = open();

  it.each([
    { query: 'unit_price', first: 'unit_priceLineItem' },
    { query: 'Partial refund', first: 'Partial refundWorkflows' },
    { query: 'idempotency_key_reused', first: 'idempotency_key_reusedError codes' },
    { query: 'get /rates', first: 'Retrieve ratesGET /rates' },
    { query: 'replay', first: 'ReplaySchemas' },
    { query: 'rate limits', first: 'Rate limitsGuide' },
    { query: 'overlap rotated', first: 'AuthenticationGuide' },
  ])('finds $query', ({ query, first }) => {
    const { status, results } = search(query);
    expect(results[0]).toBe(first);
    expect(status).toMatch(/^\d+ results?/);
  });

  it('shows a message if nothing matches, and the contents again when it is empty', () => {
    expect(search('zzqq')).toMatchObject({ results: [], status: expect.stringMatching(/^Nothing matches “zzqq”/) });
    expect(only('.contents', document).hidden).toBe(true);
    expect(search('')).toMatchObject({ results: [], status: '' });
    expect([only('.contents', document).hidden, only('#results', document).hidden]).toEqual([false, true]);
  });

  it('shows at most 30 results and closes the contents of a phone after a choice', () => {
    const { status, links } = search('a');
    expect([links.length, status]).toEqual([30, expect.stringContaining('the best 30')]);
    links[0]?.click();
    expect(nav.hidePopover).toHaveBeenCalled();
  });
});
