import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { elements } from '../support/docs-page.ts';
import { StandIn } from '../support/stand-in-page.ts';

// Written for a browser, whose types are not those of the rest: they are imported without.
const script = (name: string): Promise<any> =>
  import(/* @vite-ignore */ new URL(`../../shared/docs/client/${name}.ts`, import.meta.url).href);
const { requestOf } = await script('request');
const { rememberId } = await script('remember');
const { addKey } = await script('key');

const body = elements.find(({ tagName }) => tagName === 'body');
if (!body) throw new Error('The page has no body.');
let page: StandIn;
const pageEvents = new Map<string, () => void>();

beforeEach(() => {
  page = new StandIn(body);
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { href: 'https://tax.example.com/v1/docs#create-transaction' });
  vi.stubGlobal('addEventListener', (event: string, listener: () => void) => void pageEvents.set(event, listener));
});
afterAll(() => vi.unstubAllGlobals());

/** The page's own form for an operation. */
const formOf = (method: string, path: string): StandIn => {
  const form = page
    .querySelectorAll('form')
    .find(({ dataset }) => dataset['method'] === method && dataset['path'] === path);
  if (!form) throw new Error(`The page has no form for ${method} ${path}.`);
  return form;
};
const fill = (form: StandIn, name: string, value: string): void => {
  const field = form.inner.find((one) => one.name === name);
  if (!field) throw new Error(`The form has no field ${name}.`);
  field.value = value;
};
const id = 'txn_01KABCDEFGHJKMNPQRSTVWXYZ0';

describe('what a form sends', () => {
  it('is the method, the path beside the page, and the key', () => {
    const { url, init } = requestOf(formOf('GET', '/transactions'), 'levy_secret');
    expect(url).toBe('https://tax.example.com/v1/transactions');
    expect(init).toMatchObject({
      method: 'GET',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    expect([...init.headers]).toEqual([['x-api-key', 'levy_secret']]);
    expect(init).not.toHaveProperty('body');
  });

  it.each(['/docs', '/openapi.json'])('carries no key where anybody may ask: %s', (path) => {
    const { url, init } = requestOf(formOf('GET', path), 'levy_secret');
    expect([url, [...init.headers]]).toEqual([`https://tax.example.com/v1${path}`, []]);
    expect(requestOf(formOf('GET', path), '').url).toBe(url);
  });

  it('is nothing without a key, in words', () => {
    const forms = page.querySelectorAll('form').filter(({ dataset }) => !('public' in dataset));
    expect(forms).toHaveLength(16);
    for (const form of forms) expect(requestOf(form, '')).toMatch(/^Put your API key into the field/);
  });

  it('is nothing with a key, or a header, that cannot be sent', () => {
    expect(requestOf(formOf('GET', '/transactions'), 'levy_é税')).toMatch(/no header can carry/);
    const form = formOf('POST', '/transactions');
    fill(form, 'Idempotency-Key', 'a\nb');
    expect(requestOf(form, 'levy_secret')).toMatch(/no header can carry/);
  });

  it('has the id in its path as one segment, and is nothing without it', () => {
    const form = formOf('GET', '/transactions/{id}');
    fill(form, 'id', '../coverage?a=1#税');
    expect(requestOf(form, 'levy_secret').url).toBe(
      'https://tax.example.com/v1/transactions/..%2Fcoverage%3Fa%3D1%23%E7%A8%8E',
    );
    fill(form, 'id', '');
    expect(requestOf(form, 'levy_secret')).toBe('Fill in the path first.');
  });

  it('has the query that is filled in, and nothing of what is left empty', () => {
    const form = formOf('GET', '/transactions');
    fill(form, 'limit', '2');
    fill(form, 'reference_id', 'a&b=c d');
    const query = new URL(requestOf(form, 'levy_secret').url).searchParams;
    expect([...query].toSorted()).toEqual([
      ['limit', '2'],
      ['reference_id', 'a&b=c d'],
    ]);
  });

  it('has the headers that are filled in, and the body as it is written', () => {
    const form = formOf('POST', '/transactions');
    fill(form, 'Idempotency-Key', 'mine');
    const written = form.querySelector('[data-body]') as StandIn;
    expect(JSON.parse(written.value)).toHaveProperty('line_items');
    written.value = '{"status": 1e400,}';
    const { init } = requestOf(form, 'levy_secret');
    expect(init.body).toBe('{"status": 1e400,}');
    expect(Object.fromEntries(init.headers)).toEqual({
      'content-type': 'application/json',
      'idempotency-key': 'mine',
      'x-api-key': 'levy_secret',
    });
  });
});

describe('an id that was answered', () => {
  const shown = () => JSON.stringify(page.querySelectorAll('[data-in="path"]').map(({ value }) => value));

  it('stands in every form that has one of its kind', () => {
    const [sales, filings] = [/txn_[0-9A-Z]{26}/g, /fil_[0-9A-Z]{26}/g];
    const before = shown();
    rememberId(JSON.stringify({ object: 'transaction', id }));
    expect(before.match(sales)?.length).toBeGreaterThan(2);
    expect(new Set(shown().match(sales))).toEqual(new Set([id]));
    expect(shown().match(filings)).toEqual(before.match(filings));
    const examples = page.querySelectorAll('[data-examples] option').map(({ value }) => value);
    expect(new Set(examples.join().match(sales))).toEqual(new Set([id]));
    expect(requestOf(formOf('GET', '/transactions/{id}'), 'levy_secret').url).toMatch(new RegExp(`/${id}$`));
    const written = page.querySelector('[data-body]') as StandIn;
    const other = `${id.slice(0, -1)}1`;
    written.value = JSON.stringify({ parent_transaction_id: id });
    rememberId(JSON.stringify({ object: 'transaction', id: other }));
    expect(written.value).toBe(JSON.stringify({ parent_transaction_id: other }));
  });

  it.each([
    { title: 'no JSON', text: '<html>' },
    { title: 'null', text: 'null' },
    { title: 'a list', text: JSON.stringify({ object: 'list', id }) },
    { title: 'a calculation', text: JSON.stringify({ object: 'calculation', id: null }) },
  ])('changes nothing where it is none: $title', ({ text }) => {
    const before = shown();
    rememberId(text);
    expect(shown()).toBe(before);
  });
});

describe('the field of the key', () => {
  const parts = () => {
    const [box, field] = [page.querySelector('[data-key]'), page.querySelector('#api-key')] as [StandIn, StandIn];
    return { box, field, button: box.querySelector('button') as StandIn };
  };

  it('is masked and empty at first, shown on demand, and answers what is in it', () => {
    const { box, field, button } = parts();
    field.value = 'levy_kept_by_the_browser';
    const keyOf: () => string = addKey();
    expect([box.hidden, field.classes.has('masked'), keyOf()]).toEqual([false, true, '']);
    field.value = ' levy_secret\n';
    expect(keyOf()).toBe('levy_secret');
    button.click();
    expect([field.classes.has('masked'), button.textContent]).toEqual([false, 'Hide']);
    button.click();
    expect([field.classes.has('masked'), button.textContent]).toEqual([true, 'Show']);
  });

  it('is emptied when the page is left', () => {
    const keyOf: () => string = addKey();
    parts().field.value = 'levy_secret';
    pageEvents.get('pagehide')?.();
    expect(keyOf()).toBe('');
  });
});
