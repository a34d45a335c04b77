import type * as z from 'zod/mini';
import { getOrAdd } from '../base/collections.ts';
import { closest } from './closest.ts';
import type { ProductTaxCodeItem } from './schema.ts';

/** Normalizes the words of names and phrases for comparison. */

/** Strips plural endings: `dresses` becomes `dress`, `lenses` and `lens` become `len`, `cookies` becomes `cooky`. */
const stem = (word: string): string => {
  // `glasses` (eyewear) is not the plural of `glass` (drinkware), and `news` is not `new`.
  if (word === 'glasses' || word === 'news') return word;
  let text = word;
  if (/s$/.test(text) && text.length > 3 && !/(ss|us|is)$/.test(text)) text = text.slice(0, -1);
  if (text.endsWith('ie')) return `${text.slice(0, -2)}y`;
  if (/([osxz]|[cs]h)e$/.test(text) && text.length > 3) text = text.slice(0, -1);
  return text === word ? text : stem(text);
};

/**
 * Returns the stems of the words in a text, in order, without case, accents and punctuation. A letter before a hyphen
 * or a space is joined to the next word: `T-shirts` and `t shirt` become `tshirt`.
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

/** Searches product tax codes by words that describe a product. */

type Item = z.infer<typeof ProductTaxCodeItem>;
type Searchable = Pick<Item, 'code' | 'name' | 'description' | 'examples' | 'synonyms'>;

/** The maximum number of codes that a search returns. */
export const resultsMax = 20;

// Words that do not describe the product.
const ignored: ReadonlySet<string> = new Set(
  'a an and as at by for from in kind my new of on or other the to with without'.split(' ').flatMap(listStems),
);
// A form, size, number, buyer or color after the product is not its name: `ibuprofen tablets`, `hoodie black`.
const qualifiers: ReadonlySet<string> = new Set(
  [
    'capsule count pack pair piece pill set size tablet small medium large xs xl xxl mg kg ml oz lb inch',
    'two three four five six ten twelve man men woman women kid unisex',
    'black white gray grey red blue green brown beige pink purple yellow',
  ].flatMap(listStems),
);
// The word before one of these is the name of the product: `lawn mowing service`.
const generic: ReadonlySet<string> = new Set('service subscription plan product item'.split(' ').flatMap(listStems));
// Products and services that no code describes, but that share a word with a code that is taxed differently.
const uncoded = `
airline ticket, alarm monitoring, apartment rental, art class, baby chicks, babysitting, band hire, bees, boat motor,
boat slip, booth rental, bus ticket, cable television, cable tv, cattle, cbd chocolate, cbd cream, cbd dog treats,
cbd gummies, chewing tobacco, child care, cigar, cigarillo, cooking class, court rental, crane, crane with operator,
credit repair, cruise, currency, custom embroidery, day care, daycare, delta 8 gummies, delta 9 gummies,
dental cleaning, embroidery service, equipment rental with operator, event space rental, exterior painting, eye exam,
face painting, ferry ticket, field rental, fishing charter, foreign currency, garbage pickup, gemstones, goat,
golf cart, hall rental, hemp flower, hemp gummies, hemp hearts, hemp oil, hemp seeds, horse, house painting, ice,
interior painting, kava tea, kitten, kratom gummies, kratom tea, livestock, loose diamonds, lottery ticket,
mailbox rental, managed it services, medical exam, meeting room rental, microchip, mushroom gummies, no show fee,
office rental, office space rental, painting class, pet microchip, photo restoration, physical exam, pipe tobacco,
plane ticket, pottery class, prepaid calling card, prepaid phone card, printing setup fee, puppy, raffle ticket,
rink rental, rolling tobacco, satellite tv, security monitoring, storage fee, storage rental, storage unit rental,
studio rental, tattoo aftercare, teeth cleaning, therapy session, tobacco, train ticket, trash pickup, venue rental,
warehouse rental, weight loss pills, welding gas, wine making kit`;
// The animals that use a product: food, clothing and care for people do not match `dog vitamins`.
const animals: ReadonlySet<string> = new Set(
  'bird canine cat cattle dog equine feline ferret hamster horse kitten pet puppy rabbit reptile'.split(' ').map(stem),
);
const forPeople = /^(BEVERAGES|CLOTHING|FOOD|HEALTH|LODGING|SERVICES\.PERSONAL_CARE)\b/;
// Words after an animal that does not use the product: `cat eye sunglasses`, `dog mom t-shirt`, `horse riding boots`.
const notUsers: ReadonlySet<string> = new Set('dad eye heel lover mom owner print riding'.split(' ').map(stem));
// The product comes before one of these: `case for a phone`, `T-shirt, long sleeves`.
const separators = /[,;()]|\s-\s|(?<=\s)(?:as|by|for|from|in|of|on|with|without)(?=\s)/i;
// The product comes after one of these: `bottle of champagne`.
const containers = /^.*\b(?:bag|bottle|box|can|carton|case|cup|jar|pack|pair|piece|set|slice|tube)s? of\b/i;

