// Most names need no more, and a state has thousands of them.
const plainWords = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

/**
 * A city's name as everything here compares it: upper case, without accents and punctuation, words parted by one space.
 * `Winston-Salem` and `Winston Salem` are one, and so are both ways to write `Cañon City`; `null` of nothing.
 */
export const cityName = (text: string): string | null =>
  plainWords.test(text) ? text.toUpperCase() : normalized(text);

const normalized = (text: string): string | null =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[\p{Pd}\s]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim() || null;
