// A fast path for most names, because a state has thousands.
const plainWords = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

/**
 * Normalize a city's name: upper case, without accents and punctuation, one space between words. `Winston-Salem` and
 * `Winston Salem` are equal, and so are both spellings of `Cañon City`. `null` for an empty name.
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

/** A name as the part of a jurisdiction code: `Round Rock` is `ROUND-ROCK`, `Cañon City` is `CANON-CITY`. */
export const codePart = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/['’.]/g, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
