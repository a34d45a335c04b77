/** The search for product tax codes by the words of a product. */
import type * as z from 'zod/mini';
import { getOrAdd } from '../get-or-add.ts';
import { closest } from './closest.ts';
import type { ProductTaxCodeItem } from './schema.ts';
import { stemsOf } from './words.ts';

type Item = z.infer<typeof ProductTaxCodeItem>;
type Searchable = Pick<Item, 'code' | 'name' | 'description' | 'examples' | 'synonyms'>;

/** The most codes that a search returns. */
export const resultsMax = 20;

// They say nothing about the product.
const ignored: ReadonlySet<string> = new Set(
  'a an and as at by for from in kind my new of on or other set the to with without'.split(' ').flatMap(stemsOf),
);
// They count the product instead of naming it: "ibuprofen tablets".
const measures: ReadonlySet<string> = new Set(
  'capsule count pack pair piece pill size tablet'.split(' ').flatMap(stemsOf),
);
// The product comes before these: "case for a phone".
const prepositions = /\b(for|with|in|of|from|on|without)\b/i;

/** The stems of a name, an example or a synonym. */
type Phrase = readonly string[];

type Entry = {
  readonly item: Searchable;
  readonly phrases: readonly Phrase[];
  /** How much a word says about the code: more as the last word of a name than within one, least in the description. */
  readonly weights: ReadonlyMap<string, number>;
};

type Index = {
  readonly entries: readonly Entry[];
  /** The number of codes with each word. */
  readonly frequencies: ReadonlyMap<string, number>;
};

const meaningful = (stems: readonly string[]): readonly string[] => stems.filter((word) => !ignored.has(word));

const phrasesOf = ({ code, name, examples, synonyms }: Searchable): readonly Phrase[] => {
  const label = code.slice(code.indexOf('.') + 1).replaceAll('_', ' ');
  return [name, label, ...examples, ...synonyms].map((text) => meaningful(stemsOf(text)));
};

/** What the description includes: what it excludes comes after a semicolon. */
const included = (description: string): string => description.split(/; not |, and not /)[0] ?? '';

const entryOf = (item: Searchable): Entry => {
  const phrases = phrasesOf(item);
  const weights = new Map<string, number>();
  for (const word of meaningful(stemsOf(included(item.description)))) weights.set(word, 0.35);
  for (const stems of phrases)
    for (const [index, word] of stems.entries()) {
      const own = (index === stems.length - 1 ? 1 : 0.6) / stems.length ** 0.25;
      const known = weights.get(word) ?? 0;
      // A word that many names of a code have is typical of it.
      weights.set(word, Math.max(known, own) + 0.05);
    }
  return { item, phrases, weights };
};

const indexes = new WeakMap<readonly Searchable[], Index>();

