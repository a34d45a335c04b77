/** A city's name as `TaxAddress.city` has it: upper case, without punctuation, single spaces; `null` of nothing. */
export const cityName = (text: string): string | null =>
  text
    .toUpperCase()
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
