import { all, one } from './elements.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** The text of the section that an item of the contents links to, in lower case. */
const sectionText = (item: HTMLElement): string => {
  const id = item.querySelector('a')?.hash.slice(1) ?? '';
  const target = document.getElementById(decodeURIComponent(id));
  const section = target?.matches('section, article') ? target : target?.closest('section, article');
  return `${item.dataset['words'] ?? ''} ${item.textContent} ${section?.textContent ?? ''}`.toLowerCase();
};

/**
 * Search the page: keep the items of the contents whose section has every typed word, in its headings, fields, examples or
 * error codes.
 */
export const addFilter = (): void => {
  const field = one<HTMLInputElement>('#filter');
  const count = one('[data-count]');
  const items = all('nav li');
  const schemas = one<HTMLDetailsElement>('nav details');
  // Collected with the first search, because it reads the whole page.
  let texts: readonly string[] | undefined;

  const apply = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    texts ??= items.map(sectionText);
    for (const [index, item] of items.entries()) item.hidden = !words.every((word) => texts?.[index]?.includes(word));
    for (const part of all('nav > div:not([data-filter])')) part.hidden = all('li', part).every((item) => item.hidden);
    schemas.open = words.length > 0;
    const left = items.filter((item) => !item.hidden).length;
    count.textContent =
      words.length === 0
        ? ''
        : left === 0
          ? 'No section has these words. Try a field, an error code or one word.'
          : `${left} of ${items.length}`;
  };

  field.addEventListener('input', apply);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      all<HTMLAnchorElement>('nav li a')
        .find((link) => !link.closest('[hidden]'))
        ?.click();
      event.preventDefault();
    }
    if (event.key !== 'Escape') return;
    field.value = '';
    apply();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    document.querySelector('nav')?.classList.add('open');
    field.focus();
  });
  one('[data-filter]').hidden = false;
};