const indexOf = (items: readonly Searchable[]): Index =>
  getOrAdd(indexes, items, () => {
    const entries = items.map(entryOf);
    const frequencies = new Map<string, number>();
    for (const { weights } of entries)
      for (const word of weights.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    return { entries, frequencies };
  });

/** A word of a query: the words of the index that it stands for, and how surely. */
type Term = { readonly meanings: ReadonlyMap<string, number>; readonly isHead: boolean };

/**
 * The known word that one with a typo means: a letter more, less or another, or two swapped ones. The first letter is right
 * in most typos, and short words have too many neighbors.
 */
const corrected = (word: string, known: readonly string[]): string | undefined => {
  if (word.length < 5) return undefined;
  const near = known.filter((other) => other[0] === word[0] && Math.abs(other.length - word.length) <= 1);
  const swapped = near.filter((other) => other.length === word.length && sorted(other) === sorted(word));
  return closest(word, near, 1) ?? closest(word, swapped, 2);
};

const sorted = (word: string): string => [...word].sort().join('');

const meaningsOf = (word: string, isLast: boolean, { frequencies }: Index): ReadonlyMap<string, number> => {
  const known = [...frequencies.keys()];
  const meanings = new Map<string, number>();
  const isKnown = frequencies.has(word);
  // The last word may still be incomplete.
  if (word.length >= (isLast ? 2 : 4))
    for (const other of known)
      if (other.startsWith(word))
        meanings.set(other, (isKnown ? 0.3 : 0.8) * Math.min(1, 0.5 + word.length / other.length / 2));
  if (isKnown) meanings.set(word, 1);
  if (meanings.size > 0) return meanings;
  // A compound ends in what it is: a raincoat is a coat.
  const ending = known
    .filter((other) => other.length >= 4 && word.endsWith(other))
    .sort((a, b) => b.length - a.length)[0];
  if (ending !== undefined) return new Map([[ending, 0.6]]);
  const meant = corrected(word, known);
  return new Map(meant === undefined ? [] : [[meant, 0.6]]);
};

/** Join words that the index has as one: `head phones`. */
const joined = (stems: readonly string[], { frequencies }: Index): readonly string[] => {
  const words: string[] = [];
  for (const word of stems) {
    const both = `${words.at(-1) ?? ''}${word}`;
    if (words.length > 0 && frequencies.has(both)) words.splice(-1, 1, both);
    else words.push(word);
  }
  return words;
};

const wordsOf = (text: string, index: Index): readonly string[] => joined(meaningful(stemsOf(text)), index);

const isMeasure = (word: string): boolean => /^\d/.test(word) || measures.has(word);

const termsOf = (query: string, index: Index): readonly Term[] => {
  const words = wordsOf(query, index);
  const named = wordsOf(query.split(prepositions)[0] ?? '', index);
  const candidates = named.length > 0 ? named : words;
  const head = candidates.findLast((word) => !isMeasure(word)) ?? candidates.at(-1);
  return words.map((word, at) => ({
    meanings: meaningsOf(word, at === words.length - 1, index),
    isHead: word === head,
  }));
};

/** Whether all words of a phrase occur in their order: `online course` in `online photography course`. */
const contains = (words: readonly string[], phrase: readonly string[]): boolean => {
  let found = 0;
  for (const word of words) if (word === phrase[found]) found++;
  return phrase.length > 0 && found === phrase.length;
};

const headFactor = 1.6;

const scoreOf = (entry: Entry, query: Query, { entries, frequencies }: Index): number => {
  const rarity = (word: string): number => Math.log(1 + entries.length / (frequencies.get(word) ?? entries.length));
  let score = 0;
  for (const { meanings, isHead } of query.terms) {
    let best = 0;
    for (const [word, quality] of meanings)
      best = Math.max(best, quality * (entry.weights.get(word) ?? 0) * rarity(word));
    score += best * (isHead ? headFactor : 1);
  }
  let bonus = 0;
  for (const stems of entry.phrases) {
    if (!contains(query.words, stems)) continue;
    const isHead = query.heads.has(stems.at(-1) ?? '');
    const sum = stems.reduce((sum, word) => sum + rarity(word), 0);
    bonus = Math.max(bonus, sum * (isHead ? headFactor : 1));
  }
  return score + bonus;
};

type Query = {
  readonly words: readonly string[];
  readonly terms: readonly Term[];
  readonly heads: ReadonlySet<string>;
};

const queryOf = (text: string, index: Index): Query => {
  const terms = termsOf(text, index);
  const heads = terms.filter(({ isHead }) => isHead).flatMap(({ meanings }) => [...meanings.keys()]);
  return { words: wordsOf(text, index), terms, heads: new Set(heads) };
};

const hasName = ({ phrases }: Entry, words: readonly string[]): boolean =>
  phrases.some((stems) => stems.length === words.length && contains(words, stems));

// A code with less than this share of the best score has only a word in common.
const shareMin = 0.15;

/**
 * The items that match a phrase such as `organic dog treats`, the best first, at most `resultsMax`.
 *
 * Items with exactly this code, name, example or synonym come first. Then come those with words of it: whole words,
 * beginnings, and words with one typo. Rare words count more, and so does the last word, which names the product
 * (`coffee mug`). Plurals and accents do not matter.
 */
export const searchItems = <Found extends Searchable>(items: readonly Found[], text: string): readonly Found[] => {
  const index = indexOf(items);
  const query = queryOf(text, index);
  const scored = index.entries
    .map((entry) => ({
      item: entry.item as Found,
      score: scoreOf(entry, query, index),
      isNamed: hasName(entry, query.words),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.score - a.score);
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score, isNamed }) => isNamed || score >= best * shareMin)
    .slice(0, resultsMax)
    .map(({ item }) => item);
};
