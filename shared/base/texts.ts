/** Formats a count with its noun: `1 row`, `1,234 rows`. */
export const counted = (count: number, word: string, plural = `${word}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? word : plural}`;

/** Formats the counts above zero as `2 rules and 1 rate`. Empty without such a count. */
export const countsInWords = (...counts: readonly Parameters<typeof counted>[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map((one) => counted(...one))
    .join(' and ');

/** Formats counts as `2 ZIPs and 1 city`. Empty without counts. */
export const zipsAndCities = (zips: number, cities: number): string =>
  countsInWords([zips, 'ZIP'], [cities, 'city', 'cities']);

/** Formats an ISO timestamp in UTC as `2026-11-21 12:00`. */
export const instantText = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

/** Formats rows of cells as a Markdown table. */
export const markdownTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const [head, ...lines] = [headings, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${'---|'.repeat(headings.length)}`, ...lines].join('\n');
};

// Upper case maps both lower-case forms of the Greek sigma to one, and ß to SS. Lower case first maps ẞ to ß.
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');

/**
 * Returns a condition that is true if one of the texts contains the term, in upper or lower case and in any compatible
 * form of Unicode (NFKC). Accents are significant.
 */
export const searchFor = (term: string): ((texts: readonly (string | null | undefined)[]) => boolean) => {
  const wanted = folded(term);
  return (texts) => texts.some((text) => text && folded(text).includes(wanted));
};
