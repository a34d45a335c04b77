/** Products with the attributes of two entries that decide differently. */
import { type Entry, notEstablishedBecause } from './answers.ts';
import { productOf, requiredOf, requiring } from './attributes.ts';

const setOf = (codes: readonly string[]): string => [...new Set(codes)].sort().join('+');

const contentOf = ({ answer: { state, local }, from, to }: Entry): string => JSON.stringify([state, local, from, to]);

/** Whether both may apply on a day. */
const overlap = (left: Entry, right: Entry): boolean =>
  (left.to === null || right.from === null || right.from <= left.to) &&
  (right.to === null || left.from === null || left.from <= right.to);

const tieOf = (left: Entry, right: Entry, known: ReadonlySet<string>): Entry[] => {
  const [ofLeft, ofRight] = [requiredOf(left.attributes), requiredOf(right.attributes)];
  const union = [...new Set([...ofLeft, ...ofRight])];
  // The entry with more attributes decides.
  if (ofLeft.length !== ofRight.length || union.length === ofLeft.length || known.has(setOf(union))) return [];
  if ([...left.attributes.none, ...right.attributes.none].some((code) => union.includes(code))) return [];
  if (contentOf(left) === contentOf(right) || !overlap(left, right) || productOf(left.code, union) === null) return [];
  const reason = `With ${setOf(ofLeft)} it is treated otherwise than with ${setOf(ofRight)}; no source decides about both.`;
  return [{ ...left, attributes: requiring(union), answer: notEstablishedBecause(reason), from: null, to: null }];
};

/**
 * Entries for products with the attributes of two entries of one code that decide differently, where no entry is about
 * both: their treatment is not established. `others` are hand-written rules, which do not tie among themselves.
 */
export const tiesAmong = (entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] => {
  const known = new Set([...entries, ...others].map(({ attributes }) => setOf(requiredOf(attributes))));
  const ties = new Map<string, Entry>();
  for (const [index, left] of entries.entries())
    for (const right of [...entries.slice(index + 1), ...others])
      for (const tie of tieOf(left, right, known)) ties.set(setOf(requiredOf(tie.attributes)), tie);
  const added = [...ties.values()];
  return added.length === 0 ? [] : [...added, ...tiesAmong([...entries, ...added], others)];
};
