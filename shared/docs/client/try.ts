import { addCopy, element, queryAll, queryOne, serviceAddress } from './dom.ts';

const codeBlock = (text: string): HTMLElement => {
  const pre = element('pre', '', element('code', 'text', text));
  pre.tabIndex = 0;
  const block = element('div', 'code', pre);
  addCopy(block);
  return block;
};

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** The status, time, headers and body of a response. */
const resultOf = (response: Response, text: string, milliseconds: number): readonly HTMLElement[] => {
  const { status, statusText, headers } = response;
  const badge = element('span', status < 400 ? 'status ok' : 'status', `${status}`);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [
    element('p', '', badge, ` ${statusText} in ${Math.round(milliseconds)} ms`),
    element('details', 'inside', element('summary', '', `${lines.length} headers`), codeBlock(lines.join('\n'))),
    text === '' ? element('p', 'hint', 'No body.') : codeBlock(pretty(text)),
  ];
};

/** Put the id of a response into the forms, so that the next request is about the same transaction or filing. */
const reuseId = (text: string): void => {
  const [, id, prefix] = /^\{"object":"(?:transaction|filing)","id":"((txn|fil)_[0-9A-Z]{26})"/.exec(text) ?? [];
  if (!id) return;
  const pattern = new RegExp(`\\b${prefix}_[0-9A-Z]{26}\\b`, 'g');
  const targets = '[data-in="path"], [data-examples] option, form:not([aria-busy]) [data-body]';
  for (const field of queryAll<HTMLInputElement>(targets)) field.value = field.value.replace(pattern, id);
};

/** The request of a form. Throws for a key or header that HTTP cannot carry. */
const requestOf = (form: HTMLFormElement, key: string): Request => {
  const { method = 'GET', path = '' } = form.dataset;
  const headers = new Headers('public' in form.dataset ? {} : { 'X-API-Key': key });
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, value, dataset } of queryAll<HTMLInputElement | HTMLSelectElement>('[data-in]', form)) {
    if (value === '') continue;
    if (dataset['in'] === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (dataset['in'] === 'query') query.set(name, value);
    if (dataset['in'] === 'header') headers.set(name, value);
  }
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value ?? null;
  if (body !== null) headers.set('Content-Type', 'application/json');
  const options = { credentials: 'omit', cache: 'no-store', redirect: 'error', referrerPolicy: 'no-referrer' } as const;
  const url = `${serviceAddress()}${filled}${query.size > 0 ? `?${query}` : ''}`;
  return new Request(url, { method, headers, body, ...options });
};

const send = async (form: HTMLFormElement, key: string): Promise<readonly HTMLElement[]> => {
  if (key === '' && !('public' in form.dataset))
    return [element('p', 'problem', 'Enter your API key at the top of the page. `npm start` prints one.')];
  const start = performance.now();
  try {
    const response = await fetch(requestOf(form, key));
    const text = await response.text();
    if (response.ok) reuseId(text);
    return resultOf(response, text, performance.now() - start);
  } catch {
    const problem = 'No response. Check that the service is running, and that the key and headers are plain ASCII.';
    return [element('p', 'problem', problem)];
  }
};

/** Make the forms send requests with the key, which is stored nowhere but in its field. */
export const addForms = (): void => {
  // A text field that CSS masks, because browsers offer to save a password field.
  const key = queryOne<HTMLInputElement>('#api-key');
  const clear = (): void => {
    key.value = '';
  };
  // The browser may keep the page for the way back.
  addEventListener('pagehide', clear);
  clear();
  for (const form of queryAll<HTMLFormElement>('form')) {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (form.ariaBusy) return;
      form.ariaBusy = 'true';
      queryOne('.result', form).replaceChildren(...(await send(form, key.value.trim())));
      form.ariaBusy = null;
    });
    const examples = form.querySelector<HTMLSelectElement>('[data-examples]');
    examples?.addEventListener('change', () => {
      queryOne<HTMLTextAreaElement>('[data-body]', form).value = examples.value;
    });
  }
};
