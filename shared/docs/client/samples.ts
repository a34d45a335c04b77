import { all } from './dom.ts';

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
  for (const group of all('.samples')) {
    const samples = all('[data-language]', group);
    const shown = samples.find((sample) => sample.dataset['language'] === language) ?? samples[0];
    for (const sample of samples) sample.hidden = sample !== shown;
    for (const button of all('[data-choose]', group))
      button.setAttribute('aria-pressed', String(button.dataset['choose'] === shown?.dataset['language']));
  }
};

/** Make the buttons above the samples choose a language, which the browser remembers. */
export const addLanguages = (): void => {
  for (const button of all('[data-choose]'))
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
