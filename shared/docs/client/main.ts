/** The script of the page. Everything except search, copying and trying works without it. */
/** Returns all elements that match a selector. */
const queryAll = <Kind extends HTMLElement = HTMLElement>(selector: string, under: ParentNode = document): Kind[] => [
  ...under.querySelectorAll<Kind>(selector),
];

/** Returns the element that matches a selector. Throws if there is none. */
const queryOne = <Kind extends HTMLElement = HTMLElement>(selector: string, under: ParentNode = document): Kind => {
  const found = under.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};

/** Creates an element. The page never parses a string as HTML. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};

/** The URL of the service, including its stage, if any (`/v1/docs`), without a trailing slash. */
const serviceAddress = (): string => new URL('.', location.href).href.replace(/\/$/, '');

/** Adds a button that copies a block of code. The clipboard is available only in secure contexts. */
const addCopy = (block: HTMLElement): void => {
  if (!navigator.clipboard) return;
  const button = element('button', 'copy', 'Copy');
  button.type = 'button';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(queryOne('code', block).textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => button.replaceChildren('Copy'), 1600);
  });
  block.append(button);
};

const most = 30;

/** The search entries: guide sections, workflows, operations, schemas, fields and error codes. */
const collect = () =>
  queryAll('main :is(section.guide, .guide h3, article, .field, tr)[id]').map((target) => {
    const heading = target.querySelector<HTMLElement>('h2, h3, .what code, th') ?? target;
    const parent = target.parentElement?.closest('section, article')?.querySelector('h2, h3');
    return {
      link: `#${target.id}`,
      name: heading.textContent ?? '',
      place: target.dataset['route'] ?? parent?.textContent ?? 'Guide',
      text: (target.textContent ?? '').toLowerCase(),
      isGuide: target.closest('.guide') !== null,
    };
  });
type Entry = ReturnType<typeof collect>[number];

/** Returns whether a text has a word that starts with `start`. */
const hasWord = (text: string, start: string): boolean => {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1))
    if (!/[a-z0-9]/.test(text.charAt(at - 1))) return true;
  return false;
};

/** Ranks an entry: 0 is the best match, -1 is no match. Guides precede fields with an equally good match. */
const getRank = ({ name, place, text, isGuide }: Entry, query: string, words: readonly string[]): number => {
  const title = name.toLowerCase();
  const heading = `${place} ${title}`.toLowerCase();
  const inAll = (inside: string) => words.every((word) => hasWord(inside, word));
  const inText = inAll(heading + text);
  return [
    isGuide && title === query,
    isGuide && inAll(title),
    title === query,
    title.startsWith(query),
    inAll(title),
    inAll(heading),
    isGuide && inText,
    inText,
  ].indexOf(true);
};

const find = (entries: readonly Entry[], query: string): readonly Entry[] => {
  const words = query.split(/\s+/);
  return entries
    .map((entry) => ({ entry, rank: getRank(entry, query, words) }))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => left.rank - right.rank)
    .map(({ entry }) => entry);
};

const resultItem = ({ link, name, place }: Entry): HTMLElement => {
  const anchor = element('a', '', name, element('span', 'hint', place));
  anchor.href = link;
  return element('li', '', anchor);
};

/** Searches the page. The results replace the table of contents until the field is empty. */
const addSearch = (): void => {
  const field = queryOne<HTMLInputElement>('#search');
  const results = queryOne('#results');
  const count = queryOne('.count');
  // Built at the first search, because it reads the whole page.
  let entries: readonly Entry[] | undefined;

  const search = (): void => {
    const query = field.value.trim().toLowerCase();
    entries ??= collect();
    const found = query === '' ? [] : find(entries, query);
    results.replaceChildren(...found.slice(0, most).map(resultItem));
    results.hidden = query === '';
    queryOne('.contents').hidden = query !== '';
    count.textContent = `${found.length} ${found.length === 1 ? 'result' : 'results'}`;
    if (found.length > most) count.textContent += `; the best ${most} are shown`;
    if (found.length === 0)
      count.textContent = `Nothing matches “${field.value}”. Search for a field, path, error code or workflow.`;
    if (query === '') count.textContent = '';
  };

  field.addEventListener('input', search);
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') results.querySelector('a')?.click();
    if (key !== 'Escape') return;
    field.value = '';
    search();
  });
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (key !== '/' || (target instanceof Element && target.matches('input, textarea, select'))) return;
    event.preventDefault();
    if (!field.checkVisibility()) queryOne('nav').showPopover();
    field.focus();
  });
};

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

