// Upper case maps both lower-case forms of the Greek sigma to one, and ß to SS. Lower case first maps ẞ to ß.
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');

/**
 * Returns a condition that is true if one of the texts contains the term, in upper or lower case and in any
 * compatible form of Unicode (NFKC). Accents differ.
 */
export const searchFor = (term: string): ((texts: readonly (string | null | undefined)[]) => boolean) => {
  const wanted = folded(term);
  return (texts) => texts.some((text) => text && folded(text).includes(wanted));
};
