import { element, queryAll, queryOne } from './dom.ts';

type Entry = { readonly link: string; readonly name: string; readonly place: string; readonly text: string };

const most = 30;

/** The guide, its workflows, operations, schemas, fields and error codes: everything that has an anchor. */
const collect = (): readonly Entry[] =>
  queryAll('main :is(section.guide, .guide h3, article, .field, tr)[id]').map((target) => {
    const heading = target.querySelector<HTMLElement>('h2, h3, .what code, th') ?? target;
    const parent = target.parentElement?.closest('section, article')?.querySelector('h2, h3');
    return {
      link: `#${target.id}`,
      name: heading.textContent ?? '',
      place: target.dataset['route'] ?? parent?.textContent ?? 'Guide',
      text: (target.textContent ?? '').toLowerCase(),
    };
  });

/** How well an entry matches: 0 is the best rank, -1 is no match. */
const rankOf = ({ name, place, text }: Entry, query: string, words: readonly string[]): number => {
  const title = name.toLowerCase();
  const heading = `${place} ${title}`.toLowerCase();
  const inAll = (inside: string) => words.every((word) => inside.includes(word));
  return [title === query, title.startsWith(query), inAll(title), inAll(heading), inAll(heading + text)].indexOf(true);
};

const find = (entries: readonly Entry[], query: string): readonly Entry[] => {
  const words = query.split(/\s+/);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, query, words) }))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => left.rank - right.rank)
    .map(({ entry }) => entry);
};

const resultItem = ({ link, name, place }: Entry): HTMLElement => {
  const anchor = element('a', '', name, element('span', 'hint', place));
  anchor.href = link;
  return element('li', '', anchor);
};

/** Search the page. The results replace the contents until the field is empty. */
export const addSearch = (): void => {
  const field = queryOne<HTMLInputElement>('#search');
  const results = queryOne('#results');
  const count = queryOne('.count');
  // Collected at the first search, because it reads the whole page.
  let entries: readonly Entry[] | undefined;

  const search = (): void => {
    const query = field.value.trim().toLowerCase();
    entries ??= collect();
    const found = query === '' ? [] : find(entries, query);
    results.replaceChildren(...found.slice(0, most).map(resultItem));
    results.hidden = query === '';
    queryOne('.contents').hidden = query !== '';
    count.textContent = `${found.length} ${found.length === 1 ? 'result' : 'results'}`;
    if (found.length > most) count.textContent += `, the best ${most} are shown`;
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