/** Renders the status, time, headers and body of a response. */
const renderResult = (response: Response, text: string, milliseconds: number): readonly HTMLElement[] => {
  const { status, statusText, headers } = response;
  const badge = element('span', status < 400 ? 'status ok' : 'status', `${status}`);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [
    element('p', '', badge, ` ${statusText} in ${Math.round(milliseconds)} ms`),
    element('details', 'inside', element('summary', '', `${lines.length} headers`), codeBlock(lines.join('\n'))),
    text === '' ? element('p', 'hint', 'No body.') : codeBlock(pretty(text)),
  ];
};

/** Fills the id of a response into the forms, so the next request uses the same transaction or filing. */
const reuseId = (text: string): void => {
  const [, id, prefix] = /^\{"object":"(?:transaction|filing)","id":"((txn|fil)_[0-9A-Z]{26})"/.exec(text) ?? [];
  if (!id) return;
  const pattern = new RegExp(`\\b${prefix}_[0-9A-Z]{26}\\b`, 'g');
  const targets = '[data-in="path"], [data-examples] option, form:not([aria-busy]) [data-body]';
  for (const field of queryAll<HTMLInputElement>(targets)) field.value = field.value.replace(pattern, id);
};

/** Builds the request of a form. Throws if the key or a header is not valid in HTTP. */
const buildRequest = (form: HTMLFormElement, key: string): Request => {
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
    const response = await fetch(buildRequest(form, key));
    const text = await response.text();
    if (response.ok) reuseId(text);
    return renderResult(response, text, performance.now() - start);
  } catch {
    const problem = 'No response. Check that the service is running, and that the key and headers are plain ASCII.';
    return [element('p', 'problem', problem)];
  }
};

/** Makes the forms send requests with the key, which is stored only in its input field. */
const addForms = (): void => {
  // A text field that CSS masks, because browsers offer to save the value of a password field.
  const key = queryOne<HTMLInputElement>('#api-key');
  const clear = (): void => {
    key.value = '';
  };
  // The browser may keep the page in its back/forward cache.
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

/** Stores a language, if given, and returns the stored language. */
const remembered = (language?: string): string => {
  try {
    if (language) localStorage.setItem('sample-language', language);
    return localStorage.getItem('sample-language') ?? '';
  } catch {
    // The browser blocks storage.
    return '';
  }
};

/** Shows every sample in one language, or in its first language if the sample lacks it. */
const show = (language: string): void => {
  for (const group of queryAll('.samples')) {
    const samples = queryAll('[data-language]', group);
    const shown = samples.find((sample) => sample.dataset['language'] === language) ?? samples[0];
    for (const sample of samples) sample.hidden = sample !== shown;
    for (const button of queryAll('[data-choose]', group))
      button.setAttribute('aria-pressed', String(button.dataset['choose'] === shown?.dataset['language']));
  }
};

/** Makes the buttons above the samples select a language, which is stored in the browser. */
const addLanguages = (): void => {
  for (const button of queryAll('[data-choose]'))
    button.addEventListener('click', () => {
      const language = button.dataset['choose'] ?? '';
      const before = button.getBoundingClientRect().top;
      show(language);
      // The samples above changed their heights, so restore the button's position.
      scrollBy(0, button.getBoundingClientRect().top - before);
      remembered(language);
    });
  show(remembered());
};

/** On a narrow screen, closes the table of contents after a selection. */
const addMenu = (): void => {
  const nav = queryOne('nav');
  nav.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) nav.hidePopover();
  });
};

/** Highlights the visible section in the table of contents. */
const markSection = (): void => {
  const links = new Map(queryAll('nav li a').map((link) => [link.getAttribute('href') ?? '', link]));
  const observer = new IntersectionObserver(
    (entries) => {
      const link = links.get(`#${entries.findLast(({ isIntersecting }) => isIntersecting)?.target.id}`);
      if (!link) return;
      for (const marked of queryAll('nav [aria-current]')) marked.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'location');
      if (!link.closest('details:not([open])')) link.scrollIntoView({ block: 'nearest' });
    },
    // The section at a quarter of the viewport height counts as visible.
    { rootMargin: '-25% 0px -75%' },
  );
  for (const section of queryAll('main [id]')) if (links.has(`#${section.id}`)) observer.observe(section);
};

// Shows the service's URL in the commands of the guide.
for (const code of queryAll('.guide code.sh')) {
  const text = code.firstChild;
  if (text instanceof Text) text.data = text.data.replace(/LEVY=http\S+/, `LEVY=${serviceAddress()}`);
}
queryAll('.code').forEach(addCopy);
addLanguages();
addMenu();
addSearch();
addForms();
markSection();
