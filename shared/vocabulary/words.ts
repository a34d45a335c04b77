/** Words of names and phrases in a form that can be compared. */

/** A word without the endings of plurals: `dresses` is `dress`, `lenses` and `lens` are `len`, `cookies` is `cooky`. */
const stem = (word: string): string => {
  // Glasses correct sight, and a glass holds a drink.
  if (word === 'glasses') return word;
  let text = word;
  if (/s$/.test(text) && text.length > 3 && !/(ss|us|is)$/.test(text)) text = text.slice(0, -1);
  if (text.endsWith('ie')) return `${text.slice(0, -2)}y`;
  if (/([osxz]|[cs]h)e$/.test(text) && text.length > 3) text = text.slice(0, -1);
  return text === word ? text : stem(text);
};

/**
 * The stems of the words of a text, in their order: without case, accents and punctuation. A letter before a hyphen or a
 * space belongs to its word: `T-shirts` and `t shirt` are `tshirt`.
 */
export const listStems = (text: string): readonly string[] =>
  (
    text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[\u0300-\u036f'’]/g, '')
      .replaceAll(/\b([etx])[-\s]+(?=[a-z]{3})/g, '$1')
      .match(/[a-z0-9]+/g) ?? []
  ).map(stem);
