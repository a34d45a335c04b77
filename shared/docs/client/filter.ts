import { all, one } from './elements.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** Filter the contents by what is typed: every word must be in the name, the path or the method. */
export const addFilter = (): void => {
  const field = one<HTMLInputElement>('#filter');
  const count = one('[data-count]');
  const items = all('nav li');
  const schemas = one<HTMLDetailsElement>('nav details');

  const apply = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const text = item.dataset['words'] ?? item.textContent?.toLowerCase() ?? '';
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of all('nav > div:not([data-filter])')) part.hidden = all('li', part).every((item) => item.hidden);
    schemas.open = words.length > 0;
    const left = items.filter((item) => !item.hidden).length;
    count.textContent = words.length === 0 ? '' : `${left} of ${items.length}`;
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