/** A name, an example or a synonym. */
type Phrase = {
  readonly stems: readonly string[];
  /** The stem of the word that is the name of the product: `mug` in `mug filled with tea bags`. */
  readonly head: string | undefined;
};

type Entry = {
  /** `null` for a product that no code describes. */
  readonly item: Searchable | null;
  readonly phrases: readonly Phrase[];
  /** The phrases without spaces, so `camper van` equals `campervan`. */
  readonly names: ReadonlySet<string>;
  /**
   * The relevance of each word to the code: 1 for the last word of a name and 0.6 for an earlier word, less in long
   * names, plus 0.05 for each name with the word; 0.35 for a word that is only in the description.
   */
  readonly relevance: ReadonlyMap<string, number>;
};

type Index = {
  readonly entries: readonly Entry[];
  /** The number of codes that contain each word. */
  readonly frequencies: ReadonlyMap<string, number>;
};

const meaningful = (stems: readonly string[]): readonly string[] => stems.filter((word) => !ignored.has(word));

const isQualifier = (word: string): boolean => /^[a-z]?\d/.test(word) || qualifiers.has(word);

/** Returns the part of a text that names the product, without its purpose, material or container. */
const readSubject = (text: string): string => text.replace(containers, '').split(separators)[0] ?? '';

/** Returns the last word that names the product. */
const headWord = (words: readonly string[]): string | undefined =>
  words.findLast((word) => !isQualifier(word)) ?? words.at(-1);

const toPhrase = (text: string): Phrase => {
  const stems = meaningful(listStems(text));
  return { stems, head: headWord(meaningful(listStems(readSubject(text)))) ?? stems.at(-1) };
};

const listPhrases = ({ code, name, examples, synonyms }: Searchable): readonly Phrase[] => {
  const label = code.slice(code.indexOf('.') + 1).replaceAll('_', ' ');
  return [name, label, ...examples, ...synonyms].map(toPhrase);
};

/** Returns the part of a description about what is included. The excluded part comes after a semicolon. */
const included = (description: string): string => description.split(/; not |, and not /)[0] ?? '';

const buildEntry = (item: Searchable | null, phrases: readonly Phrase[]): Entry => {
  const relevance = new Map<string, number>();
  for (const word of meaningful(listStems(included(item?.description ?? '')))) relevance.set(word, 0.35);
  for (const { stems } of phrases)
    for (const [index, word] of stems.entries()) {
      const own = (index === stems.length - 1 ? 1 : 0.6) / stems.length ** 0.25;
      // A word that is in many names of a code is typical of the code.
      relevance.set(word, Math.max(relevance.get(word) ?? 0, own) + 0.05);
    }
  const names = new Set(phrases.map(({ stems }) => stems.join('')).filter(Boolean));
  return { item, phrases, names, relevance };
};

const indexes = new WeakMap<readonly Searchable[], Index>();

