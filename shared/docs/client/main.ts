/** The script of the page. Everything except search, copying and trying works without it. */
import { addCopy, queryAll, queryOne, serviceAddress } from './dom.ts';
import { addSearch } from './search.ts';
import { addForms } from './try.ts';

/** Store a language if one is given, and return the stored one. */
const remembered = (language?: string): string => {
  try {
    if (language) localStorage.setItem('sample-language', language);
    return localStorage.getItem('sample-language') ?? '';
  } catch {
    // The browser blocks storage.
    return '';
  }
};

/** Show every sample in one language, or in its first one if it does not have that language. */
const show = (language: string): void => {
  for (const group of queryAll('.samples')) {
    const samples = queryAll('[data-language]', group);
    const shown = samples.find((sample) => sample.dataset['language'] === language) ?? samples[0];
    for (const sample of samples) sample.hidden = sample !== shown;
    for (const button of queryAll('[data-choose]', group))
      button.setAttribute('aria-pressed', String(button.dataset['choose'] === shown?.dataset['language']));
  }
};

/** Make the buttons above the samples choose a language, which the browser remembers. */
const addLanguages = (): void => {
  for (const button of queryAll('[data-choose]'))
    button.addEventListener('click', () => {
      const language = button.dataset['choose'] ?? '';
      const before = button.getBoundingClientRect().top;
      show(language);
      // Samples above have other heights now: keep the button where it was.
      scrollBy(0, button.getBoundingClientRect().top - before);
      remembered(language);
    });
  show(remembered());
};

/** On a narrow screen, close the contents after a choice. */
const addMenu = (): void => {
  const nav = queryOne('nav');
  nav.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) nav.hidePopover();
  });
};

/** Mark the section that is being read in the contents. */
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
    // A line at a quarter of the height.
    { rootMargin: '-25% 0px -75%' },
  );
  for (const section of queryAll('main [id]')) if (links.has(`#${section.id}`)) observer.observe(section);
};

// Show the real address in the commands of the guide.
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
