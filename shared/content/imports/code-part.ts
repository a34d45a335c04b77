/** A name as the part of a jurisdiction code: `Round Rock` is `ROUND-ROCK`, `Cañon City` is `CANON-CITY`. */
export const codePart = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/['’.]/g, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