const buildIndex = (items: readonly Searchable[]): Index =>
  getOrAdd(indexes, items, () => {
    const entries = [
      ...items.map((item) => buildEntry(item, listPhrases(item))),
      ...uncoded.split(',').map((text) => buildEntry(null, [toPhrase(text)])),
    ];
    const frequencies = new Map<string, number>();
    for (const { relevance } of entries)
      for (const word of relevance.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    return { entries, frequencies };
  });

/** A word of a query. */
type Term = {
  readonly word: string;
  /** The matching words of the index, each with a confidence: 1 for the word itself. */
  readonly meanings: ReadonlyMap<string, number>;
  readonly isCompound: boolean;
  readonly isHead: boolean;
};

/**
 * Finds the known word that a mistyped word means: one letter added, missing or different, or two letters swapped. The
 * first letter must match, because it is right in most typos. Short words are not corrected, because they have too many
 * neighbors.
 */
const corrected = (word: string, known: readonly string[]): string | undefined => {
  if (word.length < 5) return undefined;
  const near = known.filter((other) => other[0] === word[0] && Math.abs(other.length - word.length) <= 1);
  const swapped = near.filter((other) => other.length === word.length && sorted(other) === sorted(word));
  return closest(word, near, 1) ?? closest(word, swapped, 2);
};

const sorted = (word: string): string => [...word].sort().join('');

const wordMeanings = (word: string, isLast: boolean, { frequencies }: Index): Pick<Term, 'meanings' | 'isCompound'> => {
  if (frequencies.has(word)) return { meanings: new Map([[word, 1]]), isCompound: false };
  const known = [...frequencies.keys()];
  // The last word may still be incomplete.
  const completed = isLast && word.length >= 2 ? known.filter((other) => other.startsWith(word)) : [];
  if (completed.length > 0) {
    const meanings = completed.map((other) => [other, 0.4 * (1 + word.length / other.length)] as const);
    return { meanings: new Map(meanings), isCompound: false };
  }
  // The last part of a compound names the product: a raincoat is a coat, but monitoring is not a ring.
  const ending = known
    .filter((other) => other.length >= 4 && word.endsWith(other) && !other.endsWith('ing'))
    .sort((a, b) => b.length - a.length)[0];
  if (ending !== undefined) return { meanings: new Map([[ending, 0.6]]), isCompound: true };
  const meant = corrected(word, known);
  return { meanings: new Map(meant === undefined ? [] : [[meant, 0.6]]), isCompound: false };
};

/** Joins words that are a single word in the index: `head phones`. */
const joined = (stems: readonly string[], { frequencies }: Index): readonly string[] => {
  const words: string[] = [];
  for (const word of stems) {
    const both = `${words.at(-1) ?? ''}${word}`;
    if (words.length > 0 && frequencies.has(both)) words.splice(-1, 1, both);
    else words.push(word);
  }
  return words;
};

const splitWords = (text: string, index: Index): readonly string[] => joined(meaningful(listStems(text)), index);

const queryTerms = (text: string, index: Index): readonly Term[] => {
  const words = splitWords(text, index);
  const named = splitWords(readSubject(text), index);
  const subject = named.length > 0 ? named : words;
  const head = headWord(subject);
  const heads = [head, generic.has(head ?? '') ? headWord(subject.slice(0, subject.indexOf(head ?? ''))) : undefined];
  return words.map((word, at) => ({
    word,
    ...wordMeanings(word, at === words.length - 1, index),
    isHead: heads.includes(word),
  }));
};

/** Finds the terms that match the words of a phrase in order: `online course` in `online photography course`. */
const termsWith = (terms: readonly Term[], { stems }: Phrase): readonly Term[] | undefined => {
  const found: Term[] = [];
  for (const term of terms) if (term.meanings.has(stems[found.length] ?? '')) found.push(term);
  return stems.length > 0 && found.length === stems.length ? found : undefined;
};

const matchesHead = (terms: readonly Term[], { head }: Phrase): boolean =>
  terms.some(({ isHead, meanings }) => isHead && meanings.has(head ?? ''));

/**
 * Returns whether a code matches the product itself and not only a word that describes it. `smoke alarm` does not match
 * cigarettes.
 *
 * A code matches if it contains all words of the query, or if one of its phrases has the same head. In the second case,
 * the query must also contain the phrase (`coat` in `rain coat`) or share a further word with the code: `engine oil`
 * does not match hair oil.
 */
const isMatch = ({ item, phrases, relevance }: Entry, terms: readonly Term[]): boolean => {
  const isForAnimal = ({ word, isHead }: Term, at: number) =>
    animals.has(word) && !isHead && terms[at - 1]?.word !== 'hot' && !notUsers.has(terms[at + 1]?.word ?? '');
  const isForPeopleOnly =
    forPeople.test(item?.code ?? '') && terms.some((term, at) => isForAnimal(term, at) && !relevance.has(term.word));
  if (isForPeopleOnly) return false;
  const common = terms.filter(({ meanings }) => [...meanings.keys()].some((word) => relevance.has(word)));
  if (common.length === 0) return false;
  if (common.length === terms.length && terms.every(({ isCompound }) => !isCompound)) return true;
  const hasMore = common.some(({ isHead }) => !isHead);
  return phrases.some((phrase) => matchesHead(terms, phrase) && (hasMore || termsWith(terms, phrase)));
};

// The word that names the product weighs more than the words that describe it.
const headFactor = 2.5;

const scoreEntry = (entry: Entry, terms: readonly Term[], { entries, frequencies }: Index): number => {
  const rarity = (word: string): number => Math.log(1 + entries.length / (frequencies.get(word) ?? entries.length));
  let score = 0;
  for (const { meanings, isHead } of terms) {
    let best = 0;
    for (const [word, confidence] of meanings)
      best = Math.max(best, confidence * (entry.relevance.get(word) ?? 0) * rarity(word));
    score += best * (isHead ? headFactor : 1);
  }
  let bonus = 0;
  for (const phrase of entry.phrases) {
    const found = termsWith(terms, phrase);
    if (!found) continue;
    const sum = found.reduce((sum, { meanings }, at) => {
      const word = phrase.stems[at] ?? '';
      return sum + (meanings.get(word) ?? 0) * rarity(word);
    }, 0);
    bonus = Math.max(bonus, sum * (matchesHead(terms, phrase) ? headFactor : 1));
  }
  return score + bonus;
};

// A code with less than this share of the best score has only an incidental word in common.
const shareMin = 0.15;

/**
 * Returns the items that match a phrase such as `organic dog treats`, best first, at most `resultsMax`.
 *
 * Items with exactly this name, example or synonym come first. The other items either have a name for the same product,
 * usually the last word (`mug` in `coffee mug`), or contain all words. Words must match completely, but one typo is
 * allowed, and the last word may be incomplete. Rare words count more. Plurals and accents do not matter. Empty if the
 * phrase matches a product without a code best.
 */
export const searchItems = <Found extends Searchable>(items: readonly Found[], text: string): readonly Found[] => {
  const index = buildIndex(items);
  const terms = queryTerms(text, index);
  const name = terms.map(({ word }) => word).join('');
  const scored = index.entries
    .map((entry) => ({ entry, isNamed: entry.names.has(name) }))
    .filter(({ entry, isNamed }) => isNamed || isMatch(entry, terms))
    .map(({ entry, isNamed }) => ({
      item: entry.item as Found | null,
      score: scoreEntry(entry, terms, index),
      isNamed,
    }))
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.score - a.score);
  if (scored[0]?.item === null) return [];
  const best = Math.max(...scored.map(({ score }) => score));
  return scored
    .filter(({ score, isNamed }) => isNamed || score >= best * shareMin)
    .flatMap(({ item }) => item ?? [])
    .slice(0, resultsMax);
};
